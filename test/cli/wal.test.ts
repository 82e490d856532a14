import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { connect } from '../../db/connection.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { postgresAccount, startPostgres, type Postgres } from '../../tools/stack/postgres.ts';
import { caratHere } from '../support/carat.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld } from '../support/fixtures.ts';
import { samplesOf } from '../support/samples.ts';
import { recordsOf, testStack } from '../support/stack.ts';

/* The archive of the write-ahead log, as docs/operations/backup.md describes it: the settings are those of the page. */

const page = 'docs/operations/backup.md';
const account = postgresAccount();

let home: string;
const running: Postgres[] = [];

/** A folder that PostgreSQL's account can write. */
const folder = (name: string): string => {
  const dir = path.join(home, name);
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (account) fs.chownSync(dir, account.uid, account.gid);
  return dir;
};

const own = (dir: string): void => {
  if (!account) return;
  fs.chownSync(dir, account.uid, account.gid);
  for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    fs.lchownSync(path.join(dir, name), account.uid, account.gid);
  }
};

const start = async (dataDir: string, settings: Record<string, string>): Promise<Postgres> => {
  const { dir } = testStack();
  const [port = 0] = await freePorts(1);
  const postgres = await startPostgres({
    dataDir,
    port,
    password: 'secret',
    logFile: path.join(dir, 'logs', `wal-${port}.log`),
    settings,
    onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'PostgreSQL', pid),
  });
  running.push(postgres);
  return postgres;
};

/** The settings of a block of the page, with this folder in place of the page's. */
const settingsOf = (name: string, archive: string): Record<string, string> => {
  const { text } = samplesOf(page).find((sample) => sample.name === `${page} ${name}`)!;
  return Object.fromEntries(
    [...text.matchAll(/^(\w+) = '?(.*?)'?$/gm)].map(([, key, value]) => [key!, value!.replaceAll('/archive', archive)]),
  );
};

beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-wal-'));
  fs.chmodSync(home, 0o755);
});

afterAll(async () => {
  await Promise.all(running.map((postgres) => postgres.stop()));
  fs.rmSync(home, { recursive: true, force: true });
});

it('the archive goes on after a copy was cut off or is repeated, and replaces no other file', () => {
  const archive = folder('cut');
  const segment = path.join(home, '000000010000000000000007');
  const archived = path.join(archive, path.basename(segment));
  const command = settingsOf('ini 1', archive)
    .archive_command!.replaceAll('%f', path.basename(segment))
    .replaceAll('%p', segment);
  const status = (): number | null => spawnSync('sh', ['-c', command]).status;
  fs.writeFileSync(segment, randomBytes(1_000_000));
  fs.writeFileSync(`${archived}.part`, fs.readFileSync(segment).subarray(0, 4_000));
  expect(status()).toBe(0);
  expect(fs.readFileSync(archived).equals(fs.readFileSync(segment))).toBe(true);
  expect(status()).toBe(0);
  const kept = fs.readFileSync(archived);
  fs.writeFileSync(segment, randomBytes(1_000_000));
  expect(status()).toBe(1);
  expect(fs.readFileSync(archived).equals(kept)).toBe(true);
});

it('a base backup and the archived log bring a database to any moment, and carat restored marks it', async () => {
  const archive = folder('archive');
  const first = await start(path.join(folder('first'), 'data'), settingsOf('ini 1', archive));
  await migrateDatabase(first.url);
  const knex = connect(first.url, { pool: 2 });
  const world = await createWorld(knex, {});
  await createPaymentRow(knex, world);

  // What pg_basebackup does, by the functions under it.
  const client = new pg.Client({ connectionString: first.url });
  await client.connect();
  await client.query(`SELECT pg_backup_start('base', true)`);
  const base = folder('base');
  const source = path.join(home, 'first', 'data');
  for (const name of fs.readdirSync(source)) {
    if (name === 'pg_wal' || name === 'postmaster.pid') continue;
    fs.cpSync(path.join(source, name), path.join(base, name), { recursive: true });
  }
  fs.mkdirSync(path.join(base, 'pg_wal'));
  const { rows: stopped } = await client.query<{ labelfile: string; spcmapfile: string }>(
    'SELECT labelfile, spcmapfile FROM pg_backup_stop()',
  );
  fs.writeFileSync(path.join(base, 'backup_label'), stopped[0]!.labelfile);
  await createPaymentRow(knex, world);
  const { rows: moment } = await client.query<{ at: string }>('SELECT clock_timestamp()::text AS at');
  await createPaymentRow(knex, world);
  await client.query('SELECT pg_switch_wal()');
  await eventually(
    async () =>
      (
        await client.query<{ done: boolean }>(
          `SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) AS done FROM pg_stat_archiver`,
        )
      ).rows[0]!.done,
    30_000,
  );
  await client.end();
  await knex.destroy();
  // The disk is lost.
  process.kill(first.pid, 'SIGKILL');
  await first.exited;

  fs.writeFileSync(path.join(base, 'recovery.signal'), '');
  own(base);
  const recovery = settingsOf('ini 2', archive);
  const second = await start(base, { ...recovery, recovery_target_time: moment[0]!.at });
  const restored = connect(second.url, { pool: 1 });
  await eventually(async () => {
    const { rows } = await restored.raw<{ rows: [{ recovering: boolean }] }>(
      'SELECT pg_is_in_recovery() AS recovering',
    );
    return !rows[0].recovering;
  }, 30_000);
  expect(await restored('payments')).toHaveLength(2);
  await restored.destroy();
  const env = { CARAT_DATABASE_URL: second.url };
  // The network of this test has no chain.
  expect(await caratHere(['restored'], env)).toMatchObject({ code: 0 });
  expect(await caratHere(['restored', '--show'], env)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Offers that buyers got in the lost time can be paid until'),
  });
});
