import type { Knex } from 'knex';

/** Who gave a wallet the address of a diamond that is there already: the diamond must be made for a node within its reach. */
export const whoAdopts = {
  name: '0015-who-adopts',
  up: (knex: Knex) => knex.raw('ALTER TABLE wallets ADD COLUMN adopted_by uuid REFERENCES nodes (id)'),
};
