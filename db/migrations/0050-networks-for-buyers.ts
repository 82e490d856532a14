import type { Knex } from 'knex';

/** What a buyer's page needs to know of a network. */
export const networksForBuyers = {
  name: '0050-networks-for-buyers',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE networks
  ADD COLUMN native_symbol text NOT NULL DEFAULT 'ETH' CHECK (length(native_symbol) BETWEEN 1 AND 32),
  -- endpoints that wallets of buyers may use; never those of the operator, whose URLs may contain keys
  ADD COLUMN public_rpc_urls text[] NOT NULL DEFAULT '{}' CHECK (cardinality(public_rpc_urls) <= 16);`),
};
