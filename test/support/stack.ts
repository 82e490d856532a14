import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrateDatabase } from '../../db/migrate.ts';
import { processIdentity } from '../../tools/process/identity.mjs';
import { freePorts } from '../../tools/process/ports.ts';
import { reachableDir, postgresStopSignal, startPostgres } from '../../tools/stack/postgres.ts';
import { endRecorded, recordProcess } from '../../tools/process/records.ts';
import { startTemporal } from '../../tools/stack/temporal.ts';

/** A test process's view of the run's stack, passed in the environment. */
export interface TestStack {
  /** Folder of this run: data, logs, records of processes. Removed at the end. */
  dir: string;
  /** Connection URL of the superuser of the run's PostgreSQL. */
  databaseUrl: string;
  /** Name of the migrated database that tests get copies of. */
  template: string;
  temporal: { address: string; namespace: string };
}

const prefix = 'carat-test-';

/**
 * The file system in memory, for the data of PostgreSQL. ext4 searches for a free inode among those that were deleted in the last five
 * minutes; the files of new databases took up to a fifth of the processor time of a run.
 */
const memory = '/dev/shm';

/** Bytes that PostgreSQL may need in memory: the databases of the files that run, and the write-ahead log. */
const ROOM = 3 * 2 ** 30;

/** A run's folder in memory, or on disk where memory has no room. */
const dataFolder = (dir: string): string => {
  try {
    const { bavail, bsize } = fs.statfsSync(memory);
    if (Math.min(bavail * bsize, process.availableMemory()) >= ROOM) return inMemory(dir);
  } catch {
    // This system has none.
  }
  return dir;
};

const inMemory = (dir: string): string => path.join(memory, path.basename(dir));
const variable = 'CARAT_TEST_STACK';

/** Starts one PostgreSQL and one Temporal for the run on free ports, separate from a stack of `npm start`. */
export async function setUpStack(): Promise<void> {
  await clearDeadRuns();
  const dir = path.join(os.tmpdir(), `${prefix}${process.pid}-${crypto.randomBytes(3).toString('hex')}`);
  // The account of PostgreSQL passes through this folder; the folders inside have modes of their own.
  fs.mkdirSync(dir, { mode: 0o711 });
  endOnSignal(dir);
  try {
    process.env[variable] = JSON.stringify(await startServices(dir));
  } catch (error) {
    await endRun(dir);
    throw error;
  }
}

/** Stops all remaining processes of this run and removes its folder. */
export async function tearDownStack(): Promise<void> {
  const stack = process.env[variable];
  if (stack) await endRun((JSON.parse(stack) as TestStack).dir);
}

/** The stack of this run. */
export function testStack(): TestStack {
  const stack = process.env[variable];
  if (!stack) throw new Error('there is no test stack: run the tests by npm test');
  return JSON.parse(stack) as TestStack;
}

/** Folder of the records of processes that the test process `pid` started. */
export const recordsOf = (dir: string, pid: number): string => path.join(dir, 'processes', String(pid));

async function startServices(dir: string): Promise<TestStack> {
  const [postgresPort = 0, temporalPort = 0] = await freePorts(2);
  // Not this process's own folder: with one test file Jest runs it in this very process.
  const records = path.join(dir, 'processes', 'services');
  const logs = path.join(dir, 'logs');
  const data = dataFolder(dir);
  fs.mkdirSync(data, { recursive: true, mode: 0o711 });
  const [databaseUrl, temporal] = await Promise.all([
    startPostgres({
      dataDir: await reachableDir(path.join(data, 'postgres')),
      port: postgresPort,
      password: crypto.randomBytes(24).toString('base64url'),
      logFile: path.join(logs, 'postgres.log'),
      settings: {
        // The data lives for one run. A killed process loses no more than in production.
        fsync: 'off',
        full_page_writes: 'off',
        max_wal_size: '256MB',
        // For hundreds of small databases, workers of autovacuum and parallel workers took an eighth of the processor time of api tests.
        autovacuum: 'off',
        max_parallel_workers_per_gather: '0',
      },
      onSpawn: (pid) => recordProcess(records, 'PostgreSQL', pid, postgresStopSignal),
    }).then(({ url }) => url),
    startTemporal({
      port: temporalPort,
      logFile: path.join(logs, 'temporal.log'),
      report: (line) => process.stderr.write(`${line}\n`),
      onSpawn: (pid) => recordProcess(records, 'Temporal', pid),
    }),
  ]);
  const template = 'carat_template';
  await makeTemplate(databaseUrl, template);
  return { dir, databaseUrl, template, temporal: { address: temporal.address, namespace: temporal.namespace } };
}

async function makeTemplate(databaseUrl: string, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${template}`);
  await client.end();
  const url = new URL(databaseUrl);
  url.pathname = `/${template}`;
  await migrateDatabase(url.href);
}

async function endRun(dir: string): Promise<void> {
  const processes = path.join(dir, 'processes');
  const owners = fs.existsSync(processes) ? fs.readdirSync(processes) : [];
  await Promise.all(owners.map((owner) => endRecorded(path.join(processes, owner))));
  for (const folder of [inMemory(dir), dir]) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Jest skips its teardown when it is interrupted. */
function endOnSignal(dir: string): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void endRun(dir).finally(() => process.exit(130));
    });
  }
}

/** A run that was killed could not clean up after itself. */
async function clearDeadRuns(): Promise<void> {
  const folders = [os.tmpdir(), memory]
    .filter((place) => fs.existsSync(place))
    .flatMap((place) => fs.readdirSync(place).map((name) => path.join(place, name)))
    .filter((folder) => path.basename(folder).startsWith(prefix));
  for (const folder of folders) {
    const pid = Number(path.basename(folder).slice(prefix.length).split('-')[0]);
    const isOwn = fs.statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (isOwn && processIdentity(pid) === undefined) await endRun(path.join(os.tmpdir(), path.basename(folder)));
  }
}
