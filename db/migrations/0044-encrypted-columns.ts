import type { Knex } from 'knex';

/** Columns that hold ciphertext are named by the word that code and documents use: encrypted. */
export const encryptedColumns = {
  name: '0044-encrypted-columns',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE token_keys RENAME COLUMN sealed_secret TO encrypted_secret;
ALTER TABLE webhook_configurations RENAME COLUMN sealed_credentials TO encrypted_credentials;
ALTER TABLE webhook_configurations RENAME COLUMN sealed_signing_secret TO encrypted_signing_secret;
ALTER TABLE webhook_configurations RENAME COLUMN previous_sealed_signing_secret TO previous_encrypted_signing_secret;
ALTER TABLE idempotency_keys RENAME COLUMN sealed_answer TO encrypted_answer;`),
};
