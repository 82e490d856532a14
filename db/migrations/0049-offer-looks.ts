import type { Knex } from 'knex';

/** When a run last did all that was to do for the offers of a network, so that its silence is noticed. */
export const offerLooks = {
  name: '0049-offer-looks',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE offer_looks (
  network_id uuid PRIMARY KEY REFERENCES networks (id),
  looked_at timestamptz NOT NULL
) WITH (fillfactor = 50);`),
};
