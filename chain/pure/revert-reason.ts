import { Interface, type ErrorDescription } from 'ethers';
import type { WaitingDetail } from '../../domain/payment.ts';
import { contracts } from './contracts.ts';

/** The reason of a revert, decoded from its revert data. */
export interface RevertReason {
  /** Name of the custom error, `Error`, `Panic`, or `unknown`. */
  readonly name: string;
  /** Short text for display, such as `NotOperator(0x…)`. */
  readonly text: string;
}

const builtIn = ['error Error(string)', 'error Panic(uint256)'];

/** All errors of Carat's contracts by selector; several contracts share some of them. */
const errors = new Map<string, Interface>();
for (const { interface: own } of [
  { interface: new Interface(builtIn) },
  contracts.registry,
  contracts.batcher,
  contracts.firstBatcher,
  contracts.diamond,
  contracts.deal,
  contracts.offer,
  contracts.cut,
  contracts.loupe,
  contracts.testToken,
]) {
  own.forEachError((fragment) => void errors.set(fragment.selector, own));
}

const describe = (error: ErrorDescription): string =>
  `${error.name}(${error.args.map((argument: unknown) => String(argument)).join(', ')})`;

/**
 * Names the reason in revert data.
 * @param data 0x-prefixed hex; `0x` when the callee gave none. Truncated data is named as well.
 */
export const decodeRevert = (data: string | null | undefined): RevertReason => {
  if (!data || data.length < 10) return { name: 'unknown', text: 'reverted without a reason' };
  const own = errors.get(data.slice(0, 10).toLowerCase());
  if (!own) return { name: 'unknown', text: `reverted with ${data.slice(0, 74)}` };
  try {
    const error = own.parseError(data);
    if (error) return { name: error.name, text: describe(error) };
  } catch {
    // The batcher truncates reasons to 64 bytes; the selector is enough to name them.
  }
  const name = own.getError(data.slice(0, 10))?.name ?? 'unknown';
  return { name, text: name };
};

const waiting: Record<string, WaitingDetail> = {
  Paused: 'network_paused',
  NotOperator: 'operator_revoked',
  NotUpgrader: 'operator_revoked',
  NotDiamond: 'diamond_missing',
};

/** The waiting reason that a revert means, or null for any other revert. Waiting uses up no retry. */
export const waitingDetailOf = (reason: RevertReason): WaitingDetail | null => waiting[reason.name] ?? null;
