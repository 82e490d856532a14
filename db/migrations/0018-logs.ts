import type { Knex } from 'knex';

/** What the log of a payment tells beside its transitions: why it waited, and what was sent for it. */
export const logs = {
  name: '0018-logs',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE payment_waits (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  payment_id uuid NOT NULL REFERENCES payments (id),
  event_type text NOT NULL CHECK (event_type IN ('waiting_started', 'waiting_ended')),
  reason text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX payment_waits_payment ON payment_waits (payment_id);

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

-- Many statements write why a payment waits; each of them is noted here, and told to the workflows that follow it.
-- A transition tells its followers by itself.
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
  WHEN (OLD.status_detail IS DISTINCT FROM NEW.status_detail) EXECUTE FUNCTION payment_waits();`),
};
