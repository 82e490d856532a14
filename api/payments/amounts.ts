import { readDigits, readNumber, type Decimal, type MoneyProblem } from '../../domain/money.ts';
import type { PaymentRequest } from '../generated/openapi-types.ts';
import { numberTexts } from '../http/number-texts.ts';

/** An amount as the client wrote it, or why it is none. */
export type Amount = Decimal | MoneyProblem;

/** All amounts of a request. */
export interface RequestedAmounts {
  readonly price: Amount;
  readonly paidPrice: Amount;
  /** Of the items, in their order. */
  readonly items: readonly Amount[];
}

const places = { price: 'number', paid_price: 'number', items: { '*': { price: 'number' } } } as const;

/**
 * Reads amounts from the text of a request, because its parsed numbers have forgotten what a client wrote.
 * @param bytes of the body
 */
export const readAmounts = (body: PaymentRequest, bytes: Buffer): RequestedAmounts => {
  const texts = numberTexts(bytes, places);
  const read = (path: string, value: number | string): Amount =>
    typeof value === 'string' ? readDigits(value) : readNumber(texts.get(path) ?? String(value));
  return {
    price: read('/price', body.price),
    paidPrice: read('/paid_price', body.paid_price),
    items: (body.items ?? []).map(({ price }, index) => read(`/items/${index}/price`, price)),
  };
};
