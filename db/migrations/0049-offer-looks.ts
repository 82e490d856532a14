import type { Knex } from 'knex';

/** What the run that signs the offers of a network last found, so that the next run knows it and its silence is noticed. */
export const offerLooks = {
  name: '0049-offer-looks',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE offer_looks (
  network_id uuid PRIMARY KEY REFERENCES networks (id),
  -- the registry, at the last read
  is_paused boolean,
  -- when a run last knew the registry and had signed everything
  looked_at timestamptz
) WITH (fillfactor = 50);
-- null: the registry was not asked for the role of this signer yet
ALTER TABLE signer_accounts ADD COLUMN role_read_at timestamptz;`),
};
