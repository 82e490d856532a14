import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Knex } from 'knex';
import { digestOfFile, tablesOf, type DumpedTable } from '../../db/backup/dump.ts';
import { connect } from '../../db/connection.ts';
import { appliedMigrations, migrateSteps, migrations } from '../../db/migrate.ts';
import { baseline } from '../../db/migrations/0068-baseline.ts';
import { root } from '../../tools/paths.ts';
import { carat, caratHere, type Outcome } from '../support/carat.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld } from '../support/fixtures.ts';
import { formerSteps } from '../support/former-steps.ts';
import { samplesOf } from '../support/samples.ts';

/* Backups and restores as operators make them. What lanes do in a restored database is tested in chain/lane and e2e. */

const PAYMENTS = 300;

let dir: string;
let source: string;
let knex: Knex;
/** An endpoint that counts the nonces of every key as 7, or is silent. */
let endpoint: http.Server;
let isSilent = false;
let env: Record<string, string>;
let made: Outcome;
let kept: string;
const secrets = { passphrase: 'correct horse', masterKey: randomBytes(32).toString('base64') };

const respond = (body: string): string => {
  const one = ({ id, method }: { id: number; method: string }) => ({
    jsonrpc: '2.0',
    id,
    result: method === 'eth_chainId' ? '0x7a69' : '0x7',
  });
  const parsed = JSON.parse(body) as { id: number; method: string } | { id: number; method: string }[];
  return JSON.stringify(Array.isArray(parsed) ? parsed.map(one) : one(parsed));
};

beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-backup-'));
  endpoint = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (!isSilent) response.setHeader('content-type', 'application/json').end(respond(body));
    });
  });
  await once(endpoint.listen(0, '127.0.0.1'), 'listening');
  source = (await createTestDatabase()).url;
  knex = connect(source, { pool: 4 });
  const rpcUrls = [`http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`];
  const world = await createWorld(knex, { eip155: 31_337, rpcUrls });
  for (let index = 0; index < PAYMENTS; index += 1) await createPaymentRow(knex, world);
  await knex('signer_accounts').where({ id: world.operatorAccountId }).update({ next_nonce: 3 });
  await knex('watch_cursors')
    .insert({ network_id: world.networkId, number: 40, hash: `0x${'0'.repeat(64)}` })
    .onConflict('network_id')
    .merge();
  fs.writeFileSync(path.join(dir, 'keystore.json'), '{"crypto": {}}');
  fs.writeFileSync(path.join(dir, 'catalogue.yaml'), 'nodes: []\n');
  env = {
    CARAT_DATABASE_URL: source,
    CARAT_MASTER_KEY: secrets.masterKey,
    CARAT_KEYSTORE: path.join(dir, 'keystore.json'),
    CARAT_KEYSTORE_PASSPHRASE: secrets.passphrase,
  };
  kept = path.join(dir, 'kept');
  made = await carat(['backup', kept, '--catalogue', path.join(dir, 'catalogue.yaml'), '--with-keystore'], env);
});

afterAll(async () => {
  await knex.destroy();
  endpoint.closeAllConnections();
  endpoint.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

const into = (url: string): Record<string, string> => ({ ...env, CARAT_DATABASE_URL: url });

const withKnex = async <Result>(url: string, work: (knex: Knex) => Promise<Result>): Promise<Result> => {
  const other = connect(url, { pool: 2 });
  try {
    return await work(other);
  } finally {
    await other.destroy();
  }
};

/** All rows as text, and the shape of the schema. */
const contentOf = (url: string): Promise<unknown> =>
  withKnex(url, async (other) => {
    const tables = (await tablesOf(other)).filter(({ name }) => !['restores', 'restored_lanes'].includes(name));
    const rows = await Promise.all(
      tables.map(async ({ name }) => [
        name,
        (await other.raw<{ rows: unknown[] }>('SELECT ??::text AS line FROM ?? ORDER BY 1', [name, name])).rows,
      ]),
    );
    const shape = await other.raw<{ rows: unknown[] }>(
      `SELECT conrelid::regclass::text AS t, conname::text AS n, pg_get_constraintdef(oid) AS d, convalidated FROM pg_constraint
         WHERE connamespace = 'public'::regnamespace
       UNION ALL SELECT tgrelid::regclass::text, tgname::text, tgenabled::text, tgisinternal FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT tablename::text, indexname::text, indexdef, true FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2, 3`,
    );
    return { rows, shape: shape.rows };
  });

/** A copy of the backup that is changed, with checksums that fit unless `isBroken`. */
const changed = async (
  name: string,
  change: (manifest: Record<string, unknown>, copy: string) => void,
  isBroken = false,
): Promise<string> => {
  const copy = path.join(dir, name);
  fs.cpSync(kept, copy, { recursive: true });
  const file = path.join(copy, 'manifest.json');
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
  change(manifest, copy);
  if (isBroken) return copy;
  fs.writeFileSync(file, JSON.stringify(manifest));
  const files = fs.readdirSync(copy).filter((one) => one !== 'SHA256SUMS');
  const sums = await Promise.all(
    files.map(async (one) => `${(await digestOfFile(path.join(copy, one))).sha256}  ${one}\n`),
  );
  fs.writeFileSync(path.join(copy, 'SHA256SUMS'), sums.join(''));
  return copy;
};

/** Runs a command as a process, and kills it once its progress matches. */
const killAt = async (args: readonly string[], url: string, progress: RegExp): Promise<void> => {
  const child = spawn(process.execPath, [path.join(root, 'cli/carat.mjs'), ...args], {
    env: { PATH: process.env.PATH, ...into(url) },
  });
  let output = '';
  const exited = once(child, 'exit');
  const seen = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (progress.test(output)) resolve();
      });
    }
  });
  await Promise.race([seen, exited.then(() => Promise.reject(new Error(`it ended: ${output}`)))]);
  child.kill('SIGKILL');
  await exited;
};

