import type { Knex } from 'knex';

/** Payments with their items and logs. Amounts are base units; blocks are those of the payment's own network. */
export const payments = {
  name: '0003-payments',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE payments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  node_id uuid NOT NULL REFERENCES nodes (id),
  external_id text NOT NULL CHECK (length(external_id) BETWEEN 1 AND 255),
  chain_id uuid NOT NULL,
  network_id uuid NOT NULL,
  wallet_id uuid REFERENCES wallets (id),
  member_id uuid,
  currency_id uuid NOT NULL REFERENCES currencies (id),
  -- of the token on this network (web3), else of the currency
  decimals smallint NOT NULL CHECK (decimals BETWEEN 0 AND 36),
  price_units numeric(78, 0) NOT NULL CHECK (price_units > 0),
  paid_price_units numeric(78, 0) NOT NULL CHECK (paid_price_units > 0 AND paid_price_units < 2::numeric ^ 128),
  payment_method text NOT NULL CHECK (payment_method IN ('web3', 'credit_card', 'bank_transfer')),
  payment_group text NOT NULL CHECK (payment_group IN ('product', 'listing_or_subscription')),
  -- lower-case hex for web3, free text else
  payment_address text NOT NULL CHECK (length(payment_address) >= 10),
  metadata text,
  client_ip text,
  retry boolean NOT NULL DEFAULT true,
  retry_count integer NOT NULL DEFAULT 3 CHECK (retry_count BETWEEN 0 AND 10),
  expires_at timestamptz NOT NULL,
  -- expires_at in whole seconds, as the diamond knows it
  expires_unix bigint NOT NULL,

  status text NOT NULL DEFAULT 'pending' CHECK (status IN
    ('pending', 'awaiting_payment', 'processing', 'completed', 'expired', 'canceling', 'canceled', 'failed')),
  status_detail text,
  -- number of log entries; the last one's sequence
  sequence integer NOT NULL DEFAULT 1 CHECK (sequence >= 1),
  -- the createPayment workflow that follows it, once it is known
  workflow_id text,

  deal_id bigint CHECK (deal_id BETWEEN 1 AND 9007199254740991),
  diamond_address text CHECK (diamond_address ~ '^0x[0-9a-f]{40}$'),
  -- null is the native coin
  token_address text CHECK (token_address ~ '^0x[0-9a-f]{40}$'),
  terms_hash text CHECK (terms_hash ~ '^0x[0-9a-f]{64}$'),
  -- which try to create the deal this is, and how many retries were used up
  create_generation integer NOT NULL DEFAULT 1,
  retries_used integer NOT NULL DEFAULT 0,
  cancel_requested_at timestamptz,

  -- what canonical blocks say; cleared when such a block is reorganised away
  deal_tx_hash text, deal_block_number bigint, deal_block_hash text,
  paid_tx_hash text, paid_block_number bigint, paid_block_hash text, payer_address text,
  cancel_tx_hash text, cancel_block_number bigint, cancel_block_hash text,
  conflict_tx_hash text, conflict_block_number bigint, conflict_block_hash text,

  terminal_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),

  FOREIGN KEY (network_id, chain_id) REFERENCES networks (id, chain_id),
  FOREIGN KEY (member_id, node_id) REFERENCES members (id, node_id),
  CONSTRAINT payments_external_id UNIQUE (node_id, external_id),
  CONSTRAINT payments_deal UNIQUE (network_id, diamond_address, deal_id),
  CHECK ((payment_method = 'web3') =
    (wallet_id IS NOT NULL AND deal_id IS NOT NULL AND diamond_address IS NOT NULL AND terms_hash IS NOT NULL)),
  CHECK (payment_method <> 'web3' OR payment_address ~ '^0x[0-9a-f]{40}$'),
  CHECK ((deal_block_number IS NULL) = (deal_tx_hash IS NULL)),
  CHECK ((paid_block_number IS NULL) = (paid_tx_hash IS NULL)),
  CHECK ((terminal_at IS NOT NULL) = (status IN ('completed', 'expired', 'canceled', 'failed')))
) WITH (fillfactor = 60);
CREATE INDEX payments_list ON payments (node_id, created_at DESC, id DESC);
-- what a node may have only so many of
CREATE INDEX payments_open ON payments (node_id)
  WHERE status IN ('pending', 'awaiting_payment', 'processing', 'canceling');
