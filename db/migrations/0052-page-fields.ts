import type { Knex } from 'knex';

/** Links and language of the page on which the buyer pays. */
export const pageFields = {
  name: '0052-page-fields',
  up: (knex: Knex) =>
    knex.raw(`
-- not valid: the table is not scanned for columns that are new, and null in every row
ALTER TABLE payments
  ADD COLUMN success_url text,
  ADD COLUMN cancel_url text,
  ADD COLUMN locale text,
  ADD CONSTRAINT payments_success_url CHECK (length(success_url) <= 2048) NOT VALID,
  ADD CONSTRAINT payments_cancel_url CHECK (length(cancel_url) <= 2048) NOT VALID,
  ADD CONSTRAINT payments_locale CHECK (length(locale) <= 35) NOT VALID;`),
};
