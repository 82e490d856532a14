import { formatUnits } from './amounts.ts';
import type { Phase } from '../pay/phases.ts';
import { fill, type TextKey, type Texts } from './texts.ts';
import type { WidgetPaymentState } from '../service/types.ts';

/** Texts and the way to write numbers and times in the page's language. */
export interface Words {
  readonly texts: Texts;
  /** BCP 47 tag for numbers and times. */
  readonly format: string;
}

export const say = ({ texts }: Words, key: TextKey, values?: Readonly<Record<string, string | number>>): string =>
  fill(texts[key], values);

/** The amount due with its currency. */
export const amountOf = ({ format }: Words, { amount, decimals, currency }: WidgetPaymentState): string =>
  `${formatUnits(amount, decimals, format)} ${currency}`;

/** Decimals of every EVM network's native coin. */
const COIN_DECIMALS = 18;

/** An amount of coins to the sixth digit after the mark: fees are estimates. */
const feeText = (wei: bigint, symbol: string, format: string, roundUp: boolean): string => {
  const unit = 10n ** 12n;
  const rounded = ((wei + (roundUp ? unit - 1n : 0n)) / unit) * unit;
  return `${formatUnits(rounded, COIN_DECIMALS, format)} ${symbol}`;
};

type TroublePhase = Extract<Phase, { name: 'trouble' }>;

const troubleText = (
  words: Words,
  state: WidgetPaymentState,
  { trouble, has = 0n, needs = 0n, error }: TroublePhase,
): string => {
  const { format } = words;
  const { network } = state;
  if (trouble === 'refused_by_contract') {
    const key = `error_${error}` as TextKey;
    return say(words, key in words.texts ? key : 'error_other');
  }
  if (trouble === 'few_fees') {
    return say(words, 'trouble_few_fees', {
      has: feeText(has, network.native_symbol, format, false),
      needs: feeText(needs, network.native_symbol, format, true),
    });
  }
  const money = (units: bigint): string => `${formatUnits(units, state.decimals, format)} ${state.currency}`;
  return say(words, `trouble_${trouble}`, { network: network.name, has: money(has), needs: money(needs) });
};

/** The sentence for the phase of a payment that can be paid. */
const phaseText = (words: Words, state: WidgetPaymentState, phase: Phase): string => {
  const values = { network: state.network.name, amount: amountOf(words, state) };
  switch (phase.name) {
    case 'no_wallet':
      return say(words, 'status_awaiting_payment');
    case 'ready':
      return say(words, 'status_ready', values);
    case 'checking':
    case 'approving':
      return say(words, phase.name);
    case 'asking': {
      const question = say(words, `ask_${phase.question}`, values);
      const { step, steps } = phase;
      return steps === 1 ? question : `${say(words, 'ask_step', { step, steps })} ${question}`;
    }
    case 'sent':
      return say(words, phase.isLate ? 'sent_late' : 'sent');
    case 'trouble':
      return troubleText(words, state, phase);
  }
};

/** True where the page waits for a wallet or the network. */
export const isBusy = ({ name }: Phase): boolean => ['checking', 'asking', 'approving', 'sent'].includes(name);

interface Standing {
  readonly words: Words;
  readonly state: WidgetPaymentState;
  readonly phase: Phase;
  /** End of a former choice, in the page's words; null where nobody knows it. */
  readonly until: string | null;
  /** True when the time to pay is over. */
  readonly isOver: boolean;
}

/** The one sentence that says where the payment stands. */
export const sentenceOf = ({ words, state, phase, until, isOver }: Standing): string => {
  const { status, status_detail: detail, payable } = state;
  if (status !== 'pending' && status !== 'awaiting_payment') return say(words, `status_${status}`);
  // The question to the wallet stays open while a reorganisation has removed the deal.
  if (payable || isBusy(phase)) return phaseText(words, state, phase);
  if (isOver) return say(words, 'status_time_over');
  if (detail === 'former_choice_open') {
    return until === null
      ? say(words, 'status_former_choice_open')
      : say(words, 'status_former_choice_until', { time: until });
  }
  return say(words, status === 'pending' ? 'status_pending' : 'status_not_payable');
};
