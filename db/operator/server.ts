import type { Knex } from 'knex';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { mayRun } from '../level.ts';
import { rowOf, rowsOf } from '../query/statements.ts';

/** The server and the role that Carat uses. */
export interface ServerLook {
  /** Such as 180004. */
  readonly version: number;
  readonly role: string;
  readonly is_superuser: boolean;
  /** True for a standby, which accepts no changes. */
  readonly is_standby: boolean;
  /** Connections in use, and their maximum. */
  readonly connections: number;
  readonly max_connections: number;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now_ms: number;
}

/** Reads the facts about the server. */
export const readServer = (knex: Knex): Promise<ServerLook> =>
  rowOf<ServerLook>(knex)(`
     SELECT current_setting('server_version_num')::int AS version, current_user AS role, r.rolsuper AS is_superuser,
       pg_is_in_recovery() AS is_standby, (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
       current_setting('max_connections')::int AS max_connections,
       (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms
     FROM pg_roles r WHERE r.rolname = current_user`);

/** SQLSTATE of a full disk. */
const DISK_FULL = '53100';

/**
 * Lets the server write a temporary file, which lies beside the tables unless `temp_tablespaces` says otherwise.
 * @param megabytes its size; one costs some milliseconds
 * @returns false when the disk is full
 */
export const hasRoom = (knex: Knex, megabytes: number): Promise<boolean> =>
  knex.transaction(async (trx) => {
    // So that the sort takes the disk.
    await trx.raw("SET LOCAL work_mem = '64kB'");
    const sort = `SELECT count(*) FROM (SELECT repeat(md5(g::text), 8) AS text FROM generate_series(1, :rows::int) g ORDER BY text OFFSET 1) s`;
    return trx.raw(sort, { rows: megabytes * 4_000 }).then(
      () => true,
      (error: { readonly code?: string }) => {
        if (error.code === DISK_FULL) return false;
        throw error;
      },
    );
  });

/** Privileges of a role beyond the need of api, worker and commands. */
export interface RoleLook {
  /** True for the owner of the tables, and for a member of the owner's role. */
  readonly owns_tables: boolean;
  /** True for a role that may change, remove or backdate entries of the audit log. */
  readonly changes_audit_log: boolean;
  /** True for a role that may make temporary tables, types and functions. */
  readonly makes_temporary: boolean;
}

/** Reads the privileges of the role beyond its need. */
export const readRole = (knex: Knex): Promise<RoleLook> =>
  rowOf<RoleLook>(knex)(`SELECT pg_has_role(relowner, 'USAGE') AS owns_tables,
       has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE') OR has_table_privilege('audit_links', 'UPDATE, DELETE, TRUNCATE')
         OR has_column_privilege(oid, 'id', 'INSERT') OR has_column_privilege(oid, 'created_at', 'INSERT')
         OR has_column_privilege('audit_chain', 'forgotten_number', 'UPDATE') AS changes_audit_log,
       has_database_privilege(current_database(), 'TEMPORARY') AS makes_temporary
     FROM pg_class WHERE oid = 'audit_log'::regclass`);

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

/** A process that may still run. */
export interface LivingProcess {
  readonly kind: 'api' | 'worker';
  /** Process id and host. */
  readonly name: string;
  /** Null: a version from before there were levels. */
  readonly level: number | null;
}

/** The size of a table with its indexes. */
export interface TableSize {
  readonly name: string;
  /** As PostgreSQL's statistics estimate it; null before the first statistics. */
  readonly rows: number | null;
  readonly bytes: number;
}

/** Active diamonds of a release on a network. */
export interface DiamondCount {
  readonly network: string;
  readonly release: string | null;
  readonly diamonds: number;
}

/** Processes with a sign of life in the last minute that were not told to stop. */
export const livingProcesses = (knex: Knex): Promise<LivingProcess[]> =>
  rowsOf<LivingProcess>(knex)(`SELECT kind, name, level FROM processes WHERE ${mayRun} ORDER BY kind, name`);

/** The sizes of these tables; those that do not exist are left out. */
export const tableSizes = (knex: Knex, names: readonly string[]): Promise<TableSize[]> =>
  rowsOf<TableSize>(knex, { names })(`
     SELECT relname AS name, CASE WHEN reltuples >= 0 THEN reltuples::double precision END AS rows,
       pg_total_relation_size(oid)::double precision AS bytes
     FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relname = ANY(:names) ORDER BY relname`);

/** The floor of the database: processes of a version below `level` do not start, those below `lowest` never again. */
export interface Floor {
  readonly level: number;
  readonly lowest: number;
}

export const readFloor = (knex: Knex): Promise<Floor> => knex('floor').first<Floor>('level', 'lowest');

/** Active diamonds by network and release. */
export const diamondCounts = (knex: Knex): Promise<DiamondCount[]> =>
  rowsOf<DiamondCount>(knex)(`
     SELECT n.name AS network, d.release, count(*)::int AS diamonds FROM diamonds d JOIN networks n ON n.id = d.network_id
     WHERE d.status = 'active' GROUP BY n.name, d.release ORDER BY n.name, d.release`);
