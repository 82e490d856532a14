import { toDecimalText } from './money.ts';

/** How people identify a payment. Operators see it beside the payment's workflows. */
export interface PaymentLabel {
  readonly externalId: string;
  /** The external_id and the id of the order whose buyer chose it; absent for a payment that a merchant created. */
  readonly order?: readonly string[];
  /** In units of the currency, as decimal text. */
  readonly amount: string;
  readonly symbol: string;
  readonly network: string;
}

/** Most code points of an external id that are shown, so that fifty payments fit into one workflow's details. */
const SHOWN = 48;
/** The size limit of a search attribute in bytes, with a margin. */
const ATTRIBUTE_BYTES = 2_000;

/** Makes the label of a stored payment. */
export const paymentLabel = (stored: {
  readonly externalId: string;
  readonly order?: readonly string[];
  readonly units: bigint;
  readonly decimals: number;
  readonly symbol: string;
  readonly network: string;
}): PaymentLabel => ({
  externalId: stored.externalId,
  ...(stored.order === undefined ? {} : { order: stored.order }),
  amount: toDecimalText(stored.units, stored.decimals),
  symbol: stored.symbol,
  network: stored.network,
});

/** Formats a label as `order-17: 12.5 USDC on alpha`. Shortens the external id and removes mark-up and line breaks. */
export const describeLabel = ({ externalId, amount, symbol, network }: PaymentLabel): string => {
  const points = Array.from(externalId.replace(/[^\p{L}\p{N} .,:;/#+=@()_-]/gu, '_'));
  const shown = points.length > SHOWN ? `${points.slice(0, SHOWN).join('')}…` : points.join('');
  return `${shown}: ${amount} ${symbol} on ${network}`;
};

/**
 * Joins texts to the value of one search attribute, as many as fit. Each text is one word that can be searched for; white
 * space and characters with a meaning in searches become `_`.
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
