import type { Knex } from 'knex';

/** A log of which too few endpoints tell says that something happened in a block, and not by which transaction. */
export const unprovedLogs = {
  name: '0014-unproved-logs',
  up: async (knex: Knex): Promise<void> => {
    const { rows } = await knex.raw<{ rows: { name: string }[] }>(`
      SELECT conname AS name FROM pg_constraint WHERE conrelid = 'payments'::regclass AND contype = 'c'
        AND pg_get_constraintdef(oid) ~ '(deal|paid)_block_number IS NULL\\) = '`);
    for (const { name } of rows) await knex.raw('ALTER TABLE payments DROP CONSTRAINT ??', [name]);
    await knex.raw(`
      ALTER TABLE payments ADD CHECK (deal_tx_hash IS NULL OR deal_block_number IS NOT NULL),
        ADD CHECK (paid_tx_hash IS NULL OR paid_block_number IS NOT NULL)`);
  },
};
