import type { Knex } from 'knex';

/** What the endpoints of a network demand of the transactions of an account beyond their gas. */
export const laneLimits = {
  name: '0070-lane-limits',
  effect: { kind: 'expand', locks: ['signer_accounts'] },
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE signer_accounts
  -- by its name in domain/ports/lane.ts, each with \`value\` as text, and \`until\`, when it is forgotten
  ADD COLUMN limits jsonb NOT NULL DEFAULT '{}';`),
} as const;
