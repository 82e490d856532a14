import type { Knex } from 'knex';
import {
  checkoutTransitions,
  isCheckoutOver,
  type CheckoutTransition,
  type CheckoutTransitionName,
} from '../../domain/checkouts/checkout.ts';
import { planned } from '../query/prepared.ts';
import { checkoutEventStatements, wakeSender } from '../webhooks/events.ts';
import { checkoutGuards } from './guards.ts';

/**
 * Moves every one of these locked checkouts that fits, in one statement: the guarded update, and the webhook events. The only writer of
 * `checkouts.status`. Run it inside the transaction of its cause.
 * @param set more assignments, SQL over `c`
 * @returns ids of the checkouts that moved
 */
export const moveCheckouts = async (
  trx: Knex,
  name: CheckoutTransitionName,
  checkoutIds: readonly string[],
  set?: string,
): Promise<string[]> => {
  const { from, to, guard, webhook }: CheckoutTransition = checkoutTransitions[name];
  const { rows } = await planned<{ rows: { id: string }[] }>(
    trx,
    `
WITH moved AS (
  UPDATE checkouts c SET status = :to_status, sequence = c.sequence + 1, updated_at = clock_timestamp(),
    terminal_at = CASE WHEN :is_over THEN clock_timestamp() END ${set === undefined ? '' : `, ${set}`}
  WHERE c.id = ANY(:ids) AND c.status = ANY(:from_statuses) ${guard === null ? '' : `AND (${checkoutGuards[guard].sql})`}
  RETURNING c.*
)${webhook === null ? '' : `, ${checkoutEventStatements('moved', webhook)}`}
SELECT id ${webhook === null ? '' : `, ${wakeSender}`} FROM moved`,
    { ids: checkoutIds, from_statuses: from, to_status: to, is_over: isCheckoutOver(to) },
  );
  return rows.map(({ id }) => id);
};
