import { readDigits, readNumber, type Decimal, type MoneyProblem } from '../../domain/money.ts';
import type { PaymentRequest } from '../generated/openapi-types.ts';

/** An amount as the client wrote it, or the reason why it is invalid. */
export type Amount = Decimal | MoneyProblem;

/** All amounts of a request. */
export interface RequestedAmounts {
  readonly price: Amount;
  readonly paidPrice: Amount;
  /** Amounts of the items, in their order. */
  readonly items: readonly Amount[];
}

declare global {
  interface JSON {
    /** ECMA-262, JSON.parse source text access: the reviver receives the source text of each primitive value. */
    parse(
      text: string,
      reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** The source text of a JSON number. */
class WrittenNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Written = WrittenNumber | string | null | undefined;

/** Parses the body and keeps the source text of every number, because `JSON.parse` turns numbers into float64. */
const parseWritten = (bytes: Buffer) =>
  // The decoder drops a byte order mark, like the body parser.
  JSON.parse(new TextDecoder().decode(bytes), (_name, value, { source }) =>
    typeof value === 'number' ? new WrittenNumber(source!) : value,
  ) as {
    readonly price: Written;
    readonly paid_price: Written;
    readonly items?: readonly { readonly price: Written }[] | null;
  };

/**
 * Reads the exact amounts from the text of a request.
 * @param body the validated request
 * @param bytes the request's body
 */
export const readAmounts = (body: PaymentRequest, bytes: Buffer): RequestedAmounts => {
  const written = parseWritten(bytes);
  // A value missing from the body has the specification's default.
  const read = (amount: Written, value: number | string): Amount => {
    if (typeof value === 'string') return readDigits(value);
    return readNumber(amount instanceof WrittenNumber ? amount.text : String(value));
  };
  return {
    price: read(written.price, body.price),
    paidPrice: read(written.paid_price, body.paid_price),
    items: (body.items ?? []).map(({ price }, index) => read(written.items?.[index]?.price, price)),
  };
};
