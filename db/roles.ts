import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';

/** The user and password of a connection URL. */
const loginOf = (url: string): { user: string; password: string } => {
  const { username, password } = new URL(url);
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
};

const ROUNDS = 4_096;

/** What PostgreSQL stores of a password (SCRAM-SHA-256), so that the password itself reaches no log of the server. */
const verifierOf = (password: string): string => {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ROUNDS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`;
};

/** SQL that gives a role what api, worker and commands need. `%1$I`: the role. */
const grants = [
  `format('GRANT CONNECT ON DATABASE %2$I TO %1$I', $1::text, current_database())`,
  `format('GRANT USAGE ON SCHEMA %2$I TO %1$I', $1::text, current_schema())`,
  `format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %2$I TO %1$I', $1::text, current_schema())`,
  `format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %2$I TO %1$I', $1::text, current_schema())`,
];

/** SQL that selects tables to which a role may only add, or which it may only read, with what it may not do. */
const withheld = `
  SELECT relid::regclass::text AS name, 'UPDATE, DELETE, TRUNCATE' AS privileges
    FROM (SELECT 'audit_log'::regclass AS relid UNION SELECT relid FROM pg_partition_tree('audit_log')) AS log
  UNION ALL SELECT 'audit_links', 'UPDATE, DELETE, TRUNCATE'
  UNION ALL SELECT name, 'INSERT, UPDATE, DELETE, TRUNCATE' FROM (VALUES ('knex_migrations'), ('knex_migrations_lock')) AS list (name)`;

const INSUFFICIENT_PRIVILEGE = '42501';

/** Creates the role if it is missing. */
const ensureRole = async (client: pg.Client, user: string, password: string): Promise<boolean> => {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [user]);
  if (rowCount !== 0) return false;
  const text = `SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', $1::text, $2::text) AS sql`;
  const { rows } = await client.query<{ sql: string }>(text, [user, verifierOf(password)]);
  try {
    await client.query(rows[0]!.sql);
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(`the role ${user} does not exist, and the owner may not create it: run CREATE ROLE ${user} LOGIN`, {
      cause: error,
    });
  }
  return true;
};

/**
 * Gives the role of `url` what api, worker and commands need of the owner's tables, as they are now: everything but changes of
 * the schema, of the list of migrations, and of what stands in the audit log. Creates the role if it is missing. Nothing
 * happens if it is the owner itself.
 * @returns the name of a role that was created; else null
 */
export const grantRole = async (ownerUrl: string, url: string): Promise<string | null> => {
  const { user, password } = loginOf(url);
  if (user === loginOf(ownerUrl).user) return null;
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query('BEGIN');
    const isNew = await ensureRole(client, user, password);
    for (const grant of grants) {
      const { rows } = await client.query<{ sql: string }>(`SELECT ${grant} AS sql`, [user]);
      await client.query(rows[0]!.sql);
    }
    const { rows } = await client.query<{ sql: string }>(
      `SELECT format('REVOKE %s ON %s FROM %I', privileges, name, $1::text) AS sql FROM (${withheld}) AS withheld`,
      [user],
    );
    for (const { sql } of rows) await client.query(sql);
    await client.query('COMMIT');
    return isNew ? user : null;
  } finally {
    await client.end();
  }
};
