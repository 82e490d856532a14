import type { Knex } from 'knex';

/** Lists of the orders of one status read none of other statuses; so does the count of open ones. */
export const ordersByStatus = {
  name: '0057-orders-by-status',
  effect: { kind: 'expand', locks: ['checkouts'], work: ['index'] },
  up: (knex: Knex) =>
    knex.raw(`
DROP INDEX checkouts_open;
CREATE INDEX checkouts_status ON checkouts (node_id, status, created_at, id);`),
} as const;
