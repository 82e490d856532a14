import type { Knex } from 'knex';

/** Finds offered payments that show why they have no offer. */
export const waitingOffers = {
  name: '0051-waiting-offers',
  up: (knex: Knex) =>
    knex.raw(`
CREATE INDEX payments_offers_waiting ON payments (network_id)
  WHERE deal_mode = 'offered' AND status_detail IS NOT NULL AND status IN ('pending', 'awaiting_payment');`),
};
