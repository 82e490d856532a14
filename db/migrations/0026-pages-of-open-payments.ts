import type { Knex } from 'knex';

/** Open payments are read page by page, each page beginning behind the one before. */
export const pagesOfOpenPayments = {
  name: '0026-pages-of-open-payments',
  up: (knex: Knex) =>
    knex.raw(`
DROP INDEX payments_open;
CREATE INDEX payments_open ON payments (node_id, id)
  WHERE status IN ('pending', 'awaiting_payment', 'processing', 'canceling');`),
};
