import type { Knex } from 'knex';

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
export const readServer = async (knex: Knex): Promise<ServerLook> => {
  const { rows } = await knex.raw<{ rows: [ServerLook] }>(
    `SELECT current_setting('server_version_num')::int AS version, current_user AS role, r.rolsuper AS is_superuser,
       pg_is_in_recovery() AS is_standby, (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
       current_setting('max_connections')::int AS max_connections,
       (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms
     FROM pg_roles r WHERE r.rolname = current_user`,
  );
  return rows[0];
};

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
export const readRole = async (knex: Knex): Promise<RoleLook> => {
  const { rows } = await knex.raw<{ rows: [RoleLook] }>(
    `SELECT pg_has_role(relowner, 'USAGE') AS owns_tables,
       has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE') OR has_table_privilege('audit_links', 'UPDATE, DELETE, TRUNCATE')
         OR has_column_privilege(oid, 'id', 'INSERT') OR has_column_privilege(oid, 'created_at', 'INSERT')
         OR has_column_privilege('audit_chain', 'forgotten_number', 'UPDATE') AS changes_audit_log,
       has_database_privilege(current_database(), 'TEMPORARY') AS makes_temporary
     FROM pg_class WHERE oid = 'audit_log'::regclass`,
  );
  return rows[0];
};
