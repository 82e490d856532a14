import { readDigits, readNumber, type Decimal, type MoneyProblem } from '../../domain/money.ts';
import type { CheckoutRequest, PaymentRequest } from '../generated/openapi-types.ts';

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
const parseWritten = <Body>(bytes: Buffer): Body =>
  // The decoder drops a byte order mark, like the body parser.
  JSON.parse(new TextDecoder().decode(bytes), (_name, value, { source }) =>
    typeof value === 'number' ? new WrittenNumber(source!) : value,
  ) as Body;

/** The items of a body. */
interface WrittenItems {
  readonly items?: readonly { readonly price: Written }[] | null;
}

interface WrittenPrices {
  readonly price?: Written;
  readonly paid_price: Written;
}

// A value missing from the body has the specification's default.
const read = (amount: Written, value: number | string): Amount => {
  if (typeof value === 'string') return readDigits(value);
  return readNumber(amount instanceof WrittenNumber ? amount.text : String(value));
};

const readItems = ({ items }: Pick<PaymentRequest, 'items'>, written: WrittenItems): readonly Amount[] =>
  (items ?? []).map(({ price }, index) => read(written.items?.[index]?.price, price));

/**
 * Reads the exact amounts from the text of a request.
 * @param body the validated request
 * @param bytes the request's body
 */
export const readAmounts = (body: PaymentRequest, bytes: Buffer): RequestedAmounts => {
  const written = parseWritten<WrittenPrices & WrittenItems>(bytes);
  return {
    price: read(written.price, body.price),
    paidPrice: read(written.paid_price, body.paid_price),
    items: readItems(body, written),
  };
};

/** Reads the exact amounts of a checkout in the same way: those of each option, with the items. */
export const readOptionAmounts = (body: CheckoutRequest, bytes: Buffer): readonly RequestedAmounts[] => {
  const written = parseWritten<{ readonly options: readonly WrittenPrices[] } & WrittenItems>(bytes);
  const items = readItems(body, written);
  return body.options.map(({ price, paid_price: due }, index) => {
    const paidPrice = read(written.options[index]?.paid_price, due);
    return { paidPrice, price: price == null ? paidPrice : read(written.options[index]?.price, price), items };
  });
};