CREATE INDEX payments_member ON payments (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX payments_wallet ON payments (wallet_id) WHERE wallet_id IS NOT NULL;
-- what a watcher looks for in every block
CREATE INDEX payments_open_expiry ON payments (network_id, expires_unix)
  WHERE status IN ('pending', 'awaiting_payment', 'canceling') AND payment_method = 'web3';
CREATE INDEX payments_pending_deal ON payments (network_id, deal_block_number)
  WHERE status = 'pending' AND deal_block_number IS NOT NULL;
CREATE INDEX payments_processing ON payments (network_id, paid_block_number) WHERE status = 'processing';
CREATE INDEX payments_paid_open ON payments (network_id, paid_block_number)
  WHERE paid_block_number IS NOT NULL AND status IN ('pending', 'awaiting_payment', 'canceling');
CREATE INDEX payments_offchain_expiry ON payments (expires_unix) WHERE status = 'pending' AND payment_method <> 'web3';

CREATE TABLE payment_items (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  payment_id uuid NOT NULL REFERENCES payments (id),
  position integer NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  price_units numeric(78, 0) NOT NULL CHECK (price_units >= 0),
  external_id text CHECK (length(external_id) BETWEEN 1 AND 255),
  UNIQUE (payment_id, position)
);

CREATE TABLE payment_logs (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  payment_id uuid NOT NULL REFERENCES payments (id),
  sequence integer NOT NULL,
  event_type text NOT NULL,
  -- the status after this entry
  status text NOT NULL,
  message text NOT NULL,
  actor_type text NOT NULL CHECK (actor_type IN ('integration', 'buyer', 'chain', 'system', 'operator')),
  actor_id text,
  data jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (payment_id, sequence)
);

CREATE TABLE tx_slots (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES signer_accounts (id),
  nonce bigint NOT NULL CHECK (nonce >= 0),
  to_address text NOT NULL CHECK (to_address ~ '^0x[0-9a-f]{40}$'),
  data bytea NOT NULL,
  value numeric(78, 0) NOT NULL DEFAULT 0,
  gas_limit bigint NOT NULL CHECK (gas_limit > 0),
  -- assigned: a nonce and call data; signed: bytes are stored, possibly sent; mined; confirmed at depth
  state text NOT NULL DEFAULT 'assigned' CHECK (state IN ('assigned', 'signed', 'mined', 'confirmed')),
  tx_hash text, block_number bigint, block_hash text,
  receipt_status smallint, gas_used bigint, effective_gas_price numeric(78, 0),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  confirmed_at timestamptz,
  UNIQUE (account_id, nonce),
  CHECK ((state IN ('mined', 'confirmed')) = (block_number IS NOT NULL))
);
CREATE INDEX tx_slots_open ON tx_slots (account_id, nonce) WHERE state <> 'confirmed';

CREATE TABLE tx_attempts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  slot_id uuid NOT NULL REFERENCES tx_slots (id),
  seq integer NOT NULL,
  tx_hash text NOT NULL UNIQUE CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'),
  raw bytea NOT NULL,
  max_fee_per_gas numeric(78, 0) NOT NULL,
  max_priority_fee_per_gas numeric(78, 0) NOT NULL,
  sends integer NOT NULL DEFAULT 0,
  last_sent_at timestamptz,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (slot_id, seq)
);

CREATE TABLE tx_intents (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  idempotency_key text NOT NULL UNIQUE,
  account_id uuid NOT NULL REFERENCES signer_accounts (id),
  purpose text NOT NULL CHECK (purpose IN ('create_deal', 'cancel_deal', 'deploy_facet', 'create_diamond', 'diamond_cut')),
  payment_id uuid REFERENCES payments (id),
  step_id uuid REFERENCES deployment_steps (id),
  -- for deployments: the call as it will be sent
  to_address text CHECK (to_address ~ '^0x[0-9a-f]{40}$'),
  data bytea,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'assigned', 'settled', 'withdrawn')),
  -- effective: what was wanted is on the chain; no_effect: mined without it; conflict: the id has other terms
  outcome text CHECK (outcome IN ('effective', 'no_effect', 'conflict')),
  slot_id uuid REFERENCES tx_slots (id),
  -- why it still waits, as a simulation told
  waiting text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  assigned_at timestamptz,
  settled_at timestamptz,
  CHECK (state <> 'assigned' OR slot_id IS NOT NULL),
  CHECK (state NOT IN ('queued', 'withdrawn') OR slot_id IS NULL),
  CHECK ((state = 'settled') = (outcome IS NOT NULL)),
  CHECK ((purpose IN ('create_deal', 'cancel_deal')) = (payment_id IS NOT NULL)),
  CHECK ((purpose IN ('create_deal', 'cancel_deal')) = (step_id IS NULL)),
  CHECK ((step_id IS NOT NULL) = (to_address IS NOT NULL AND data IS NOT NULL))
) WITH (fillfactor = 60);
CREATE INDEX tx_intents_queued ON tx_intents (account_id, id) WHERE state = 'queued';
CREATE INDEX tx_intents_slot ON tx_intents (slot_id) WHERE slot_id IS NOT NULL;
CREATE INDEX tx_intents_payment ON tx_intents (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX tx_intents_step ON tx_intents (step_id) WHERE step_id IS NOT NULL;

CREATE TABLE block_headers (
  network_id uuid NOT NULL REFERENCES networks (id),
  number bigint NOT NULL,
  hash text NOT NULL,
  parent_hash text NOT NULL,
  -- Unix seconds
  timestamp bigint NOT NULL,
  PRIMARY KEY (network_id, number)
);

-- Where each network's watcher stands. Everything up to the block has been read and written down.
CREATE TABLE watch_cursors (
  network_id uuid PRIMARY KEY REFERENCES networks (id),
  number bigint,
  hash text,
  -- newest block with the network's confirmations on which the quorum agrees
  confirmed_number bigint,
  fence bigint NOT NULL DEFAULT 0,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'halted')),
  status_detail text,
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((number IS NULL) = (hash IS NULL))
);

-- What an operator must look at. The key keeps one cause from filling the table.
CREATE TABLE alerts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  dedupe_key text NOT NULL UNIQUE,
  kind text NOT NULL,
  network_id uuid REFERENCES networks (id),
  payment_id uuid REFERENCES payments (id),
  message text NOT NULL,
  data jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What Temporal is to be told, written with the change it tells of.
CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic text NOT NULL CHECK (topic IN ('create_payment', 'payment_signal', 'diamond')),
  -- commands of one group go along in one dispatch
  group_key text NOT NULL,
  -- fixed before the first dispatch, so that a repeated one names the same workflow
  workflow_id text,
  payment_id uuid REFERENCES payments (id),
  payload jsonb NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  delivered_at timestamptz,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX outbox_due ON outbox (topic, group_key, id) WHERE delivered_at IS NULL;
CREATE INDEX outbox_workflow ON outbox (workflow_id) WHERE delivered_at IS NULL AND workflow_id IS NOT NULL;
CREATE INDEX outbox_payment ON outbox (payment_id) WHERE payment_id IS NOT NULL;
`),
};
