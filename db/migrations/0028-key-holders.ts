import type { Knex } from 'knex';

/** Which keys the workers hold. A key signs on every network, so the address alone is kept. */
export const keyHolders = {
  name: '0028-key-holders',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE key_holders (
  -- one run of a worker
  worker_id uuid NOT NULL,
  address text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  -- by the clock of the database; a row that is not renewed is of a worker that has died
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (worker_id, address)
);
CREATE INDEX key_holders_address ON key_holders (address);`),
};
