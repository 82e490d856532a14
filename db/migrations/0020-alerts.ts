import type { Knex } from 'knex';

/** Alerts belong to a node or to the operator, end, and are told to a webhook of the operator's. */
export const alerts = {
  name: '0020-alerts',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE alerts DROP CONSTRAINT alerts_dedupe_key_key;
ALTER TABLE alerts
  -- whose payment, wallet or webhook it is about; null: the operator's own concern
  ADD COLUMN node_id uuid REFERENCES nodes (id),
  ADD COLUMN webhook_id uuid,
  -- it ends when its cause is gone, and may come back; what is none happened once and waits for a person
  ADD COLUMN is_condition boolean NOT NULL DEFAULT false,
  ADD COLUMN closed_at timestamptz,
  -- the caller who closed it; null where its cause is gone
  ADD COLUMN closed_by text,
  ADD CHECK (closed_by IS NULL OR closed_at IS NOT NULL);

UPDATE alerts a SET payment_id = p.id FROM payments p
  WHERE a.payment_id IS NULL AND a.kind IN ('paid_without_log', 'deal_conflict') AND p.id::text = a.data ->> 'payment_id';
UPDATE alerts a SET node_id = p.node_id FROM payments p WHERE p.id = a.payment_id;
-- What still lasts of the others is found and raised again.
UPDATE alerts SET is_condition = true, closed_at = clock_timestamp() WHERE kind IN ('lane_paused', 'operator_underfunded',
  'fees_above_ceiling', 'simulation_failed', 'registry_paused', 'network_halted', 'endpoint_at_rest', 'endpoint_unfit',
  'words_unreadable');
UPDATE alerts a SET closed_at = NULL, dedupe_key = 'lane_paused:' || s.id FROM signer_accounts s
  WHERE s.status = 'paused' AND a.id = (SELECT b.id FROM alerts b
    WHERE b.kind = 'lane_paused' AND b.dedupe_key LIKE 'lane_paused:' || s.id || ':%' ORDER BY b.id DESC LIMIT 1);
UPDATE alerts a SET closed_at = NULL, dedupe_key = 'registry_paused:' || n.id FROM networks n
  WHERE a.kind = 'registry_paused' AND a.id = (SELECT b.id FROM alerts b
    WHERE b.network_id = n.id AND b.kind IN ('registry_paused', 'registry_unpaused') ORDER BY b.id DESC LIMIT 1);

CREATE UNIQUE INDEX alerts_incident_once ON alerts (dedupe_key) WHERE NOT is_condition;
CREATE UNIQUE INDEX alerts_condition_once ON alerts (dedupe_key) WHERE is_condition AND closed_at IS NULL;
CREATE INDEX alerts_list ON alerts (created_at DESC, id DESC);
CREATE INDEX alerts_open ON alerts (created_at DESC, id DESC) WHERE closed_at IS NULL;

-- The operator's own configuration hears of alerts: it has no wallet, and maybe no credentials.
ALTER TABLE webhook_configurations
  ALTER COLUMN wallet_id DROP NOT NULL,
  ALTER COLUMN network_id DROP NOT NULL,
  ADD CHECK ((wallet_id IS NULL) = (network_id IS NULL));`),
};
