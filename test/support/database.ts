import crypto from 'node:crypto';
import pg from 'pg';
import { testStack } from './stack.ts';

/**
 * Makes a migrated database without rows for one test file, a copy of the template of this run. It is gone when the run ends.
 *
 * @param isEmpty true: not even migrated
 * @returns its connection URL
 */
export async function createTestDatabase({ isEmpty = false } = {}): Promise<{ url: string }> {
  const { databaseUrl, template } = testStack();
  const name = `test_${crypto.randomBytes(8).toString('hex')}`;
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
