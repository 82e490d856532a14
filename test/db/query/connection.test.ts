import { connect, type ConnectionOptions } from '../../../db/connection.ts';
import { createTestDatabase } from '../../support/database.ts';

const limitsOf = async (role: ConnectionOptions['role']): Promise<string[]> => {
  const knex = connect((await createTestDatabase()).url, { pool: 1, role });
  try {
    const { rows } = await knex.raw<{ rows: { setting: string }[] }>(
      `SELECT setting FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout',
         'idle_in_transaction_session_timeout', 'transaction_timeout') ORDER BY name`,
    );
    return rows.map(({ setting }) => setting);
  } finally {
    await knex.destroy();
  }
};

it('PostgreSQL ends idle and endless transactions, waits for locks and statements, by the role of the process', async () => {
  expect(await limitsOf('api')).toEqual(['10000', '5000', '15000', '600000']);
  expect(await limitsOf('worker')).toEqual(['5000', '10000', '30000', '600000']);
  // What an operator asks for may take as long as it takes.
  expect(await limitsOf('command')).toEqual(['60000', '15000', '0', '0']);
});

it('a transaction whose process does nothing any more gives back what it has locked', async () => {
  const { url } = await createTestDatabase();
  const [frozen, other] = [connect(url, { pool: 1, role: 'worker' }), connect(url, { pool: 1, role: 'worker' })];
  try {
    const trx = await frozen.transaction();
    await trx.raw('LOCK TABLE nodes');
    // Waits as long as the other one is idle, and less than a wait for a lock may last.
    await other.transaction((next) => next.raw('LOCK TABLE nodes'));
    await expect(trx.raw('SELECT 1')).rejects.toThrow();
    await trx.rollback().catch(() => {});
  } finally {
    await Promise.all([frozen.destroy(), other.destroy()]);
  }
});
