import type { Knex } from 'knex';

/** Orders whose buyer chooses how to pay, and the payments that the choices make. */
export const checkouts = {
  name: '0056-checkouts',
  up: (knex: Knex) =>
    knex.raw(`
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
-- what a node may have only so many of
CREATE INDEX checkouts_open ON checkouts (node_id) WHERE status = 'open';
CREATE INDEX checkouts_expiry ON checkouts (expires_unix) WHERE status IN ('open', 'chosen');
CREATE INDEX checkouts_member ON checkouts (member_id) WHERE member_id IS NOT NULL;

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

ALTER TABLE payments
  ADD COLUMN checkout_id uuid REFERENCES checkouts (id),
  -- counted from 1, in the order of the choices
  ADD COLUMN choice smallint,
  -- of the option that was chosen
  ADD COLUMN option_index smallint,
  -- a former choice of its order may still be paid: this one is neither created nor offered. Never set again once it is false
  ADD COLUMN is_blocked boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT payments_choice CHECK ((checkout_id IS NULL) = (choice IS NULL) AND (checkout_id IS NULL) = (option_index IS NULL)
    AND (checkout_id IS NOT NULL OR NOT is_blocked));
CREATE UNIQUE INDEX payments_choices ON payments (checkout_id, choice) WHERE checkout_id IS NOT NULL;
-- at no instant are two payments of one order payable
CREATE UNIQUE INDEX payments_one_payable ON payments (checkout_id)
  WHERE checkout_id IS NOT NULL AND NOT is_blocked AND terminal_at IS NULL;

CREATE FUNCTION keep_blocked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the choice that payment % is never changes', OLD.id USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER payments_keep_choice BEFORE UPDATE OF checkout_id, choice, option_index, is_blocked ON payments FOR EACH ROW
  WHEN ((OLD.checkout_id, OLD.choice, OLD.option_index) IS DISTINCT FROM (NEW.checkout_id, NEW.choice, NEW.option_index)
    OR (NEW.is_blocked AND NOT OLD.is_blocked))
  EXECUTE FUNCTION keep_blocked();

-- a process that does not know of choices cannot create the deal of one that waits
CREATE FUNCTION refuse_blocked_deals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM payments p WHERE p.id = NEW.payment_id AND p.is_blocked) THEN
    RAISE EXCEPTION 'payment % waits for a former choice of its order', NEW.payment_id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER offers_of_payable BEFORE INSERT OR UPDATE ON offers FOR EACH ROW EXECUTE FUNCTION refuse_blocked_deals();
CREATE TRIGGER creates_of_payable BEFORE INSERT ON tx_intents FOR EACH ROW WHEN (NEW.purpose = 'create_deal')
  EXECUTE FUNCTION refuse_blocked_deals();

-- what a statement tells of an order: sequence numbers the transitions of the checkout
ALTER TABLE webhook_events
  ADD COLUMN checkout_id uuid,
  DROP CONSTRAINT webhook_events_check,
  ADD CONSTRAINT webhook_events_told CHECK ((coalesce(payment_id, checkout_id) IS NULL) = (sequence IS NULL)
    AND (payment_id IS NULL OR checkout_id IS NULL));
CREATE UNIQUE INDEX webhook_events_once_of_checkout ON webhook_events (checkout_id, sequence) WHERE checkout_id IS NOT NULL;
CREATE INDEX webhook_events_of_checkouts_unrendered ON webhook_events (id) WHERE checkout_id IS NOT NULL AND body IS NULL;`),
};
