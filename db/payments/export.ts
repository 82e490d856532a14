import type { Knex } from 'knex';
import { eachPage } from '../query/page.ts';
import { branchesOf, matchingPayments, type PaymentFilter } from './lists.ts';
import type { PaymentModel } from './model.ts';
import { paymentRow } from './read.ts';

/** A payment without its items and its member. */
export type PaymentOfFile = Omit<PaymentModel, 'items' | 'member'>;

/** Number of payments read by one statement; each may have 8 KiB of metadata. */
const AT_ONCE = 200;

/**
 * All payments of a filter, newest first. Each page is one statement, so that no transaction lasts as long as the client
 * reads. A payment that matches throughout appears once, as it was when its page was read.
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
  // Bounds the search by the oldest matching payment, so that nothing older is scanned.
  const since = { ...filter, createdFrom: oldest.at };
  const rows = matchingPayments(knex, since).select(knex.raw(paymentRow('payments')));
  yield* eachPage(rows, AT_ONCE, { branches: branchesOf(knex, since) });
};
