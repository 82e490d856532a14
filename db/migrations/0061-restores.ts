import type { Knex } from 'knex';

/** Marks of databases that were restored while the chains went on, and how far each lane may go on by itself. */
export const restores = {
  name: '0061-restores',
  effect: { kind: 'expand', locks: ['signer_accounts'] },
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE restores (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- null: restored by other means than carat restore
  backup_id uuid,
  -- when the restored state was current; null: unknown
  state_of timestamptz,
  marked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- the transactions of all lanes are counted; null: not yet
  counted_at timestamptz
);

CREATE TABLE restored_lanes (
  restore_id uuid NOT NULL REFERENCES restores (id),
  account_id uuid NOT NULL REFERENCES signer_accounts (id),
  -- next nonce as the quorum counted it at the mark
  nonce bigint NOT NULL,
  -- the first block that may contain a transaction that the database does not know
  from_block bigint NOT NULL,
  -- null: the lane has not been judged yet, and may go on by itself
  outcome text CHECK (outcome IN ('unneeded', 'resumed', 'paused', 'superseded')),
  ended_at timestamptz,
  PRIMARY KEY (restore_id, account_id)
);
CREATE UNIQUE INDEX restored_lanes_open ON restored_lanes (account_id) WHERE outcome IS NULL`),
} as const;
