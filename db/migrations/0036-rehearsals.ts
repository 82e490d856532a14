import type { Knex } from 'knex';

/** What is sent only because somebody wants to see it arrive: once, whatever comes of it. */
export const rehearsals = {
  name: '0036-rehearsals',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE webhook_deliveries ADD COLUMN is_test boolean NOT NULL DEFAULT false;
UPDATE webhook_deliveries SET is_test = true
WHERE event_id = ANY (ARRAY(SELECT id FROM webhook_events WHERE type = 'webhook.test'))`),
};
