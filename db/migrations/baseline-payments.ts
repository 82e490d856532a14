import { hex } from './hex.ts';

/** Orders and payments. Amounts are base units; blocks are those of the payment's own network. */
export const payments = `
-- Orders whose buyer chooses how to pay.
CREATE TABLE checkouts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  node_id uuid NOT NULL REFERENCES nodes (id),
  external_id text NOT NULL CHECK (length(external_id) BETWEEN 1 AND 255),
  payment_group text NOT NULL CHECK (payment_group IN ('product', 'listing_or_subscription')),
  -- lower-case hex; null: the payout lock of each option decides
  payment_address text CHECK (payment_address ~ '^0x[0-9a-f]{40}$'),
  metadata text,
  member_id uuid,
  success_url text,
  cancel_url text,
  locale text,
  on_chain_cancel boolean NOT NULL DEFAULT false,
  -- name, price as a decimal text, external_id
  items jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(items) = 'array'),
  expires_at timestamptz NOT NULL,
  expires_unix bigint NOT NULL,

  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'chosen', 'completed', 'expired', 'canceled')),
  -- counts the transitions
  sequence integer NOT NULL DEFAULT 1 CHECK (sequence >= 1),
  -- the number of the last choice
  choices integer NOT NULL DEFAULT 0 CHECK (choices >= 0),
  cancel_requested_at timestamptz,
  terminal_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),

  FOREIGN KEY (member_id, node_id) REFERENCES members (id, node_id),
  CONSTRAINT checkouts_external_id UNIQUE (node_id, external_id),
  CHECK ((terminal_at IS NOT NULL) = (status IN ('completed', 'expired', 'canceled')))
) WITH (fillfactor = 70);
CREATE INDEX checkouts_list ON checkouts (node_id, created_at DESC, id DESC);
CREATE INDEX checkouts_expiry ON checkouts (expires_unix) WHERE status IN ('open', 'chosen');
CREATE INDEX checkouts_member ON checkouts (member_id) WHERE member_id IS NOT NULL;
-- lists of one status read no orders of others, and neither does the count of open ones, which is limited
CREATE INDEX checkouts_status ON checkouts (node_id, status, created_at, id);

CREATE TABLE checkout_options (
  checkout_id uuid NOT NULL REFERENCES checkouts (id),
  -- counted from 0, as buyers name them
  index smallint NOT NULL CHECK (index BETWEEN 0 AND 19),
  network_id uuid NOT NULL REFERENCES networks (id),
  wallet_id uuid NOT NULL REFERENCES wallets (id),
  currency_id uuid NOT NULL REFERENCES currencies (id),
  -- of the token on this network
  decimals smallint NOT NULL CHECK (decimals BETWEEN 0 AND 36),
  price_units numeric(78, 0) NOT NULL CHECK (price_units > 0),
  paid_price_units numeric(78, 0) NOT NULL CHECK (paid_price_units > 0 AND paid_price_units < 2::numeric ^ 128),
  -- the payee at the creation of the order, lower-case hex
  payment_address text NOT NULL CHECK (payment_address ~ '^0x[0-9a-f]{40}$'),
  PRIMARY KEY (checkout_id, index)
);
CREATE INDEX checkout_options_wallet ON checkout_options (wallet_id, network_id);

CREATE TABLE payments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- this key is checked first, and waits for a payout lock that is being set
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
  -- expires_at in whole seconds, as the diamond has it
  expires_unix bigint NOT NULL,

  status text NOT NULL DEFAULT 'pending' CHECK (status IN
    ('pending', 'awaiting_payment', 'processing', 'completed', 'expired', 'canceling', 'canceled', 'failed')),
  status_detail text,
  -- number of log entries; the last one's sequence
  sequence integer NOT NULL DEFAULT 1 CHECK (sequence >= 1),
  -- the createPayment workflow that follows it, once it is known
  workflow_id text,

  deal_id bigint CHECK (deal_id BETWEEN 1 AND 9007199254740991),
  diamond_address text CHECK (${hex('diamond_address', 40)}),
  -- null is the native coin
  token_address text CHECK (${hex('token_address', 40)}),
  terms_hash text CHECK (${hex('terms_hash', 64)}),
  -- number of the present try to create the deal, and of the retries that were used up
  create_generation integer NOT NULL DEFAULT 1,
  retries_used integer NOT NULL DEFAULT 0,
  cancel_requested_at timestamptz,

  -- as canonical blocks have it; cleared when a reorganisation removes such a block. A log that too few endpoints return shows that
  -- something happened in a block, and not by which transaction: then the hash of the transaction is null
  deal_tx_hash text, deal_block_number bigint, deal_block_hash text,
  paid_tx_hash text, paid_block_number bigint, paid_block_hash text, payer_address text,
  cancel_tx_hash text, cancel_block_number bigint, cancel_block_hash text,
  conflict_tx_hash text, conflict_block_number bigint, conflict_block_hash text,

  terminal_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),

  -- since when the payment that merchants know of is in no block
  reversed_at timestamptz,
  -- timestamp of the block of the buyer's transaction
  paid_at timestamptz,
  deal_mode text NOT NULL DEFAULT 'created' CHECK (deal_mode IN ('created', 'offered')),
  -- a merchant asked for a cancel on the chain, without waiting for the end of a revealed offer
  cancel_on_chain boolean NOT NULL DEFAULT false,
  -- links and language of the page on which the buyer pays
  success_url text,
  cancel_url text,
  locale text,
  checkout_id uuid,
  -- counted from 1, in the order of the choices
  choice smallint,
  -- of the option that was chosen
  option_index smallint,
  -- a former choice of its order may still be paid: this one is neither created nor offered. Never set again once it is false
  is_blocked boolean NOT NULL DEFAULT false,

  FOREIGN KEY (network_id, chain_id) REFERENCES networks (id, chain_id),
  FOREIGN KEY (member_id, node_id) REFERENCES members (id, node_id),
  FOREIGN KEY (checkout_id) REFERENCES checkouts (id),
  CONSTRAINT payments_external_id UNIQUE (node_id, external_id),
  CONSTRAINT payments_deal UNIQUE (network_id, diamond_address, deal_id),
  CHECK ((payment_method = 'web3') =
    (wallet_id IS NOT NULL AND deal_id IS NOT NULL AND diamond_address IS NOT NULL AND terms_hash IS NOT NULL)),
  CHECK (payment_method <> 'web3' OR (${hex('payment_address', 40)})),
  CHECK (deal_tx_hash IS NULL OR deal_block_number IS NOT NULL),
  CHECK (paid_tx_hash IS NULL OR paid_block_number IS NOT NULL),
  CHECK ((terminal_at IS NOT NULL) = (status IN ('completed', 'expired', 'canceled', 'failed'))),
  CONSTRAINT payments_offered CHECK (deal_mode = 'created' OR payment_method = 'web3'),
  CONSTRAINT payments_choice CHECK ((checkout_id IS NULL) = (choice IS NULL) AND (checkout_id IS NULL) = (option_index IS NULL)
    AND (checkout_id IS NOT NULL OR NOT is_blocked))
) WITH (fillfactor = 60);
-- not valid, as older databases have them: nobody scanned the table for columns that were new
ALTER TABLE payments
  ADD CONSTRAINT payments_success_url CHECK (length(success_url) <= 2048) NOT VALID,
  ADD CONSTRAINT payments_cancel_url CHECK (length(cancel_url) <= 2048) NOT VALID,
  ADD CONSTRAINT payments_locale CHECK (length(locale) <= 35) NOT VALID;

CREATE INDEX payments_list ON payments (node_id, created_at DESC, id DESC);
CREATE INDEX payments_member ON payments (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX payments_wallet ON payments (wallet_id) WHERE wallet_id IS NOT NULL;
-- what a watcher looks for in every block
CREATE INDEX payments_open_expiry ON payments (network_id, expires_unix)
  WHERE status IN ('pending', 'awaiting_payment', 'canceling') AND payment_method = 'web3';
CREATE INDEX payments_pending_deal ON payments (network_id, deal_block_number)
  WHERE status = 'pending' AND deal_block_number IS NOT NULL;
CREATE INDEX payments_processing ON payments (network_id, paid_block_number) WHERE status = 'processing';
CREATE INDEX payments_offchain_expiry ON payments (expires_unix) WHERE status = 'pending' AND payment_method <> 'web3';
-- what a reorganisation removes; without the status, so that no index of all open payments can be taken for it
CREATE INDEX payments_deal_block ON payments (network_id, deal_block_number)
  WHERE terminal_at IS NULL AND deal_block_number IS NOT NULL;
CREATE INDEX payments_completed_block ON payments (network_id, paid_block_number) WHERE status = 'completed';
CREATE INDEX payments_conflict_block ON payments (network_id, conflict_block_number)
  WHERE terminal_at IS NULL AND conflict_block_number IS NOT NULL;
CREATE INDEX payments_cancel_block ON payments (network_id, cancel_block_number)
  WHERE terminal_at IS NULL AND cancel_block_number IS NOT NULL;
CREATE INDEX payments_paid_block ON payments (network_id, paid_block_number)
  WHERE terminal_at IS NULL AND paid_block_number IS NOT NULL;
-- the watcher asks for each of these in every block; mostly there is none
CREATE INDEX payments_reversed ON payments (network_id) WHERE reversed_at IS NOT NULL;
CREATE INDEX payments_lost_deal ON payments (network_id)
  WHERE status = 'awaiting_payment' AND deal_block_number IS NULL;
-- a merchant's books: by completion, by change, by transaction; one transaction creates the deals of many payments
CREATE INDEX payments_completed ON payments (node_id, terminal_at, created_at) WHERE status = 'completed';
CREATE INDEX payments_updated ON payments (node_id, updated_at);
CREATE INDEX payments_paid_tx ON payments (paid_tx_hash) WHERE paid_tx_hash IS NOT NULL;
CREATE INDEX payments_deal_tx ON payments (deal_tx_hash) WHERE deal_tx_hash IS NOT NULL;
CREATE INDEX payments_unread_words ON payments (network_id) WHERE status_detail = 'words_unreadable';
-- what a reorganisation removes of ended payments, also where only the word of the deal showed the payment
CREATE INDEX payments_paid_after_end ON payments (network_id, paid_block_number)
  WHERE status IN ('expired', 'canceled', 'failed') AND paid_block_number IS NOT NULL;
-- ended unpaid, by the time after which they can not be paid any more
CREATE INDEX payments_ended_unpaid ON payments (network_id, expires_unix)
  WHERE payment_method = 'web3' AND status IN ('expired', 'canceled', 'failed');
-- Lists of one status read no payments of others. A new payment is in one of both; one that ends unpaid is added to one more.
CREATE INDEX payments_open ON payments (node_id, created_at, id)
  WHERE status IN ('pending', 'awaiting_payment', 'processing', 'canceling');
CREATE INDEX payments_unpaid ON payments (node_id, status, created_at, id)
  WHERE status IN ('expired', 'canceled', 'failed');
CREATE INDEX payments_offers_open ON payments (network_id)
  WHERE deal_mode = 'offered' AND status IN ('pending', 'awaiting_payment', 'processing', 'canceling');
CREATE INDEX payments_canceling_offers ON payments (network_id) WHERE deal_mode = 'offered' AND status = 'canceling';
-- offered payments that show why they have no offer
CREATE INDEX payments_offers_waiting ON payments (network_id)
  WHERE deal_mode = 'offered' AND status_detail IS NOT NULL AND status IN ('pending', 'awaiting_payment');
CREATE UNIQUE INDEX payments_choices ON payments (checkout_id, choice) WHERE checkout_id IS NOT NULL;
-- at no instant are two payments of one order payable
CREATE UNIQUE INDEX payments_one_payable ON payments (checkout_id)
  WHERE checkout_id IS NOT NULL AND NOT is_blocked AND terminal_at IS NULL;

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

-- Why payments waited.
CREATE TABLE payment_waits (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  payment_id uuid NOT NULL REFERENCES payments (id),
  event_type text NOT NULL CHECK (event_type IN ('waiting_started', 'waiting_ended')),
  reason text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX payment_waits_payment ON payment_waits (payment_id);

-- Workflows that receive every transition of a payment, beside the one that follows it from its creation.
CREATE TABLE payment_followers (
  payment_id uuid NOT NULL REFERENCES payments (id),
  workflow_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (payment_id, workflow_id)
);
`;
