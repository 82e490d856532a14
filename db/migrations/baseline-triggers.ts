/** Rules that the database itself keeps, whatever version or program writes a payment. */
export const triggers = `
-- Many statements write why a payment waits; the trigger stores each reason, and signals the workflows that follow the payment.
-- A transition signals its followers by itself.
CREATE FUNCTION payment_waits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ended text := CASE WHEN OLD.status IN ('pending', 'canceling') THEN nullif(OLD.status_detail, 'payment_not_borne_out') END;
  started text := CASE WHEN NEW.status IN ('pending', 'canceling') THEN nullif(NEW.status_detail, 'payment_not_borne_out') END;
BEGIN
  IF started IS NOT DISTINCT FROM ended THEN RETURN NULL; END IF;
  INSERT INTO payment_waits (payment_id, event_type, reason, created_at)
  SELECT NEW.id, event_type, reason, NEW.updated_at
  FROM (VALUES ('waiting_ended', ended), ('waiting_started', started)) entry (event_type, reason) WHERE reason IS NOT NULL;
  IF NEW.sequence = OLD.sequence THEN
    INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
    SELECT 'payment_signal', NEW.network_id, follower.workflow_id, NEW.id, jsonb_build_object(
      'payment_id', NEW.id, 'sequence', NULL, 'status', NEW.status, 'status_detail', started, 'transaction_hash', NULL,
      'block_number', NULL, 'block_hash', NULL,
      'event_type', CASE WHEN started IS NULL THEN 'waiting_ended' ELSE 'waiting_started' END,
      'at', to_char(NEW.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    FROM (SELECT NULL AS workflow_id
      UNION ALL SELECT f.workflow_id FROM payment_followers f WHERE f.payment_id = NEW.id) follower;
    PERFORM pg_notify('carat_outbox', '');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payment_waits_at_first AFTER INSERT ON payments FOR EACH ROW
  WHEN (NEW.status_detail IS NOT NULL) EXECUTE FUNCTION payment_waits();
CREATE TRIGGER payment_waits_changed AFTER UPDATE ON payments FOR EACH ROW
  WHEN (OLD.status_detail IS DISTINCT FROM NEW.status_detail) EXECUTE FUNCTION payment_waits();

-- Notifies open pages of changes that are no transitions: why a payment waits, and whether its deal is in a block. A transition
-- notifies them by itself, many payments at once.
CREATE FUNCTION tell_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('carat_pages', NEW.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER payments_tell_pages AFTER UPDATE ON payments FOR EACH ROW
  WHEN (OLD.sequence = NEW.sequence AND (OLD.status_detail IS DISTINCT FROM NEW.status_detail
    OR NEW.status = 'awaiting_payment' AND (OLD.deal_block_number IS NULL) <> (NEW.deal_block_number IS NULL)))
  EXECUTE FUNCTION tell_pages();

-- Refuses a payment that a payout lock forbids. Setting a payout lock waits for inserts under way. Later inserts wait on the row lock of
-- their node, by their foreign key, and this volatile function then reads the committed payout lock.
CREATE FUNCTION payments_obey_payout_locks() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM payouts WHERE locked) AND EXISTS (
    SELECT 1 FROM added a JOIN nodes n ON n.id = a.node_id
    WHERE a.payment_method = 'web3' AND a.payment_address <> (
      -- of several locks the one nearest the root decides
      SELECT p.address FROM payouts p WHERE p.chain_id = a.chain_id AND p.node_id = ANY (n.path) AND p.locked
      ORDER BY array_position(n.path, p.node_id) LIMIT 1)
  ) THEN
    RAISE EXCEPTION 'a payout lock forbids the payee'
      USING ERRCODE = 'check_violation', TABLE = 'payments', CONSTRAINT = 'payments_payout_lock';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payments_payout_lock AFTER INSERT ON payments REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION payments_obey_payout_locks();

-- An offered id has one set of terms for ever: a buyer with an old offer can pay those terms and no others.
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

CREATE FUNCTION keep_blocked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the choice that payment % is never changes', OLD.id USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER payments_keep_choice BEFORE UPDATE OF checkout_id, choice, option_index, is_blocked ON payments FOR EACH ROW
  WHEN ((OLD.checkout_id, OLD.choice, OLD.option_index) IS DISTINCT FROM (NEW.checkout_id, NEW.choice, NEW.option_index)
    OR (NEW.is_blocked AND NOT OLD.is_blocked))
  EXECUTE FUNCTION keep_blocked();

-- A process that does not know of choices cannot create the deal of one that waits.
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
`;
