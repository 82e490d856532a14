import type { Knex } from 'knex';

/** The EIP-712 domain of a token's permits (EIP-2612), where the catalogue lists it and the chain bore it out. */
export const permits = {
  name: '0054-permits',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE currency_tokens
  ADD COLUMN permit_name text CHECK (length(permit_name) <= 255),
  ADD COLUMN permit_version text CHECK (length(permit_version) <= 32),
  ADD CHECK ((permit_name IS NULL) = (permit_version IS NULL)),
  ADD CHECK (permit_name IS NULL OR address IS NOT NULL);`),
};
