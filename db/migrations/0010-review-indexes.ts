import type { Knex } from 'knex';

/** Indexes for what watchers and lanes look for, so that it costs the same beside millions of payments that are over. */
export const reviewIndexes = {
  name: '0010-review-indexes',
  up: (knex: Knex) =>
    knex.raw(`
-- what a reorganisation takes away
CREATE INDEX payments_deal_block ON payments (network_id, deal_block_number)
  WHERE terminal_at IS NULL AND deal_block_number IS NOT NULL;
CREATE INDEX payments_completed_block ON payments (network_id, paid_block_number) WHERE status = 'completed';
CREATE INDEX payments_conflict_block ON payments (network_id, conflict_block_number)
  WHERE terminal_at IS NULL AND conflict_block_number IS NOT NULL;
CREATE INDEX tx_slots_block ON tx_slots (account_id, block_number) WHERE block_number IS NOT NULL;
-- the same, and what every round of a watcher looks for
CREATE INDEX payments_cancel_block ON payments (network_id, cancel_block_number)
  WHERE terminal_at IS NULL AND cancel_block_number IS NOT NULL;
-- cancels go before everything else that is queued
CREATE INDEX tx_intents_queued_cancels ON tx_intents (account_id, id)
  WHERE state = 'queued' AND purpose = 'cancel_deal';
-- payments on their way; without the status, so that no index of all open payments can be taken for it
DROP INDEX payments_paid_open;
CREATE INDEX payments_paid_block ON payments (network_id, paid_block_number)
  WHERE terminal_at IS NULL AND paid_block_number IS NOT NULL;
-- signals, oldest first
CREATE INDEX outbox_signals ON outbox (id) WHERE delivered_at IS NULL AND topic = 'payment_signal';
`),
};
