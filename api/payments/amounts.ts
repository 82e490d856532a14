import { readDigits, readNumber, type Decimal, type MoneyProblem } from '../../domain/money.ts';
import type { PaymentRequest } from '../generated/openapi-types.ts';

/** An amount as the client wrote it, or why it is none. */
export type Amount = Decimal | MoneyProblem;

/** All amounts of a request. */
export interface RequestedAmounts {
  readonly price: Amount;
  readonly paidPrice: Amount;
  /** Of the items, in their order. */
  readonly items: readonly Amount[];
}

declare global {
  interface JSON {
    /** ECMA-262, JSON.parse source text access: the reviver is told the text that a primitive value was made of. */
    parse(
      text: string,
      reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** A number of a JSON text as it is written there. */
class WrittenNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Written = WrittenNumber | string | null | undefined;

/** The body with every number as it is written. `JSON.parse` makes float64 of numbers, which have forgotten what a client wrote. */
const parseWritten = (bytes: Buffer) =>
  // The decoder leaves out a byte order mark, as the parser of bodies does.
  JSON.parse(new TextDecoder().decode(bytes), (_name, value, { source }) =>
    typeof value === 'number' ? new WrittenNumber(source!) : value,
  ) as {
    readonly price: Written;
    readonly paid_price: Written;
    readonly items?: readonly { readonly price: Written }[] | null;
  };

/**
 * Reads amounts from the text of a request.
 * @param body the request, which the specification allows
 * @param bytes of the body
 */
export const readAmounts = (body: PaymentRequest, bytes: Buffer): RequestedAmounts => {
  const written = parseWritten(bytes);
  // A value that the body left out is the default of the specification.
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
