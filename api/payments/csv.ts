import { setImmediate as turn } from 'node:timers/promises';
import { checksum } from '../../chain/pure/address.ts';
import type { PaymentOfFile } from '../../db/payments/lists.ts';
import { toDecimalText } from '../../domain/money.ts';
import { describePayment } from '../../domain/payment-facts.ts';
import { CSV } from '../request/media-type.ts';
import { SLICE, type StreamedAnswer } from '../answers/stream.ts';

type Fact = string | number | boolean | null;

/** Columns of a file, in order. Secrets, personal data and lists are left out. */
const columns = [
  'id',
  'external_id',
  'node_id',
  'chain_id',
  'network_id',
  'eip155',
  'wallet_id',
  'member_id',
  'payment_method',
  'payment_group',
  'status',
  'status_detail',
  'currency_id',
  'currency',
  'price',
  'price_units',
  'paid_price',
  'paid_price_units',
  'payment_address',
  'payer',
  'diamond_address',
  'deal_id',
  'transaction_hash',
  'deal_transaction_hash',
  'created_at',
  'expires_at',
  'paid_at',
  'completed_at',
  'updated_at',
  'retry',
  'retry_count',
  'metadata',
  'checkout_id',
] as const;

/** Texts that a spreadsheet would read as a formula, and texts that already begin with an apostrophe. */
const formula = /^[=+\-@\t\r\n']/;
/**
 * The same inside a text, after a character at which some spreadsheets begin a new cell even within quotes. They strip
 * quotes at the start of a cell.
 */
const innerFormula = /[;\t\r\n](?="*[=+\-@'])/g;
const separators = /[",;\t\r\n]/;

const harmless = (text: string): string => {
  const inside = text.replaceAll(innerFormula, "$&'");
  return formula.test(inside) ? `'${inside}` : inside;
};

/** One cell (RFC 4180). Apostrophes keep a text from becoming a formula; a reader removes one at each place. */
const toCell = (fact: Fact | undefined): string => {
  if (fact === null || fact === undefined) return '';
  const text = typeof fact === 'string' ? harmless(fact) : String(fact);
  return separators.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const toLine = (cells: readonly (Fact | undefined)[]): string => `${cells.map(toCell).join(',')}\r\n`;

/** Amounts are exact decimals, because no reader parses them as JSON numbers. */
const toRow = (payment: PaymentOfFile): string => {
  const amount = (units: string): string => toDecimalText(BigInt(units), payment.decimals);
  const facts: Readonly<Record<string, unknown>> = {
    ...describePayment({ ...payment, items: [] }, checksum),
    price: amount(payment.price_units),
    paid_price: amount(payment.paid_price_units),
  };
  return toLine(columns.map((column) => facts[column] as Fact));
};

/** Yields to other requests between two parts. */
const toParts = async function* (
  pages: AsyncIterable<readonly PaymentOfFile[]>,
): AsyncGenerator<{ text: string; rows: number }, void> {
  let [text, rows] = [toLine(columns), 0];
  for await (const page of pages) {
    for (const payment of page) {
      text += toRow(payment);
      rows += 1;
      if (text.length < SLICE) continue;
      yield { text, rows };
      [text, rows] = ['', 0];
      await turn();
    }
  }
  if (text !== '') yield { text, rows };
};

/** Payments as a file of comma-separated values with a header line. */
export const paymentsFile = (pages: AsyncIterable<readonly PaymentOfFile[]>): StreamedAnswer => ({
  status: 200,
  headers: {
    'Content-Type': `${CSV}; charset=utf-8; header=present`,
    'Content-Disposition': 'attachment; filename="payments.csv"',
  },
  parts: toParts(pages),
});
