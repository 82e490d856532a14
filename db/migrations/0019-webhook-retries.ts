import type { Knex } from 'knex';

/** Retries have an index of their own, so that what waits for a first attempt is in one only and is never read past. */
export const webhookRetries = {
  name: '0019-webhook-retries',
  up: (knex: Knex) =>
    knex.raw(`
DROP INDEX webhook_deliveries_due;
CREATE INDEX webhook_deliveries_retry ON webhook_deliveries (webhook_id, due_at) WHERE state = 'pending' AND attempts > 0;`),
};
