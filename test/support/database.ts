import crypto from 'node:crypto';
import pg from 'pg';
import { processIdentity } from '../../tools/process/identity.mjs';
import { testStack } from './stack.ts';

/** Names of test databases: the process that makes it, then chance. */
const named = /^test_(\d+)_/;

/**
 * Makes a migrated database without rows for one test file, a copy of the template of this run. It is dropped before the next file of
 * this process.
 *
 * @param isEmpty true: not even migrated
 * @returns its connection URL
 */
export async function createTestDatabase({ isEmpty = false } = {}): Promise<{ url: string }> {
  const { databaseUrl, template } = testStack();
  const name = `test_${process.pid}_${crypto.randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}${isEmpty ? '' : ` TEMPLATE ${template}`}`);
  } finally {
    await client.end();
  }
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return { url: url.href };
}

/** PostgreSQL's code for a database that somebody uses. */
const IN_USE = '55006';

/** Drops the databases, which are in memory, of earlier files of this process and of processes that have ended; not those in use. */
export async function dropTestDatabases(): Promise<void> {
  const client = new pg.Client({ connectionString: testStack().databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database d WHERE NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = d.datname)',
    );
    for (const { datname } of rows) {
      const pid = Number(named.exec(datname)?.[1]);
      if (pid === process.pid || (pid > 0 && processIdentity(pid) === undefined)) await drop(client, datname);
    }
  } finally {
    await client.end();
  }
}

const drop = async (client: pg.Client, name: string): Promise<void> => {
  try {
    await client.query(`DROP DATABASE IF EXISTS ${name}`);
  } catch (error) {
    // A client that a failed file has left came back meanwhile.
    if ((error as pg.DatabaseError).code !== IN_USE) throw error;
  }
};
