import type { Knex } from 'knex';

/** What deep reorganisations remove: deals that buyers could pay, and payments that were over. */
export const lostAndFound = {
  name: '0024-lost-and-found',
  up: (knex: Knex) =>
    knex.raw(`
-- since when the payment that was told of is in no block
ALTER TABLE payments ADD COLUMN reversed_at timestamptz;
-- the watcher asks for each of these in every block; mostly there is none
CREATE INDEX payments_reversed ON payments (network_id) WHERE reversed_at IS NOT NULL;
CREATE INDEX payments_lost_deal ON payments (network_id)
  WHERE status = 'awaiting_payment' AND deal_block_number IS NULL;
-- what a reorganisation takes away, beside completed payments
CREATE INDEX payments_paid_after_end ON payments (network_id, paid_block_number)
  WHERE status IN ('expired', 'canceled', 'failed') AND paid_tx_hash IS NOT NULL;`),
};
