import { tryMasterKey } from '../../api/auth/key-ring.ts';
import type { Config } from '../../runtime/config.ts';
import { assertUnderstood } from '../../db/level.ts';
import { hasRoom, readRole, readServer, type ServerLook, sessionLosses } from '../../db/operator/server.ts';
import { assertMigrated } from '../../db/migrate.ts';
import { missingPrivileges } from '../../db/roles.ts';
import { DecryptionError } from '../../runtime/encryption.ts';
import type { Database } from '../command/database.ts';
import { clockFinding, findingsOf, type Finding } from './finding.ts';

const { ok, warning, problem } = findingsOf('database');
const schema = findingsOf('schema');

/** The first version with `uuidv7()`. */
const FIRST_VERSION = 180_000;

/** Size of the file that shows whether the disk has room. */
const FILE_MB = 5;

const makeRoom = 'make room on the disk of the tables; docs/operations/data.md says what is kept for how long';

/** The meaning of a failed connection, by SQLSTATE or by the code of the system. */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start PostgreSQL, or correct host and port in CARAT_DATABASE_URL',
  ENOTFOUND: 'correct the host in CARAT_DATABASE_URL',
  '28P01': 'correct user and password in CARAT_DATABASE_URL',
  '28000': "correct the user in CARAT_DATABASE_URL, or the server's pg_hba.conf",
  '3D000': 'create the database, then run carat migrate',
  '53100': makeRoom,
  '53300': 'raise max_connections of PostgreSQL, or lower CARAT_DATABASE_POOL of the processes',
  '08P01': 'connect to PostgreSQL itself: a pooler refuses the settings of a connection',
};

const codeOf = (error: unknown): string => {
  const own = (error as { code?: unknown }).code;
  const [first] = error instanceof AggregateError ? (error.errors as { code?: unknown }[]) : [];
  return String(own ?? first?.code ?? '');
};

const textOf = (error: unknown): string => {
  const { message } = error as Error;
  return message === '' && error instanceof AggregateError
    ? error.errors.map((one) => (one as Error).message).join('; ')
    : message;
};

/** The finding about a database that cannot be used at all. */
export const unreachable = (error: unknown): Finding =>
  problem(
    `no connection: ${textOf(error)}`,
    remedies[codeOf(error)] ?? 'check CARAT_DATABASE_URL, the server and the network between',
  );

const ownRole =
  'name a role for api, worker and commands in CARAT_DATABASE_URL, and the owner in CARAT_DATABASE_OWNER_URL of carat migrate';

/** @param aheadMs by which the server's clock is ahead of this machine's */
const serverFindings = (server: ServerLook, aheadMs: number): Finding[] => {
  const version = `PostgreSQL ${Math.floor(server.version / 10_000)}`;
  return [
    server.version < FIRST_VERSION
      ? problem(`${version} is too old`, 'use PostgreSQL 18 or newer')
      : ok(`${version} answers the role ${server.role}`),
    ...(server.is_standby
      ? [problem('the server is a standby, which accepts no changes', 'point CARAT_DATABASE_URL at the primary')]
      : []),
    ...(server.is_superuser
      ? [
          warning(
            `the role ${server.role} is a superuser: a fault of Carat could change every database of the server`,
            ownRole,
          ),
        ]
      : []),
    ...(server.connections * 10 > server.max_connections * 9
      ? [
          warning(
            `${server.connections} of ${server.max_connections} connections are in use`,
            'raise max_connections, or lower CARAT_DATABASE_POOL of the processes',
          ),
        ]
      : []),
    clockFinding("the database's", aheadMs, 'of this machine or of the database'),
  ];
};

const roleFindings = async (knex: Database, { is_superuser: isSuperuser, role }: ServerLook): Promise<Finding[]> => {
  // Which was said about the server.
  if (isSuperuser) return [];
  const { owns_tables: owns, changes_audit_log: changes, makes_temporary: makes } = await readRole(knex);
  if (owns) {
    return [
      schema.warning(
        `the role ${role} owns the tables: a fault of Carat could change the schema and the audit log`,
        ownRole,
      ),
    ];
  }
  if (changes) {
    return [
      schema.warning(
        `the role ${role} may change or backdate what stands in the audit log`,
        'run carat migrate with CARAT_DATABASE_OWNER_URL, which takes that from the role',
      ),
    ];
  }
  if (makes) {
    return [
      schema.warning(
        `the role ${role} may make temporary tables, types and functions, which Carat needs nowhere`,
        'run carat migrate with CARAT_DATABASE_OWNER_URL; if that owns the tables and not the database, let the owner of the database REVOKE TEMPORARY ON DATABASE … FROM PUBLIC',
      ),
    ];
  }
  return [schema.ok('the role owns nothing, and can only add to the audit log')];
};

const schemaFindings = async (knex: Database, server: ServerLook): Promise<Finding[]> => {
  try {
    await assertMigrated(knex);
    await assertUnderstood(knex);
  } catch (error) {
    const { message } = error as Error;
    const remedy = message.includes('newer') ? 'use the newer version of Carat' : 'run carat migrate';
    return [schema.problem(message, remedy)];
  }
  const missing = await missingPrivileges(knex);
  return [
    schema.ok('every migration of this version is applied'),
    missing.length === 0
      ? schema.ok('the role has its privileges on every table')
      : schema.problem(
          `the role lacks ${missing.join(', ')}`,
          'let the owner grant them: carat migrate with CARAT_DATABASE_OWNER_URL does',
        ),
    ...(await roleFindings(knex, server)),
  ];
};

const diskFindings = async (knex: Database): Promise<Finding[]> =>
  (await hasRoom(knex, FILE_MB))
    ? []
    : [problem('the disk of the server is full: nothing new can be stored', makeRoom)];

const sessionFindings = async (url: string): Promise<Finding[]> => {
  const losses = await sessionLosses(url);
  if (losses.length === 0) return [ok('notifications and prepared statements work')];
  return [
    problem(
      `a pooler between loses ${losses.join(' and ')}: lanes, watchers and pages learn of news late, and statements fail`,
      'connect to PostgreSQL itself, or let the pooler keep sessions (PgBouncer: pool_mode = session)',
    ),
  ];
};

/** Checks server, disk, role, sessions and schema. A standby would refuse most of these checks. */
export const databaseFindings = async (
  knex: Database,
  { databaseUrl }: Config<'databaseUrl'>,
  now: () => number,
): Promise<Finding[]> => {
  const began = now();
  const server = await readServer(knex);
  const found = serverFindings(server, server.now_ms - (began + now()) / 2);
  if (server.is_standby) return found;
  return [
    ...found,
    ...(await diskFindings(knex)),
    ...(await sessionFindings(databaseUrl)),
    ...(await schemaFindings(knex, server)),
  ];
};

/** Checks that the master key opens the stored secrets. */
export const masterKeyFinding = async (knex: Database, masterKey: Uint8Array): Promise<Finding> => {
  const about = findingsOf('master key');
  try {
    const count = await tryMasterKey({ knex, masterKey });
    return about.ok(count === 0 ? 'no secret is stored yet' : 'it opens the stored secrets');
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    return about.problem(
      'CARAT_MASTER_KEY is not the key of the stored secrets: api and worker will not start',
      'set the master key with which this database was begun; it is beside its backup',
    );
  }
};
