import type { Knex } from 'knex';

/** What a reorganisation takes away from ended payments is found also where only the word of the deal told that it was there. */
export const paidAfterEnd = {
  name: '0042-paid-after-end',
  up: (knex: Knex) =>
    knex.raw(`
DROP INDEX payments_paid_after_end;
CREATE INDEX payments_paid_after_end ON payments (network_id, paid_block_number)
  WHERE status IN ('expired', 'canceled', 'failed') AND paid_block_number IS NOT NULL;`),
};
