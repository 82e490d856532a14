import { toWalletError, type Fault } from '../wallet/provider.ts';
import { ServiceError } from '../service/service.ts';
import type { WidgetPayment } from '../service/types.ts';

/** A question to a buyer's wallet. */
export type Question = 'connect' | 'switch' | 'reset' | 'approve' | 'permit' | 'batch' | 'pay';

/** Reasons why a payment does not go on. */
export type Trouble =
  | Fault
  | 'no_account'
  | 'wrong_network'
  | 'other_chain'
  | 'few_tokens'
  | 'few_coins'
  | 'few_fees'
  | 'approval_failed'
  | 'approval_small'
  | 'approval_late'
  | 'no_offer'
  | 'maybe_asked'
  | 'payment_failed'
  | 'refused_by_contract'
  | 'terms_changed'
  | 'service_silent'
  | 'other_tab'
  | 'maybe_sent';

interface TroublePhase {
  readonly name: 'trouble';
  readonly trouble: Trouble;
  /** Base units or wei: the balance of the buyer, and the need. */
  readonly has?: bigint;
  readonly needs?: bigint;
  /** Name of the contract's error. */
  readonly error?: string;
}

/** The stage of a payment between page and wallet. Only the api knows the payment's own status. */
export type Phase =
  | { readonly name: 'no_wallet' }
  | { readonly name: 'ready' }
  | { readonly name: 'checking' }
  | { readonly name: 'asking'; readonly question: Question; readonly step: number; readonly steps: number }
  | { readonly name: 'approving' }
  | { readonly name: 'sent'; readonly hash: string | null; readonly isLate: boolean }
  | TroublePhase;

export const asking = (question: Question, step: number, steps: number): Phase => ({
  name: 'asking',
  question,
  step,
  steps,
});

/** Ends an attempt to pay, in the phase that the page then shows. */
export class Stop extends Error {
  readonly phase: Phase;

  constructor(phase: Phase) {
    super(phase.name);
    this.phase = phase;
  }
}

export const stop = (trouble: Trouble, more: Omit<TroublePhase, 'name' | 'trouble'> = {}): Stop =>
  new Stop({ name: 'trouble', trouble, ...more });

/**
 * The stop for anything that a wallet or the service threw. A revert has the name of an error that the service lists; any other is the
 * token's, whose reasons the contract passes on.
 * @param data of the payment, where it was loaded; before that only its token is asked
 */
export const toStop = (error: unknown, data: WidgetPayment | null = null): Stop => {
  if (error instanceof Stop) return error;
  if (error instanceof ServiceError) return stop('service_silent');
  const { fault, revert } = toWalletError(error);
  const named = data?.contract.errors.find(({ selector }) => revert?.startsWith(selector));
  if (named === undefined && (revert === null || fault !== 'wallet_failed')) return stop(fault);
  const ofToken = data?.token_address === null ? 'other' : 'TokenCallFailed';
  return stop('refused_by_contract', { error: named?.name ?? ofToken });
};