it('a backup is readable by its owner alone, names its contents, and shows no secret', () => {
  expect(made).toMatchObject({ code: 0 });
  expect(fs.statSync(kept).mode & 0o777).toBe(0o700);
  for (const file of fs.readdirSync(kept)) expect(fs.statSync(path.join(kept, file)).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(path.join(kept, 'keystore.json'), 'utf8')).toBe('{"crypto": {}}');
  const manifest = fs.readFileSync(path.join(kept, 'manifest.json'), 'utf8');
  const { master_key: fingerprint, networks } = JSON.parse(manifest) as {
    master_key: string;
    networks: { keys: { address: string }[] }[];
  };
  for (const { address } of networks.flatMap(({ keys }) => keys)) expect(made.out).toContain(address);
  expect(made.out).toContain(`CARAT_MASTER_KEY, whose fingerprint is ${fingerprint}`);
  expect(made.err).toMatch(/\d+ of \d+ tables: payments, 300 rows/);
  for (const secret of [secrets.passphrase, secrets.masterKey, new URL(source).password || 'none']) {
    expect(`${made.out}${made.err}${manifest}`).not.toContain(secret);
  }
});

it('a restored database has every row, and the schema with its checks', async () => {
  const { url } = await createTestDatabase({ isEmpty: true });
  const before = await contentOf(source);
  const outcome = await carat(['restore', kept], into(url));
  expect(outcome.code).toBe(0);
  expect(outcome.out).toMatch(
    /operator 0x.* the chain has 4 transactions that this database lacks; the lane examines them/,
  );
  expect(outcome.out).toMatch(
    /upgrader 0x.* the chain has 7 transactions, and this database none; the lane begins after/,
  );
  // The mark is the only difference.
  await withKnex(url, async (other) => {
    const behind = { is_behind_restore: true };
    expect(await other('watch_cursors').where(behind).update({ is_behind_restore: false })).toBe(1);
  });
  expect(await contentOf(url)).toEqual(before);
  await withKnex(url, async (other) => {
    expect(await other('restores')).toMatchObject([{ backup_id: expect.any(String), counted_at: expect.any(Date) }]);
    expect(await other('restored_lanes')).toMatchObject([
      { nonce: '7', from_block: '37', outcome: null },
      { nonce: '7', from_block: '37', outcome: null },
    ]);
    expect(await other('offer_windows')).toMatchObject([{ database: null }]);
  });
  expect(await caratHere(['restore', kept], into(url))).toMatchObject({
    code: 1,
    err: expect.stringContaining('the database is not empty'),
  });
});

