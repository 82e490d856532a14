import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Features that are lost between Carat and PostgreSQL, as behind a pooler that changes the server's session; empty: none. */
export type SessionLoss = 'notifications' | 'prepared statements';

/** Milliseconds for a connection, a statement and a notification. */
const PATIENCE_MS = 3_000;

const withClients = async <Result>(url: string, work: (...clients: readonly pg.Client[]) => Promise<Result>) => {
  const clients = [0, 1, 2].map(
    () => new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS }),
  );
  // A connection that ends while nothing is asked must not end the process.
  for (const client of clients) client.on('error', () => {});
  try {
    for (const client of clients) await client.connect();
    return await work(...clients);
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
};

/** True when a notification of one connection reaches another one that listens. */
const isNotified = async (listener: pg.Client, other: pg.Client): Promise<boolean> => {
  const channel = `carat_doctor_${randomBytes(6).toString('hex')}`;
  const notified = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), PATIENCE_MS);
    listener.on('notification', ({ channel: of }) => {
      if (of !== channel) return;
      clearTimeout(timer);
      resolve(true);
    });
  });
  await listener.query(`LISTEN ${channel}`);
  await other.query(`NOTIFY ${channel}`);
  const outcome = await notified;
  await listener.query(`UNLISTEN ${channel}`).catch(() => undefined);
  return outcome;
};

/** SQLSTATE of an unknown and of a repeated name of a prepared statement. */
const LOST = ['26000', '42P05'];

/** True when a prepared statement survives while other connections take the sessions of the server that are free. */
const keepsStatements = async (own: pg.Client, others: readonly pg.Client[]): Promise<boolean> => {
  const statement = { name: `carat_doctor_${randomBytes(6).toString('hex')}`, text: 'SELECT 1' };
  await own.query(statement);
  try {
    for (const other of others) await other.query('BEGIN READ ONLY');
    await own.query(statement);
    return true;
  } catch (error) {
    if (LOST.includes(String((error as { code?: unknown }).code))) return false;
    throw error;
  } finally {
    for (const other of others) await other.query('ROLLBACK').catch(() => undefined);
  }
};

/**
 * Finds out whether connections keep their sessions. Carat needs LISTEN, and names of prepared statements.
 * @throws Error of the driver
 */
export const sessionLosses = (url: string): Promise<SessionLoss[]> =>
  withClients(url, async (own, ...others) => {
    const losses: SessionLoss[] = [];
    if (!(await isNotified(own!, others[0]!))) losses.push('notifications');
    if (!(await keepsStatements(own!, others))) losses.push('prepared statements');
    return losses;
  });
