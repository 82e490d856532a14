import type { Knex } from 'knex';

/** Networks that take nothing new, and those of them that are watched no longer. */
export const retiredNetworks = {
  name: '0043-retired-networks',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE networks
  ADD COLUMN retired_at timestamptz,
  -- since when nothing of it can be paid or reversed any more
  ADD COLUMN rested_at timestamptz,
  ADD CHECK (rested_at IS NULL OR retired_at IS NOT NULL);

-- What ended unpaid, by when it can not be paid any more.
CREATE INDEX payments_ended_unpaid ON payments (network_id, expires_unix)
  WHERE payment_method = 'web3' AND status IN ('expired', 'canceled', 'failed');`),
};
