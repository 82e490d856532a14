import type { Knex } from 'knex';

/**
 * Lists of one status read no payments of other statuses. New payments are in one index as before; those that end unpaid
 * are added to one more.
 */
export const listsByStatus = {
  name: '0045-lists-by-status',
  up: (knex: Knex) =>
    knex.raw(`
DROP INDEX payments_open;
CREATE INDEX payments_open ON payments (node_id, created_at, id)
  WHERE status IN ('pending', 'awaiting_payment', 'processing', 'canceling');
CREATE INDEX payments_unpaid ON payments (node_id, status, created_at, id)
  WHERE status IN ('expired', 'canceled', 'failed');`),
};
