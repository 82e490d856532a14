import type { Knex } from 'knex';

/**
 * Retries of webhooks have a topic of their own, so that no payment waits behind them, and one undelivered command for each
 * configuration: whoever wants another one meanwhile renews it.
 */
export const webhookCommands = {
  name: '0027-webhook-commands',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE outbox DROP CONSTRAINT outbox_topic_check;
ALTER TABLE outbox ADD CONSTRAINT outbox_topic_check
  CHECK (topic IN ('create_payment', 'payment_signal', 'command', 'webhook_command'));
-- whose retries are late is commanded by the sender
DELETE FROM outbox WHERE topic = 'command' AND delivered_at IS NULL AND payload ->> 'type' = 'retryWebhooks';

-- it was wanted again after it was claimed
ALTER TABLE outbox ADD COLUMN is_renewed boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX outbox_webhook_command ON outbox (workflow_id) WHERE topic = 'webhook_command' AND delivered_at IS NULL;`),
};
