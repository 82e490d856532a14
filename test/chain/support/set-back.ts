import type { Knex } from 'knex';

/** The rows that PostgreSQL loses with its last commits. */
const tables = [
  'payments',
  'payment_logs',
  'tx_intents',
  'tx_slots',
  'tx_attempts',
  'signer_accounts',
  'block_headers',
  'watch_cursors',
  'outbox',
  'alerts',
];

/** Keeps the state of now. */
export const keepState = async (knex: Knex): Promise<void> => {
  for (const table of tables) {
    await knex.raw(`DROP TABLE IF EXISTS kept_${table}`);
    await knex.raw(`CREATE TABLE kept_${table} AS TABLE ${table}`);
  }
};

/** Sets the database back to the kept state. */
export const setBack = (knex: Knex): Promise<void> =>
  knex.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    for (const table of tables) {
      await trx.raw(`DELETE FROM ${table}`);
      await trx.raw(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE TABLE kept_${table}`);
    }
  });
