import type { Knex } from 'knex';

/** Webhook configurations, rotation of secrets and keys, the audit log, answers to idempotency keys, rate limits. */
export const access = {
  name: '0004-access',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE integrations
  -- the secret before the last rotation, good until its overlap ends
  ADD COLUMN previous_secret_hash bytea CHECK (length(previous_secret_hash) = 32),
  ADD COLUMN previous_secret_until timestamptz,
  ADD CHECK ((previous_secret_hash IS NULL) = (previous_secret_until IS NULL));
CREATE INDEX integrations_list ON integrations (node_id, created_at DESC, id DESC);
CREATE INDEX members_list ON members (node_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX defaults_wallet ON node_network_wallet_defaults (wallet_id);

-- a key is published before it signs, so that whoever keeps the public keys for a while knows it by then
ALTER TABLE token_keys ADD COLUMN signs_from timestamptz NOT NULL DEFAULT clock_timestamp();

-- an adopted wallet's address was given by a client; its diamond must be one of the registry's
ALTER TABLE wallets ADD COLUMN adopted boolean NOT NULL DEFAULT false;

CREATE TABLE webhook_configurations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  wallet_id uuid NOT NULL REFERENCES wallets (id),
  network_id uuid NOT NULL REFERENCES networks (id),
  -- hears only of this node and what is below; null hears of every payment through the wallet
  node_id uuid REFERENCES nodes (id),
  -- a bare origin
  host text NOT NULL CHECK (length(host) BETWEEN 1 AND 2048),
  success_path text NOT NULL CHECK (length(success_path) BETWEEN 1 AND 512),
  error_path text NOT NULL CHECK (length(error_path) BETWEEN 1 AND 512),
  auth_type text NOT NULL CHECK (auth_type IN ('basic', 'token')),
  -- sealed with the master key; erased with the configuration
  sealed_credentials bytea,
  sealed_signing_secret bytea,
  -- event types beyond those that every configuration hears of
  events text[] NOT NULL DEFAULT '{}',
  is_active boolean NOT NULL DEFAULT true,
  disabled_reason text,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((deleted_at IS NULL) = (sealed_credentials IS NOT NULL)),
  CHECK ((deleted_at IS NULL) = (sealed_signing_secret IS NOT NULL))
);
CREATE UNIQUE INDEX webhook_configurations_once ON webhook_configurations (wallet_id, network_id, host, node_id)
  NULLS NOT DISTINCT WHERE deleted_at IS NULL;

-- Who changed what over the API. It refers to nothing, so that it neither costs checks nor stands in anybody's way.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- node of what was changed
  node_id uuid NOT NULL,
  -- an integration's id, or subject and issuer of an outside token; null for the operator's command
  actor_id text,
  actor_node_id uuid,
  action text NOT NULL,
  resource_id uuid NOT NULL,
  -- as the API answers the resource, without secrets
  before jsonb,
  after jsonb,
  address text,
  request_id text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX audit_log_list ON audit_log (node_id, created_at DESC, id DESC);
CREATE INDEX audit_log_resource ON audit_log (resource_id);

CREATE TABLE idempotency_keys (
  actor_id text NOT NULL,
  -- method and path
  target text NOT NULL,
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  status smallint NOT NULL CHECK (status BETWEEN 200 AND 299),
  -- the answer's bytes, sealed with the master key because they may hold secrets
  sealed_answer bytea NOT NULL,
  -- kept at least until this payment has ended
  payment_id uuid,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT idempotency_keys_once PRIMARY KEY (actor_id, target, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Token buckets, each as the time at which it will be full again. Lost in a crash, which only fills the buckets.
CREATE UNLOGGED TABLE rate_limits (
  key text PRIMARY KEY,
  full_at timestamptz NOT NULL
) WITH (fillfactor = 50);
`),
};
