/** Commands for Temporal, webhooks and alerts. */
export const messages = `
-- Commands and signals for Temporal, written with the change that they follow from.
CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- retries of webhooks have a topic of their own, so that no payment waits behind them
  topic text NOT NULL CHECK (topic IN ('create_payment', 'payment_signal', 'command', 'webhook_command')),
  -- commands of one group go along in one dispatch
  group_key text NOT NULL,
  -- fixed before the first dispatch, so that a repeated one names the same workflow
  workflow_id text,
  -- refers to nothing: a statement that writes here has the payment in hand
  payment_id uuid,
  payload jsonb NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  delivered_at timestamptz,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- it was wanted again after it was claimed
  is_renewed boolean NOT NULL DEFAULT false
);
CREATE INDEX outbox_due ON outbox (topic, group_key, id) WHERE delivered_at IS NULL;
CREATE INDEX outbox_workflow ON outbox (workflow_id) WHERE delivered_at IS NULL AND workflow_id IS NOT NULL;
CREATE INDEX outbox_payment ON outbox (payment_id) WHERE payment_id IS NOT NULL;
-- signals, oldest first
CREATE INDEX outbox_signals ON outbox (id) WHERE delivered_at IS NULL AND topic = 'payment_signal';
-- one undelivered command for each configuration: whatever wants another one meanwhile renews it
CREATE UNIQUE INDEX outbox_webhook_command ON outbox (workflow_id) WHERE topic = 'webhook_command' AND delivered_at IS NULL;

CREATE TABLE webhook_configurations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- null: the operator's own configuration, which receives alerts
  wallet_id uuid REFERENCES wallets (id),
  network_id uuid REFERENCES networks (id),
  -- receives events of this node and those below only; null: of every payment through the wallet
  node_id uuid REFERENCES nodes (id),
  -- a bare origin
  host text NOT NULL CHECK (length(host) BETWEEN 1 AND 2048),
  success_path text NOT NULL CHECK (length(success_path) BETWEEN 1 AND 512),
  error_path text NOT NULL CHECK (length(error_path) BETWEEN 1 AND 512),
  auth_type text NOT NULL CHECK (auth_type IN ('basic', 'token')),
  -- encrypted with the master key; erased with the configuration
  encrypted_credentials bytea,
  encrypted_signing_secret bytea,
  -- event types beyond those that every configuration receives
  events text[] NOT NULL DEFAULT '{}',
  is_active boolean NOT NULL DEFAULT true,
  disabled_reason text,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- the secret before the last rotation; signs as well until its overlap ends
  previous_encrypted_signing_secret bytea,
  previous_signing_secret_until timestamptz,
  -- since when every attempt has failed; null while attempts succeed
  failing_since timestamptz,
  CHECK ((deleted_at IS NULL) = (encrypted_credentials IS NOT NULL)),
  CHECK ((deleted_at IS NULL) = (encrypted_signing_secret IS NOT NULL)),
  CHECK ((previous_encrypted_signing_secret IS NULL) = (previous_signing_secret_until IS NULL)),
  CHECK ((wallet_id IS NULL) = (network_id IS NULL))
);
CREATE UNIQUE INDEX webhook_configurations_once ON webhook_configurations (wallet_id, network_id, host, node_id)
  NULLS NOT DISTINCT WHERE deleted_at IS NULL;

-- Events with the bytes that are sent. It refers to nothing, as the outbox.
CREATE TABLE webhook_events (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  type text NOT NULL,
  -- null together with checkout_id: a test
  payment_id uuid,
  -- of the payment's log entry, or number of the order's transition
  sequence integer,
  -- the payment or order as it was then; amounts are texts
  snapshot jsonb NOT NULL,
  -- made from it before the first attempt, and sent with each
  body text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  checkout_id uuid,
  CONSTRAINT webhook_events_told CHECK ((coalesce(payment_id, checkout_id) IS NULL) = (sequence IS NULL)
    AND (payment_id IS NULL OR checkout_id IS NULL))
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX webhook_events_once ON webhook_events (payment_id, sequence) WHERE payment_id IS NOT NULL;
CREATE UNIQUE INDEX webhook_events_once_of_checkout ON webhook_events (checkout_id, sequence) WHERE checkout_id IS NOT NULL;
CREATE INDEX webhook_events_of_checkouts_unrendered ON webhook_events (id) WHERE checkout_id IS NOT NULL AND body IS NULL;

-- The progress of each event with each configuration.
CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL,
  -- failed: every attempt of the schedule; skipped: disabled when it was due; canceled: the configuration was deleted
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'skipped', 'canceled')),
  -- attempts since it was last wanted; none yet: the next one is a first attempt
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- results of the last attempts, oldest first
  tries jsonb NOT NULL DEFAULT '[]',
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- it is sent once, whatever its result
  is_test boolean NOT NULL DEFAULT false,
  CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
  CONSTRAINT webhook_deliveries_once UNIQUE (event_id, webhook_id)
) WITH (fillfactor = 60);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
-- a delivery that waits for its first attempt is in one index only, and no retry is read on the way to it
CREATE INDEX webhook_deliveries_first ON webhook_deliveries (webhook_id, id) WHERE state = 'pending' AND attempts = 0;
CREATE INDEX webhook_deliveries_retry ON webhook_deliveries (webhook_id, due_at) WHERE state = 'pending' AND attempts > 0;
-- older tests of a configuration are deleted when there is one more
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (webhook_id, id) WHERE is_test;

-- What an operator must look at. The key keeps one cause from filling the table.
CREATE TABLE alerts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  dedupe_key text NOT NULL,
  kind text NOT NULL,
  network_id uuid REFERENCES networks (id),
  payment_id uuid REFERENCES payments (id),
  message text NOT NULL,
  data jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- whose payment, wallet or webhook it is about; null: the operator's own concern
  node_id uuid REFERENCES nodes (id),
  webhook_id uuid,
  -- true: it ends when its cause is gone, and may come back; false: it happened once and waits for a person
  is_condition boolean NOT NULL DEFAULT false,
  closed_at timestamptz,
  -- the caller that closed it; null where its cause is gone
  closed_by text,
  CHECK (closed_by IS NULL OR closed_at IS NOT NULL)
);
CREATE UNIQUE INDEX alerts_incident_once ON alerts (dedupe_key) WHERE NOT is_condition;
CREATE UNIQUE INDEX alerts_condition_once ON alerts (dedupe_key) WHERE is_condition AND closed_at IS NULL;
CREATE INDEX alerts_list ON alerts (created_at DESC, id DESC);
CREATE INDEX alerts_open ON alerts (created_at DESC, id DESC) WHERE closed_at IS NULL;

-- One row: when the operator's webhook last received a sign of life.
CREATE TABLE alive_turn (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  told_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO alive_turn DEFAULT VALUES;
`;
