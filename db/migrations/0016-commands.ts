import type { Knex } from 'knex';

/**
 * The outbox knows one command for whatever workflow is to be started or told to look again; a payment may have several
 * followers; and a slot may be marked for its lane to send with more fees.
 */
export const commands = {
  name: '0016-commands',
  up: (knex: Knex) =>
    knex.raw(`
ALTER TABLE outbox DROP CONSTRAINT outbox_topic_check;
UPDATE outbox SET topic = 'command', group_key = workflow_id, payload = jsonb_build_object('type', 'diamond',
  'input', jsonb_build_object('walletId', payload -> 'wallet_id', 'networkId', payload -> 'network_id'),
  'search', jsonb_build_object('wallet_ids', jsonb_build_array(payload -> 'wallet_id'),
    'node_ids', jsonb_build_array(payload -> 'node_id'), 'network_id', payload -> 'network_id'))
WHERE topic = 'diamond';
ALTER TABLE outbox ADD CONSTRAINT outbox_topic_check CHECK (topic IN ('create_payment', 'payment_signal', 'command'));

-- Workflows that hear of every transition of a payment, beside the one that follows it from its creation.
CREATE TABLE payment_followers (
  payment_id uuid NOT NULL REFERENCES payments (id),
  workflow_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (payment_id, workflow_id)
);

-- since when somebody wants it sent anew with more fees; null once it was
ALTER TABLE tx_slots ADD COLUMN nudged_at timestamptz;`),
};