/** The table of a backup with some of its columns, and its file changed to these. */
const withColumns = (file: string, table: DumpedTable, columns: readonly string[]): DumpedTable => {
  const kept = columns.map((column) => table.columns.indexOf(column));
  const rows = gunzipSync(fs.readFileSync(file)).toString().split('\n').slice(0, -1);
  const lines = rows.map((row) => `${kept.map((index) => row.split('\t')[index]).join('\t')}\n`);
  const content = gzipSync(lines.join(''));
  fs.writeFileSync(file, content);
  return { ...table, columns, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
};

it('a backup of the steps before the baseline is restored as one of the baseline', async () => {
  const former = await createTestDatabase({ isEmpty: true });
  await migrateSteps(former.url, [baseline]);
  const own = await withKnex(former.url, tablesOf);
  const copy = await changed('former', (manifest, folder) => {
    const tables = manifest.tables as DumpedTable[];
    // Without the tables and columns of later steps.
    manifest.tables = tables.flatMap((table) =>
      own
        .filter(({ name }) => name === table.name)
        .map((former) => withColumns(path.join(folder, table.file), table, former.columns)),
    );
    manifest.migrations = formerSteps;
  });
  const { url } = await createTestDatabase({ isEmpty: true });
  expect(await caratHere(['restore', copy], into(url))).toMatchObject({ code: 0 });
  await withKnex(url, async (other) => {
    expect(await appliedMigrations(other)).toEqual(migrations.map(({ name }) => name));
    expect(await other('payments')).toHaveLength(PAYMENTS);
  });
});

it('a restore works as the owner and gives access to the role of the processes, which can make the next backup', async () => {
  const { url } = await createTestDatabase({ isEmpty: true });
  const app = new URL(url);
  [app.username, app.password] = [`app_${randomBytes(6).toString('hex')}`, 'a-password'];
  const asApp = into(app.href);
  const restored = await caratHere(['restore', kept], { ...asApp, CARAT_DATABASE_OWNER_URL: url });
  expect(restored).toMatchObject({ code: 0 });
  const next = path.join(dir, 'next');
  expect(await caratHere(['backup', next], asApp)).toMatchObject({ code: 0 });
  const sequencesOf = (folder: string): unknown =>
    JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json'), 'utf8')).sequences;
  expect(Object.keys(sequencesOf(next) as object)).toEqual(Object.keys(sequencesOf(kept) as object));
  await withKnex(app.href, async (other) => {
    await expect(other('audit_log').delete()).rejects.toThrow('permission denied');
  });
});

it.each([
  ['was changed', 'payments.copy.gz of the backup was changed', true],
  ['is missing', 'payments.copy.gz of the backup is missing', true],
  ['has rows of another number', 'payments.copy.gz has 300 rows instead of 299', false],
  ['is of a newer Carat', 'newer version of Carat, whose migration 9999-later this one lacks', false],
  ['is of an unreleased Carat', 'unreleased version of Carat, whose schema this one does not make', false],
  ['is of a newer PostgreSQL', 'this server is the older version', false],
  ['has another format', 'the backup has format 2', false],
  ['has a table of another shape', 'the table payments of the backup differs', false],
])('a backup whose content %s is refused, and nothing is left in the database', async (what, message, isBroken) => {
  const copy = await changed(
    what.replaceAll(' ', '-'),
    (manifest, folder) => {
      const file = path.join(folder, 'payments.copy.gz');
      const tables = manifest.tables as { name: string; rows: number; columns: string[] }[];
      const payments = tables.find(({ name }) => name === 'payments')!;
      const changes: Record<string, () => void> = {
        'was changed': () => fs.appendFileSync(file, 'x'),
        'is missing': () => fs.rmSync(file),
        'has rows of another number': () => (payments.rows -= 1),
        'is of a newer Carat': () => (manifest.migrations as string[]).push('9999-later'),
        'is of an unreleased Carat': () => (manifest.migrations = formerSteps.slice(1)),
        'is of a newer PostgreSQL': () => (manifest.postgres = '99.1'),
        'has another format': () => (manifest.format = 2),
        'has a table of another shape': () => payments.columns.pop(),
      };
      changes[what]!();
    },
    isBroken,
  );
  const { url } = await createTestDatabase({ isEmpty: true });
  expect(await caratHere(['restore', copy], into(url))).toMatchObject({
    code: 1,
    err: expect.stringContaining(message),
  });
  await withKnex(url, async (other) => expect(await tablesOf(other)).toEqual([]));
});

it('a backup is refused under another master key, and without its checksums', async () => {
  const { url } = await createTestDatabase({ isEmpty: true });
  const other = { ...into(url), CARAT_MASTER_KEY: randomBytes(32).toString('base64') };
  expect(await caratHere(['restore', kept], other)).toMatchObject({
    code: 1,
    err: expect.stringContaining('CARAT_MASTER_KEY is not the master key of the backup'),
  });
  for (const [words, at] of [
    [['restore', kept], into(url)],
    [['backup', path.join(dir, 'unnamed')], env],
  ] as const)
    expect(await caratHere([...words], { ...at, CARAT_MASTER_KEY: 'short' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('CARAT_MASTER_KEY must be'),
    });
  expect(await caratHere(['restore', dir], into(url))).toMatchObject({
    code: 1,
    err: expect.stringContaining('is no complete backup'),
  });
  expect(await caratHere(['backup', kept], env)).toMatchObject({ code: 1, err: expect.stringContaining('exists') });
});

it('the commands of the page work as written', async () => {
  const commands = samplesOf('docs/operations/backup.md').flatMap(({ text }) => [...text.matchAll(/carat -- (.*)$/gm)]);
  const { url } = await createTestDatabase({ isEmpty: true });
  expect(await caratHere(['restore', kept], into(url))).toMatchObject({ code: 0 });
  expect(commands).toHaveLength(3);
  for (const [, command = ''] of commands) {
    const args = command.split(' ').map((word) => (/^backups|[.]yaml$/.test(word) ? path.join(dir, word) : word));
    expect(await caratHere(args, into(url))).toMatchObject({ code: 0 });
  }
  expect(fs.existsSync(path.join(dir, 'backups/today/catalogue.yaml'))).toBe(true);
});

it('a killed backup leaves nothing that looks like a backup, and the same command makes it', async () => {
  const target = path.join(dir, 'killed');
  await killAt(['backup', target], source, /2 of \d+ tables/);
  expect(fs.existsSync(target)).toBe(false);
  expect(await caratHere(['restore', target], env)).toMatchObject({ code: 1 });
  expect(await carat(['backup', target], env)).toMatchObject({ code: 0 });
});

it('a restore killed at any moment can be begun again', async () => {
  const { url } = await createTestDatabase({ isEmpty: true });
  await withKnex(url, async (other) => {
    for (const progress of [/checked 3 of/, /loaded 2 of/, /loaded 30 of/]) {
      await killAt(['restore', kept], url, progress);
      // The server notices that its client is gone.
      await eventually(async () => {
        const { rows } = await other.raw<{ rows: unknown[] }>(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'carat-command' AND state <> 'idle'`,
        );
        return rows.length === 0;
      }, 30_000);
      expect(await tablesOf(other)).toEqual([]);
    }
  });
  // Killed after the rows, while it counts transactions.
  isSilent = true;
  await killAt(['restore', kept], url, /marked as restored/);
  isSilent = false;
  expect(await caratHere(['restored', '--show'], into(url))).toMatchObject({ code: 0 });
  const again = await carat(['restore', kept], into(url));
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Start api and workers now') });
  expect(again.err).not.toContain('loaded');
});

it('a database restored by other means is marked by a command, but not while Carat runs', async () => {
  const { url } = await createTestDatabase({ isEmpty: true });
  expect(await caratHere(['restore', kept], into(url))).toMatchObject({ code: 0 });
  await withKnex(url, async (other) => {
    await other.raw(`INSERT INTO processes (id, kind, name, level, beat_at)
      VALUES (gen_random_uuid(), 'api', '7@here', 1, clock_timestamp() - interval '50 seconds')`);
    expect(await caratHere(['restored'], into(url))).toMatchObject({
      code: 1,
      err: expect.stringContaining('api 7@here may still run'),
    });
    await other('processes').del();
    expect(await caratHere(['restored'], into(url))).toMatchObject({ code: 0 });
    expect(await other('restored_lanes').orderBy('restore_id').pluck('outcome')).toEqual([
      'superseded',
      'superseded',
      null,
      null,
    ]);
  });
  expect(await caratHere(['restored', '--show', '--json'], into(url))).toMatchObject({
    code: 0,
    out: expect.stringContaining('"backup_id": null'),
  });
  expect(await caratHere(['restored', '--show'], into(url))).toMatchObject({
    code: 0,
    out: expect.stringMatching(/The watcher of .+ has not read all blocks of the lost time yet/),
  });
});

it('lanes without a reachable network are named, and are counted by the same command later', async () => {
  const { url } = await createTestDatabase({ isEmpty: true });
  const urls = (other: Knex, rpcUrls: readonly string[]) => other('networks').update({ rpc_urls: rpcUrls });
  const [{ rpc_urls: own }] = (await knex('networks').select('rpc_urls')) as [{ rpc_urls: string[] }];
  await urls(knex, ['http://127.0.0.1:1']);
  const lone = path.join(dir, 'lone');
  expect(await caratHere(['backup', lone], env)).toMatchObject({ code: 0 });
  await urls(knex, own);
  expect(await caratHere(['restore', lone], into(url))).toMatchObject({
    code: 1,
    err: expect.stringContaining('are not counted and will pause'),
  });
  await withKnex(url, async (other) => {
    expect(await other('restores')).toMatchObject([{ counted_at: null }]);
    await urls(other, own);
    expect(await caratHere(['restore', lone], into(url))).toMatchObject({ code: 0 });
    expect(await other('restored_lanes')).toHaveLength(2);
  });
});
