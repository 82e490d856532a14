import type { Knex } from 'knex';

/**
 * When a buyer paid, by the clock of the chain, and how a merchant's books find what they look for: by when it was completed,
 * by when it was changed, by its transactions.
 */
export const reconciliation = {
  name: '0035-reconciliation',
  up: (knex: Knex) =>
    knex.raw(`
-- of the block of the buyer's transaction; null also where that block was forgotten before this column came
ALTER TABLE payments ADD COLUMN paid_at timestamptz;
UPDATE payments p SET paid_at = to_timestamp(h.timestamp) FROM block_headers h
WHERE h.network_id = p.network_id AND h.number = p.paid_block_number AND h.hash = p.paid_block_hash;

CREATE INDEX payments_completed ON payments (node_id, terminal_at, created_at) WHERE status = 'completed';
CREATE INDEX payments_updated ON payments (node_id, updated_at);
CREATE INDEX payments_paid_tx ON payments (paid_tx_hash) WHERE paid_tx_hash IS NOT NULL;
-- one transaction creates the deals of many payments
CREATE INDEX payments_deal_tx ON payments (deal_tx_hash) WHERE deal_tx_hash IS NOT NULL;`),
};
