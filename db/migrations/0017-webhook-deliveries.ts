import type { Knex } from 'knex';

/** What merchants are told: events with the bytes that are sent, and for each configuration how far that has got. */
export const webhookDeliveries = {
  name: '0017-webhook-deliveries',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE webhook_configurations
  -- the secret before the last rotation; signs as well until its overlap ends
  ADD COLUMN previous_sealed_signing_secret bytea,
  ADD COLUMN previous_signing_secret_until timestamptz,
  -- since when every attempt has failed; null while attempts succeed
  ADD COLUMN failing_since timestamptz,
  ADD CHECK ((previous_sealed_signing_secret IS NULL) = (previous_signing_secret_until IS NULL));

-- It refers to nothing, as the outbox: it is written by statements that have the payment in hand.
CREATE TABLE webhook_events (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  type text NOT NULL,
  -- null: a test
  payment_id uuid,
  -- of the payment's log entry
  sequence integer,
  -- the payment as it was then; amounts are texts
  snapshot jsonb NOT NULL,
  -- made from it before the first attempt, and sent with each
  body text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((payment_id IS NULL) = (sequence IS NULL))
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX webhook_events_once ON webhook_events (payment_id, sequence) WHERE payment_id IS NOT NULL;

CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL,
  -- failed: every attempt of the schedule; skipped: disabled when it was due; canceled: the configuration was deleted
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'skipped', 'canceled')),
  -- attempts since it was last wanted; none yet: the next one is a first attempt
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- what came of the last attempts, oldest first
  tries jsonb NOT NULL DEFAULT '[]',
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
  CONSTRAINT webhook_deliveries_once UNIQUE (event_id, webhook_id)
) WITH (fillfactor = 60);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_first ON webhook_deliveries (webhook_id, id) WHERE state = 'pending' AND attempts = 0;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE state = 'pending';`),
};
