import type { Knex } from 'knex';

/** Tokens that somebody sent to diamonds, which should hold none. */
export const strayTokens = {
  name: '0025-stray-tokens',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE stray_tokens (
  network_id uuid NOT NULL REFERENCES networks (id),
  token text NOT NULL,
  diamond text NOT NULL,
  units numeric(78, 0) NOT NULL CHECK (units > 0),
  -- when the watcher saw the first of them, or more than before
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (network_id, token, diamond)
);
-- the diamond and the token whose balance the watcher read last; null where it begins anew
ALTER TABLE watch_cursors ADD COLUMN stray_diamond text, ADD COLUMN stray_token text;`),
};
