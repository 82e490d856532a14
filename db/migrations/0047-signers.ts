import type { Knex } from 'knex';

/** Keys that offer deals by signatures. They send nothing, so they have no lane. */
export const signers = {
  name: '0047-signers',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE signer_accounts DROP CONSTRAINT signer_accounts_role_check,
  ADD CONSTRAINT signer_accounts_role_check CHECK (role IN ('operator', 'upgrader', 'signer'));`),
};
