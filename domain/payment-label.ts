import { toDecimalText } from './money.ts';

/** By what a person knows a payment: shown to operators beside its workflows. */
export interface PaymentLabel {
  readonly externalId: string;
  /** Of the currency, as a decimal text. */
  readonly amount: string;
  readonly symbol: string;
  readonly network: string;
}

/** Code points of an external id that are shown: fifty payments have to fit into one workflow's details. */
const SHOWN = 48;
/** Bytes that a search attribute takes, less a few. */
const ATTRIBUTE_BYTES = 2_000;

/** Makes a label of what is stored. */
export const paymentLabel = (stored: {
  readonly externalId: string;
  readonly units: bigint;
  readonly decimals: number;
  readonly symbol: string;
  readonly network: string;
}): PaymentLabel => ({
  externalId: stored.externalId,
  amount: toDecimalText(stored.units, stored.decimals),
  symbol: stored.symbol,
  network: stored.network,
});

/** One line, such as `order-17: 12.5 USDC on alpha`. What a client chose is shortened and holds no mark-up or line break. */
export const describeLabel = ({ externalId, amount, symbol, network }: PaymentLabel): string => {
  const points = Array.from(externalId.replace(/[^\p{L}\p{N} .,:;/#+=@()_-]/gu, '_'));
  const shown = points.length > SHOWN ? `${points.slice(0, SHOWN).join('')}…` : points.join('');
  return `${shown}: ${amount} ${symbol} on ${network}`;
};

/**
 * Words of one search attribute, as many as it takes; a word is found by itself. White space and characters that have a
 * meaning to a search become `_`.
 */
export const searchWords = (texts: readonly string[]): string => {
  let words = '';
  for (const text of new Set(texts)) {
    const word = text.replace(/[^\p{L}\p{N}._-]/gu, '_');
    const longer = words === '' ? word : `${words} ${word}`;
    if (new TextEncoder().encode(longer).length <= ATTRIBUTE_BYTES) words = longer;
  }
  return words;
};
