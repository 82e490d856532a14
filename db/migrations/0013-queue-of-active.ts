import type { Knex } from 'knex';

/** A lane's queue holds deals of active diamonds only; an activation wants those of its diamond. */
export const queueOfActive = {
  name: '0013-queue-of-active',
  up: (knex: Knex) =>
    knex.raw(`
DELETE FROM tx_intents i USING payments p, diamonds d
WHERE i.state = 'queued' AND p.id = i.payment_id AND d.wallet_id = p.wallet_id AND d.network_id = p.network_id
  AND d.address = p.diamond_address AND d.status <> 'active'`),
};
