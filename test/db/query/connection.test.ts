import type { Knex } from 'knex';
import type pg from 'pg';
import { connect, type ConnectionOptions } from '../../../db/connection.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';

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

it('PostgreSQL bounds idle and long transactions, waits for locks and statements, by the role of the process', async () => {
  expect(await limitsOf('api')).toEqual(['10000', '5000', '15000', '600000']);
  expect(await limitsOf('worker')).toEqual(['5000', '10000', '30000', '600000']);
  // An operator's statement has no time limit.
  expect(await limitsOf('command')).toEqual(['60000', '15000', '0', '0']);
});

it('a transaction of an idle process releases its locks', async () => {
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

it('a silent connection is given up, even in a transaction, and the pool makes another one', async () => {
  const proxy = await createTcpProxy();
  const url = proxy.through((await createTestDatabase()).url);
  const roles = ['api', 'worker'] as const;
  const pools = roles.map((role) => connect(url, { pool: 1, role }));
  try {
    const begun = await Promise.all(pools.map((knex) => knex.transaction()));
    proxy.strand();
    const ended = {
      status: 'rejected',
      reason: expect.objectContaining({ message: expect.stringMatching(/Connection terminated/) }),
    };
    expect(await Promise.allSettled(begun.map((trx) => trx.raw('SELECT 1')))).toEqual([ended, ended]);
    await Promise.all(begun.map((trx) => trx.rollback().catch(() => {})));
    for (const knex of pools) await expect(knex.raw('SELECT 1 AS one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
  } finally {
    await proxy.close();
    await Promise.all(pools.map((knex) => knex.destroy()));
  }
});

it('a connection still in a transaction, because its ROLLBACK was canceled, is not used again', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1, role: 'api' });
  const client = knex.client as Knex.Client;
  const onBackend = async (work: (connection: pg.Client) => Promise<unknown>): Promise<number> => {
    const connection = (await client.acquireConnection()) as pg.Client & { processID: number };
    try {
      await work(connection);
      return connection.processID;
    } finally {
      await client.releaseConnection(connection);
    }
  };
  const nothing = () => Promise.resolve();
  try {
    const whole = await onBackend(async (connection) => {
      await connection.query('BEGIN');
      await connection.query('ROLLBACK');
    });
    const begun = await onBackend((connection) => connection.query('BEGIN'));
    expect(begun).toBe(whole);
    const failed = await onBackend(async (connection) => {
      await connection.query('BEGIN');
      await expect(connection.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    });
    expect(failed).not.toBe(begun);
    expect(await onBackend(nothing)).not.toBe(failed);
    await expect(knex.raw('SELECT 1 AS one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
    await expect(knex.transaction((trx) => trx.raw('SELECT 2 AS two'))).resolves.toMatchObject({ rows: [{ two: 2 }] });
  } finally {
    await knex.destroy();
  }
});
