import type { Knex } from 'knex';

/** Payments whose words can not be read say so; the few of them are found again when that is over. */
export const unreadWords = {
  name: '0040-unread-words',
  up: (knex: Knex) =>
    knex.raw(`
CREATE INDEX payments_unread_words ON payments (network_id) WHERE status_detail = 'words_unreadable';`),
};
