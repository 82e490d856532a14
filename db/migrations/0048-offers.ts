import type { Knex } from 'knex';

/** Deals that signers offer by signatures, instead of creating them by transactions. */
export const offers = {
  name: '0048-offers',
  up: (knex: Knex) =>
    knex.raw(`
-- how the deals of a wallet's new payments come about, by the id of the network; absent: created
ALTER TABLE wallets ADD COLUMN deal_modes jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(deal_modes) = 'object');

ALTER TABLE payments
  ADD COLUMN deal_mode text NOT NULL DEFAULT 'created' CHECK (deal_mode IN ('created', 'offered')),
  -- a merchant asked for a cancel on the chain, without waiting for the end of a revealed offer
  ADD COLUMN cancel_on_chain boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT payments_offered CHECK (deal_mode = 'created' OR payment_method = 'web3');
CREATE INDEX payments_offers_open ON payments (network_id)
  WHERE deal_mode = 'offered' AND status IN ('pending', 'awaiting_payment', 'processing', 'canceling');
CREATE INDEX payments_canceling_offers ON payments (network_id) WHERE deal_mode = 'offered' AND status = 'canceling';

-- ends of the offers of a payment, in Unix seconds; not in its own row, because every change of that writes into twenty indexes
CREATE TABLE offer_ends (
  payment_id uuid PRIMARY KEY REFERENCES payments (id),
  network_id uuid NOT NULL REFERENCES networks (id),
  -- somebody needs offers up to this
  wanted_until bigint NOT NULL,
  -- they are signed and stored up to this
  signed_until bigint NOT NULL DEFAULT 0,
  -- the last one that was shown to somebody; null: none
  revealed_until bigint
) WITH (fillfactor = 70);
CREATE INDEX offer_ends_unsigned ON offer_ends (network_id, payment_id) WHERE signed_until < wanted_until;

-- an offered id has one set of terms for ever: a buyer with an old offer can pay those terms and no others
CREATE FUNCTION keep_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the terms of payment % never change', OLD.id USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER payments_keep_terms BEFORE UPDATE OF network_id, diamond_address, deal_id, token_address, payment_address,
  paid_price_units, expires_unix, terms_hash, deal_mode ON payments FOR EACH ROW
  WHEN ('offered' IN (OLD.deal_mode, NEW.deal_mode) AND (OLD.network_id, OLD.diamond_address, OLD.deal_id, OLD.token_address, OLD.payment_address, OLD.paid_price_units,
      OLD.expires_unix, OLD.terms_hash, OLD.deal_mode) IS DISTINCT FROM
    (NEW.network_id, NEW.diamond_address, NEW.deal_id, NEW.token_address, NEW.payment_address, NEW.paid_price_units,
      NEW.expires_unix, NEW.terms_hash, NEW.deal_mode))
  EXECUTE FUNCTION keep_terms();

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

-- another value after a restore, a failover and any start of the server: then a reveal may be missing
CREATE FUNCTION database_identity() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('/', extract(epoch FROM pg_postmaster_start_time()), (SELECT oid FROM pg_database WHERE datname = current_database()),
    'payments'::regclass::oid, pg_relation_filenode('payments'::regclass))
$$;`),
};
