import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import pg from 'pg';

/** The user and password of a connection URL. */
const loginOf = (url: string): { user: string; password: string } => {
  const { username, password } = new URL(url);
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
};

const ROUNDS = 4_096;

/** The verifier that PostgreSQL stores of a password (SCRAM-SHA-256), so that the password itself reaches no log of the server. */
const verifierOf = (password: string): string => {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ROUNDS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`;
};

/** Privileges on a table; `INSERT (name)` is one on a column. */
type Privileges = readonly string[];

const EVERYTHING: Privileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

const on = (privilege: string, columns: readonly string[]): string[] =>
  columns.map((column) => `${privilege} (${column})`);

/** Columns of an entry that a process writes. The database alone says when that was: by `id` and `created_at`. */
const ENTRY = [
  'node_id',
  'actor_id',
  'actor_node_id',
  'action',
  'resource_id',
  'before',
  'after',
  'address',
  'request_id',
];
const LINK = ['number', 'minute', 'entries', 'entries_digest', 'digest'];
/** Columns of the end of the chain. Its beginning is the owner's. */
const END = ['closed', 'last_number', 'last_minute', 'last_digest'];

/** The privileges of the processes' role on tables on which it lacks some. */
const limited: Readonly<Record<string, Privileges>> = {
  knex_migrations: ['SELECT'],
  knex_migrations_lock: ['SELECT'],
  audit_log: ['SELECT', ...on('INSERT', ENTRY)],
  audit_links: ['SELECT', ...on('INSERT', LINK)],
  audit_chain: ['SELECT', ...on('UPDATE', END)],
};

const INSUFFICIENT_PRIVILEGE = '42501';

/** Runs a statement without parameters. */
type Run = (sql: string) => Promise<{ rows: unknown[] }>;

/** Creates the role if it is missing. */
const ensureRole = async (run: Run, { user, password }: ReturnType<typeof loginOf>): Promise<boolean> => {
  const { rows } = await run(`SELECT FROM pg_roles WHERE rolname = ${pg.escapeLiteral(user)}`);
  if (rows.length > 0) return false;
  const name = pg.escapeIdentifier(user);
  try {
    await run(`CREATE ROLE ${name} LOGIN PASSWORD ${pg.escapeLiteral(verifierOf(password))}`);
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(`the role ${user} does not exist, and the owner may not create it: run CREATE ROLE ${user} LOGIN`, {
      cause: error,
    });
  }
  return true;
};

/** Lets the role connect, and see the schema. Nobody but the owner of the database makes temporary tables, types and functions. */
const letIn = async (run: Run, user: string): Promise<void> => {
  const { rows } = await run('SELECT current_database() AS database, current_schema() AS schema');
  const { database, schema } = rows[0] as { database: string; schema: string };
  const to = `TO ${pg.escapeIdentifier(user)}`;
  await run(`GRANT CONNECT ON DATABASE ${pg.escapeIdentifier(database)} ${to}`);
  // PostgreSQL warns, and goes on, when the owner of the tables does not own the database.
  await run(`REVOKE TEMPORARY ON DATABASE ${pg.escapeIdentifier(database)} FROM PUBLIC, ${pg.escapeIdentifier(user)}`);
  await run(`GRANT USAGE ON SCHEMA ${pg.escapeIdentifier(schema)} ${to}`);
};

/** A table or sequence, and the privileges of the role on it. */
interface Held {
  readonly name: string;
  readonly is_table: boolean;
  readonly held: Privileges;
}

/** SQL: tables and sequences with the privileges that were granted to the role, also on single columns. */
const heldBy = (user: string): string => `
  WITH role AS (SELECT oid FROM pg_roles WHERE rolname = ${pg.escapeLiteral(user)}), granted AS (
    SELECT c.oid, a.privilege_type AS privilege FROM pg_class c, aclexplode(c.relacl) a, role WHERE a.grantee = role.oid
    UNION ALL SELECT t.attrelid, a.privilege_type || ' (' || t.attname || ')'
      FROM pg_attribute t, aclexplode(t.attacl) a, role WHERE a.grantee = role.oid AND NOT t.attisdropped)
  SELECT c.relname AS name, c.relkind <> 'S' AS is_table, ARRAY(SELECT privilege FROM granted g WHERE g.oid = c.oid) AS held
  FROM pg_class c WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p', 'S') ORDER BY c.relname`;

/**
 * Gives the role the privileges that api, worker and commands need on the owner's tables, as they are now: everything but changes of
 * the schema, of the list of migrations, and of the audit log's entries. Grants no privilege again, so that a step of a migration
 * changes no row of PostgreSQL's catalogue but its own.
 */
const grantTables = async (run: Run, user: string): Promise<void> => {
  const role = pg.escapeIdentifier(user);
  for (const { name, is_table: isTable, held } of (await run(heldBy(user))).rows as Held[]) {
    const wanted = isTable ? (limited[name] ?? EVERYTHING) : ['USAGE'];
    const of = `${isTable ? 'TABLE' : 'SEQUENCE'} ${pg.escapeIdentifier(name)}`;
    const isTooMuch = name in limited && held.some((privilege) => !wanted.includes(privilege));
    if (isTooMuch) await run(`REVOKE ALL ON ${of} FROM ${role}`);
    if (isTooMuch || !wanted.every((privilege) => held.includes(privilege)))
      await run(`GRANT ${wanted.join(', ')} ON ${of} TO ${role}`);
  }
};

/** A role that owns nothing, beside the owner's. */
export interface ProcessRole {
  readonly user: string;
  /** True when it was missing. */
  readonly isNew: boolean;
  /** Grants the tables as they are in the transaction of `knex`. */
  grant(knex: Knex): Promise<void>;
}

/** Runs work as the owner, on a connection of its own: knex would put the words of a failed statement into its error. */
const asOwner = async <Result>(ownerUrl: string, work: (run: Run) => Promise<Result>): Promise<Result> => {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query('BEGIN');
    const result = await work((sql) => client.query(sql));
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
};

/**
 * Creates the role of `url` if it is missing, and lets it see the schema.
 * @returns null when it is the owner itself
 */
export const prepareRole = async (ownerUrl: string, url: string): Promise<ProcessRole | null> => {
  const login = loginOf(url);
  const { user } = login;
  if (user === loginOf(ownerUrl).user) return null;
  const isNew = await asOwner(ownerUrl, async (run) => {
    const created = await ensureRole(run, login);
    await letIn(run, user);
    return created;
  });
  // A question mark would be a parameter.
  return { user, isNew, grant: (knex) => grantTables((sql) => knex.raw(sql.replaceAll('?', '\\?')), user) };
};

/** Creates the role of `url` if it is missing, and grants the tables to it. Nothing happens if it is the owner itself. */
export const grantRole = async (ownerUrl: string, url: string): Promise<void> => {
  const role = await prepareRole(ownerUrl, url);
  if (role !== null) await asOwner(ownerUrl, (run) => grantTables(run, role.user));
};

/** Privileges that the role of this connection lacks, such as `INSERT on payments`; at most 20. */
export const missingPrivileges = async (knex: Knex): Promise<string[]> => {
  const { rows } = await knex.raw<{ rows: { missing: string }[] }>(
    `WITH wanted AS (
       SELECT c.oid, c.relname, split_part(w.privilege, ' ', 1) AS privilege, substring(w.privilege FROM '[(](.*)[)]') AS name
       FROM pg_class c CROSS JOIN LATERAL jsonb_array_elements_text(coalesce(:limited::jsonb -> c.relname::text, :everything::jsonb)) AS w (privilege)
       WHERE c.relkind IN ('r', 'p') AND c.relnamespace = quote_ident(current_schema())::regnamespace)
     SELECT privilege || coalesce(' of ' || name, '') || ' on ' || relname AS missing FROM wanted
     WHERE NOT CASE WHEN name IS NULL THEN has_table_privilege(oid, privilege) ELSE has_column_privilege(oid, name, privilege) END
     ORDER BY relname, privilege, name LIMIT 20`,
    { limited: JSON.stringify(limited), everything: JSON.stringify(EVERYTHING) },
  );
  return rows.map(({ missing }) => missing);
};
