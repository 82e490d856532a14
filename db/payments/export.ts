import type { Knex } from 'knex';
import { eachPage } from '../query/page.ts';
import type { PaymentModel } from './model.ts';
import { matchingPayments, paymentRow, type PaymentFilter } from './read.ts';

/** A payment without its items and its member. */
export type PaymentOfFile = Omit<PaymentModel, 'items' | 'member'>;

/** Payments that one statement reads; each may have 8 KiB of metadata. */
const AT_ONCE = 200;

/**
 * All payments of a filter, newest first, page by page, each page by a statement of its own: no transaction lasts as long as
 * somebody reads. A payment that fits all the while is there once; one that changes meanwhile is as it was when its page was
 * read.
 */
export const readAllPayments = async function* (
  knex: Knex,
  filter: PaymentFilter,
): AsyncGenerator<readonly PaymentOfFile[], void> {
  const query = matchingPayments(knex, filter);
  const [oldest] = (await query
    .clone()
    .select(knex.raw('count(*)'), knex.raw('min(payments.created_at) AS at'))) as unknown as {
    at: Date | null;
  }[];
  if (oldest?.at == null) return;
  // Behind the last one nothing is searched, however much there is.
  void query.select(knex.raw(paymentRow('payments'))).where('payments.created_at', '>=', oldest.at);
  yield* eachPage(query, AT_ONCE);
};
