import type { Knex } from 'knex';

/** The floor below which it never sinks again, because a contract step has removed what older versions need. */
export const lowestFloor = {
  name: '0060-lowest-floor',
  effect: { kind: 'expand', locks: ['floor'] },
  up: (knex: Knex) => knex.raw('ALTER TABLE floor ADD COLUMN lowest integer NOT NULL DEFAULT 1'),
} as const;
