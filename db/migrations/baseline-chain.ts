import { hex } from './hex.ts';

/** What brings each transaction onto its chain exactly once, what watchers have read of it, and offers. */
export const chain = `
CREATE TABLE tx_slots (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES signer_accounts (id),
  nonce bigint NOT NULL CHECK (nonce >= 0),
  to_address text NOT NULL CHECK (${hex('to_address', 40)}),
  data bytea NOT NULL,
  value numeric(78, 0) NOT NULL DEFAULT 0,
  gas_limit bigint NOT NULL CHECK (gas_limit > 0),
  -- assigned: a nonce and call data; signed: bytes are stored, possibly sent; mined; confirmed at depth
  state text NOT NULL DEFAULT 'assigned' CHECK (state IN ('assigned', 'signed', 'mined', 'confirmed')),
  tx_hash text, block_number bigint, block_hash text,
  receipt_status smallint, gas_used bigint, effective_gas_price numeric(78, 0),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  confirmed_at timestamptz,
  -- since when a new attempt with higher fees is wanted; null once there is one
  nudged_at timestamptz,
  UNIQUE (account_id, nonce),
  CHECK ((state IN ('mined', 'confirmed')) = (block_number IS NOT NULL))
);
CREATE INDEX tx_slots_open ON tx_slots (account_id, nonce) WHERE state <> 'confirmed';
-- what a reorganisation removes
CREATE INDEX tx_slots_block ON tx_slots (account_id, block_number) WHERE block_number IS NOT NULL;

-- Written once for a slot, however many payments it serves. It refers to nothing, as the outbox.
CREATE TABLE tx_slot_logs (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  slot_id uuid NOT NULL,
  event_type text NOT NULL CHECK (event_type IN ('transaction_sent', 'transaction_bumped', 'transaction_mined',
    'transaction_confirmed', 'transaction_reorged')),
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX tx_slot_logs_slot ON tx_slot_logs (slot_id);

CREATE TABLE tx_attempts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  slot_id uuid NOT NULL REFERENCES tx_slots (id),
  seq integer NOT NULL,
  tx_hash text NOT NULL UNIQUE CHECK (${hex('tx_hash', 64)}),
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
  to_address text CHECK (${hex('to_address', 40)}),
  data bytea,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'assigned', 'settled', 'withdrawn')),
  -- effective: the wanted effect is on the chain; no_effect: mined without it; conflict: the id has other terms
  outcome text CHECK (outcome IN ('effective', 'no_effect', 'conflict')),
  slot_id uuid REFERENCES tx_slots (id),
  -- why it still waits, by a simulation
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
-- cancels go before everything else in the queue
CREATE INDEX tx_intents_queued_cancels ON tx_intents (account_id, id)
  WHERE state = 'queued' AND purpose = 'cancel_deal';

CREATE TABLE block_headers (
  network_id uuid NOT NULL REFERENCES networks (id),
  number bigint NOT NULL,
  hash text NOT NULL,
  parent_hash text NOT NULL,
  -- Unix seconds
  timestamp bigint NOT NULL,
  PRIMARY KEY (network_id, number)
);

-- Where each network's watcher stands. Everything up to the block has been read and stored.
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
  -- the diamond and the token whose balance the watcher read last; null where it begins anew
  stray_diamond text,
  stray_token text,
  -- true from the mark of a restore on, until the watcher has read all blocks that the network had at the mark
  is_behind_restore boolean NOT NULL DEFAULT false,
  CHECK ((number IS NULL) = (hash IS NULL))
);

-- When the watcher of each network reached the head of its chain last, and since when that is the same block.
CREATE TABLE network_looks (
  network_id uuid PRIMARY KEY REFERENCES networks (id),
  number bigint,
  looked_at timestamptz NOT NULL,
  risen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Tokens that a plain transfer has put on a diamond.
CREATE TABLE stray_tokens (
  network_id uuid NOT NULL REFERENCES networks (id),
  token text NOT NULL,
  diamond text NOT NULL,
  units numeric(78, 0) NOT NULL CHECK (units > 0),
  -- when the watcher saw the first of them, or more than before
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (network_id, token, diamond)
);

-- Ends of the offers of a payment, in Unix seconds. Not in the payment's own row, because every change of that writes into twenty indexes.
CREATE TABLE offer_ends (
  payment_id uuid PRIMARY KEY REFERENCES payments (id),
  network_id uuid NOT NULL REFERENCES networks (id),
  -- offers are wanted up to this
  wanted_until bigint NOT NULL,
  -- they are signed and stored up to this
  signed_until bigint NOT NULL DEFAULT 0,
  -- the last one that was shown; null: none
  revealed_until bigint
) WITH (fillfactor = 70);
CREATE INDEX offer_ends_unsigned ON offer_ends (network_id, payment_id) WHERE signed_until < wanted_until;

CREATE TABLE offers (
  payment_id uuid NOT NULL REFERENCES payments (id),
  -- Unix seconds, exclusive
  valid_until bigint NOT NULL,
  account_id uuid NOT NULL REFERENCES signer_accounts (id),
  -- the signature, under the master key
  encrypted bytea NOT NULL,
  PRIMARY KEY (payment_id, valid_until)
);
CREATE INDEX offers_over ON offers (valid_until);
CREATE INDEX offers_of_account ON offers (account_id);

CREATE TABLE offer_windows (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- of one offer
  seconds integer NOT NULL DEFAULT 900 CHECK (seconds BETWEEN 2 AND 86400 AND seconds % 2 = 0),
  -- the longest that was ever in use
  longest integer NOT NULL DEFAULT 900,
  -- of the database whose record of revealed offers is complete
  database text
);
INSERT INTO offer_windows DEFAULT VALUES;

-- The result of the last run that signed the offers of a network: the next run knows it, and its silence is noticed.
CREATE TABLE offer_looks (
  network_id uuid PRIMARY KEY REFERENCES networks (id),
  -- the registry, at the last read
  is_paused boolean,
  -- when a run last knew the registry and had signed everything
  looked_at timestamptz
) WITH (fillfactor = 50);

-- Another value after a restore, a failover and any start of the server: then a reveal may be missing.
CREATE FUNCTION database_identity() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('/', extract(epoch FROM pg_postmaster_start_time()), (SELECT oid FROM pg_database WHERE datname = current_database()),
    'payments'::regclass::oid, pg_relation_filenode('payments'::regclass))
$$;

-- Marks of databases that were restored while the chains went on.
CREATE TABLE restores (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- null: restored by other means than carat restore
  backup_id uuid,
  -- when the restored state was current; null: unknown
  state_of timestamptz,
  marked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- the transactions of all lanes are counted; null: not yet
  counted_at timestamptz
);

-- How far each lane may go on by itself behind a mark.
CREATE TABLE restored_lanes (
  restore_id uuid NOT NULL REFERENCES restores (id),
  account_id uuid NOT NULL REFERENCES signer_accounts (id),
  -- next nonce as the quorum counted it at the mark
  nonce bigint NOT NULL,
  -- the first block that may contain a transaction that the database does not know
  from_block bigint NOT NULL,
  -- null: the lane has not been judged yet, and may go on by itself
  outcome text CHECK (outcome IN ('unneeded', 'resumed', 'paused', 'superseded')),
  ended_at timestamptz,
  PRIMARY KEY (restore_id, account_id)
);
CREATE UNIQUE INDEX restored_lanes_open ON restored_lanes (account_id) WHERE outcome IS NULL;
`;
