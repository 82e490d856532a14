import type { Knex } from 'knex';

/** How far the deletion of old rows has come. */
export const retention = {
  name: '0058-retention',
  effect: { kind: 'expand', locks: [] },
  up: (knex: Knex) =>
    knex.raw(`
-- a pass over one table, in the order of its ids; locked by the process that does a part of it
CREATE TABLE retention (
  kind text PRIMARY KEY,
  -- the last id of the parts done
  after uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
INSERT INTO retention (kind) VALUES ('alerts'), ('client_ips'), ('offers'), ('payment_waits'), ('transaction_logs');`),
} as const;
