import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { dump } from 'js-yaml';
import { createAccessTokens } from '../../api/auth/access-tokens.ts';
import { createKeyRing } from '../../api/auth/key-ring.ts';
import { remedyFor } from '../../cli/look/waits.ts';
import { waitingDetails } from '../../domain/payment.ts';
import { openKeystore } from '../../chain/signing/keystore.ts';
import { connect } from '../../db/connection.ts';
import { root } from '../../tools/paths.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import { rpc, type Chain } from '../../tools/stack/chain.ts';
import { demoCatalogue } from '../../tools/stack/prepare.ts';
import { documents, read } from '../support/samples.ts';
import { carat as runCarat, caratHere, type Outcome } from '../support/carat.ts';
import { startTestChain } from '../support/chain.ts';
import { createTestDatabase } from '../support/database.ts';

let chain: Chain;
let dir: string;
let env: Record<string, string>;

beforeAll(async () => {
  chain = await startTestChain();
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-cli-'));
  env = {
    CARAT_DATABASE_URL: (await createTestDatabase()).url,
    CARAT_KEYSTORE_PASSPHRASE: 'correct horse',
    CARAT_MASTER_KEY: randomBytes(32).toString('base64'),
    CARAT_PUBLIC_URL: 'https://pay.example.com',
  };
});

afterAll(async () => {
  await chain.stop();
  fs.rmSync(dir, { recursive: true, force: true });
});

const carat = (args: string[], options: { env?: Record<string, string>; input?: string } = {}): Promise<Outcome> =>
  runCarat(args, options.env ?? env, options.input);

/** The same in this process, which is faster. */
const here = (args: string[], options: { env?: Record<string, string> } = {}): Promise<Outcome> =>
  caratHere(args, options.env ?? env);

it('carat explains itself, and names the word that it did not understand', async () => {
  expect(await carat(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('carat network prepare') });
  expect(await carat([])).toMatchObject({ code: 2 });
  expect(await carat(['dance'])).toMatchObject({ code: 2, err: expect.stringContaining('unknown command dance') });
  expect(await carat(['catalogue', 'apply'])).toMatchObject({ code: 2, err: expect.stringContaining('one file') });
  expect(await carat(['token', '--colour', 'red'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--colour'),
  });
});

it('carat explains a command, or those that begin alike, without any configuration', async () => {
  const rotate = expect.stringContaining('carat keys rotate [--purpose');
  expect(await carat(['keys', 'rotate', '--help'], { env: {} })).toMatchObject({ code: 0, out: rotate });
  expect(await carat(['help', 'keys', 'rotate'], { env: {} })).toMatchObject({ code: 0, out: rotate });
  const group = await carat(['keys'], { env: {} });
  expect(group).toMatchObject({ code: 2, out: rotate });
  expect(group.out).toContain('carat keys list');
  expect(group.out).not.toContain('carat migrate');
});

it('carat knows each command in the documents, with its options', async () => {
  const { out } = await carat(['help'], { env: {} });
  const usages = [...out.matchAll(/^ {2}carat (.+)$/gm)].map(([, usage = '']) => usage);
  const named = documents.flatMap((file) =>
    // Inline code may go on in the next line, a command of a block does not.
    [...read(file).matchAll(/(?:`carat (?!is |processes)([a-z][^`…]*)|--rm carat ([a-z][^`…\n]*))/g)].map(
      ([, inline, command = '']) => ({ file, words: inline ?? command }),
    ),
  );
  expect(named.length).toBeGreaterThan(30);
  for (const { file, words } of named) {
    const usage = usages.find((candidate) => {
      const command = candidate.split(/ (?=[A-Z[])/)[0]!;
      return `${words} `.startsWith(`${command} `) || words === 'help';
    });
    expect({ file, words, usage }).toEqual({ file, words, usage: expect.any(String) });
    for (const [option] of words.matchAll(/--[a-z-]+/g))
      expect({ file, words, usage }).toMatchObject({ usage: expect.stringContaining(option) });
  }
});

it('the reasons of the documented filter of waiting payments are those with a remedy', () => {
  const [, words = ''] = /PaymentStatuses = "(diamond_missing [^"]*)"/.exec(
    read('docs/operations/follow-a-payment.md'),
  )!;
  const withRemedy = waitingDetails.filter((detail) => remedyFor(detail) !== null);
  expect(words.split(' ').toSorted()).toEqual(withRemedy.toSorted());
});

it('the documents name the scripts that run carat correctly', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = documents.flatMap((file) => [...read(file).matchAll(/npm (?:run (?:--silent )?)?([a-z:-]+)/g)]);
  const ownWords = ['ci', 'script', 'pack', 'install'];
  const unknown = named.map(([, name = '']) => name).filter((name) => !(name in scripts) && !ownWords.includes(name));
  expect(unknown).toEqual([]);
});

it('carat refuses arguments that a command does not know', async () => {
  for (const args of [
    ['migrate', 'now'],
    ['network', 'prepare', 'a', 'b', '--root-keystore', 'x'],
    ['admin', 'create', 'x'],
  ]) {
    expect(await carat(args)).toMatchObject({ code: 2, err: expect.stringContaining('usage: carat') });
  }
});

it('carat names the addresses that did not answer when the database cannot be reached', async () => {
  const url = `postgres://carat:secret@localhost:${(await freePorts(1))[0]}/carat`;
  const { code, err } = await carat(['keys', 'list'], { env: { CARAT_DATABASE_URL: url } });
  expect([code, err]).toEqual([1, expect.stringContaining('the database cannot be reached: connect ECONNREFUSED')]);
  expect(err).not.toContain('secret');
});

it('carat ends without an error when its reader has gone', async () => {
  const command = ['"$0" cli/carat.mjs --help | true; echo "$', '{PIPESTATUS[0]}"'].join('');
  const child = spawn('bash', ['-c', command, process.execPath], { cwd: root });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect([out, err]).toEqual(['0\n', '']);
});

it('carat names all missing variables at once', async () => {
  const { code, err } = await carat(['token'], { env: {} });
  expect(code).toBe(1);
  for (const name of ['CARAT_DATABASE_URL', 'CARAT_MASTER_KEY', 'CARAT_PUBLIC_URL']) expect(err).toContain(name);
});

it('migrate builds an empty database, and does nothing the second time', async () => {
  const url = new URL(env.CARAT_DATABASE_URL!);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const name = `cli_${randomBytes(6).toString('hex')}`;
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  const empty = { CARAT_DATABASE_URL: url.href };
  expect(await carat(['keys', 'list'], { env: empty })).toMatchObject({
    code: 1,
    err: expect.stringContaining('run carat migrate first'),
  });
  expect(await carat(['migrate'], { env: empty })).toMatchObject({ code: 0, out: expect.stringContaining('Applied') });
  expect(await carat(['migrate'], { env: empty })).toMatchObject({ code: 0, out: 'The schema is up to date\n' });
});

it('a keystore of new keys or of given ones opens with its passphrase only, and never shows a key', async () => {
  const fresh = path.join(dir, 'fresh.json');
  const made = await carat(['keystore', 'create', fresh, '--keys', '2']);
  expect(made.code).toBe(0);
  expect((await openKeystore(fresh, 'correct horse')).addresses).toEqual(
    made.out
      .trim()
      .split('\n')
      .map((line) => line.replace(/ new$/, '')),
  );
  expect(made.err).toContain('name an address as operator, upgrader, signer or guardian of a network there');
  await expect(openKeystore(fresh, 'wrong')).rejects.toThrow('wrong passphrase');
  expect(await carat(['keystore', 'create', fresh])).toMatchObject({ code: 1 });

  const given = path.join(dir, 'root.json');
  const { privateKey, address } = devAccounts.root;
  const imported = await carat(['keystore', 'create', given, '--import'], { input: `${privateKey}\n` });
  expect(imported).toMatchObject({ code: 0, out: `${address.toLowerCase()} imported\n` });
  expect(fs.readFileSync(given, 'utf8')).not.toContain(privateKey.slice(2));
});

it('a keystore takes over the keys of another one, except those that are left out', async () => {
  const [old, more, less] = ['old', 'more', 'less'].map((name) => path.join(dir, `${name}.json`)) as [
    string,
    string,
    string,
  ];
  const lines = async (...args: string[]): Promise<string[]> => {
    const { code, out } = await carat(['keystore', 'create', ...args]);
    expect(code).toBe(0);
    return out.trim().split('\n');
  };
  const [first] = (await lines(old))[0]!.split(' ');
  const both = await lines(more, '--from', old);
  expect(both).toEqual([`${first} from ${old}`, expect.stringMatching(/^0x\w{40} new$/)]);
  const second = both[1]!.split(' ')[0];
  expect(await lines(less, '--from', more, '--keys', '0', '--without', first!)).toEqual([`${second} from ${more}`]);
  const wrong = (args: string[]) => carat(['keystore', 'create', path.join(dir, 'none.json'), ...args]);
  expect(await wrong(['--without', first!])).toMatchObject({ code: 2, err: expect.stringContaining('needs --from') });
  expect(await wrong(['--keys', '0'])).toMatchObject({ code: 2, err: expect.stringContaining('from 1 to 1000') });
  expect(await wrong(['--from', less, '--without', first!])).toMatchObject({
    code: 1,
    err: expect.stringContaining(first!),
  });
});

it('a keystore gets another passphrase, which must differ from the old one', async () => {
  const [old, fresh, file] = ['leaked', 'relocked', 'new-passphrase'].map((name) => path.join(dir, name)) as [
    string,
    string,
    string,
  ];
  fs.writeFileSync(file, 'battery staple\n');
  await carat(['keystore', 'create', old, '--keys', '2']);
  const create = ['keystore', 'create', fresh, '--from', old, '--keys', '0', '--new-passphrase', file];
  expect(await carat(create)).toMatchObject({ code: 0 });
  await expect(openKeystore(fresh, 'correct horse')).rejects.toThrow('wrong passphrase');
  const { addresses } = await openKeystore(fresh, 'battery staple');
  expect(addresses).toEqual((await openKeystore(old, 'correct horse')).addresses);
  fs.writeFileSync(file, 'correct horse\n');
  fs.rmSync(fresh);
  expect(await carat(create)).toMatchObject({ code: 1, err: expect.stringContaining('the passphrase of') });
});

it('from a catalogue file to a prepared network, an admin and a token', async () => {
  const file = path.join(dir, 'catalogue.yaml');
  const network = { name: 'alpha', url: chain.url, eip155: 31_337, blockTime: 0.2, confirmations: 3, finality: 64 };
  const catalogue = demoCatalogue([network]) as { currencies: unknown[] };
  fs.writeFileSync(file, dump({ ...catalogue, currencies: catalogue.currencies.slice(0, 1) }));
  expect(await here(['catalogue', 'apply', file])).toMatchObject({ code: 0, out: expect.stringContaining('alpha') });
  expect(await here(['catalog', 'apply', file])).toMatchObject({ out: expect.stringContaining('matches the file') });

  const prepare = ['network', 'prepare', 'alpha', '--root-keystore', path.join(dir, 'root.json')];
  const first = await here(prepare);
  expect(first).toMatchObject({ code: 0, err: expect.stringContaining('deploy the registry') });
  expect(await here(prepare)).toMatchObject({ out: expect.stringContaining(' 0 transactions sent') });
  expect(await here(['network', 'prepare', 'omega', ...prepare.slice(3)])).toMatchObject({ code: 1 });

  const lane = ['lane', 'resume', 'alpha'];
  const { operator } = devAccounts;
  const active = await here([...lane, operator.address]);
  expect(active).toMatchObject({ code: 0, out: expect.stringContaining('is not paused; nothing changed') });
  const laneDatabase = connect(env.CARAT_DATABASE_URL!, { pool: 1 });
  await laneDatabase('signer_accounts').where({ role: 'operator' }).update({ status: 'paused' });
  await laneDatabase.destroy();
  await rpc(chain.url, 'anvil_setNonce', [operator.address, '0x7']);
  expect(await here([...lane, operator.address])).toMatchObject({ code: 0, out: expect.stringContaining('nonce 7') });
  expect(await here([...lane, devAccounts.buyer.address])).toMatchObject({ code: 1 });
  expect(await here(lane)).toMatchObject({ code: 2 });
  expect(await here([...lane, '0x12'])).toMatchObject({ code: 2, err: expect.stringContaining('address of a lane') });

  const admin = await here(['admin', 'create']);
  expect(admin.out).toMatch(/^api_key ck_\S+\nsecret {2}cs_\S+\n$/);
  const again = await here(['admin', 'create']);
  expect(again).toMatchObject({ code: 1, out: `${admin.out.split('\n')[0]}\n` });
  expect(again.err).toContain('exists already, so nothing changed; its secret cannot be shown');

  const { out } = await here(['token']);
  const knex = connect(env.CARAT_DATABASE_URL!, { pool: 2 });
  const keyRing = await createKeyRing({ knex, masterKey: Buffer.from(env.CARAT_MASTER_KEY!, 'base64') });
  const tokens = createAccessTokens({ keyRing, issuer: 'https://pay.example.com' });
  expect((await tokens.verify(out.trim())).permissions).toContain('integrations.create');
  const entries = await knex('audit_log').where({ action: 'integration.created' });
  const [, api_key] = /^api_key (\S+)$/m.exec(admin.out) ?? [];
  expect(entries).toMatchObject([{ actor_id: null, actor_node_id: null, address: null, after: { api_key } }]);
  expect(JSON.stringify(entries)).not.toContain(/^secret {2}(\S+)$/m.exec(admin.out)![1]);
  await knex.destroy();
});

it('keys rotate and retire one after the other, and never with another master key', async () => {
  const kids = async () => {
    const { code, out } = await here(['keys', 'list']);
    expect(code).toBe(0);
    return out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '));
  };
  await here(['token']);
  const [[, old = ''] = []] = await kids();
  expect(await here(['keys', 'retire', old])).toMatchObject({ code: 1, err: expect.stringContaining('still needed') });
  const planned = await here(['keys', 'rotate']);
  expect(planned).toMatchObject({ code: 0, out: expect.stringMatching(/^access \S+ signs from \d{4}-/) });
  const now = await here(['keys', 'rotate', '--signs-in', '0']);
  const added = now.out.split(' ')[1] ?? '';
  const [newest = []] = await kids();
  expect([newest[1], newest.at(-1)]).toEqual([added, 'signs']);
  expect(await here(['keys', 'retire', old])).toMatchObject({ code: 0, out: `${old} is retired\n` });
  expect(await here(['keys', 'retire', old])).toMatchObject({ code: 1 });
  expect((await kids()).find(([, kid]) => kid === old)?.at(-1)).toBe('retired');
  expect(await here(['keys', 'rotate', '--purpose', 'widget'])).toMatchObject({ code: 0 });

  for (const args of [['retire'], ['list', 'all'], ['rotate', '--purpose', 'x'], ['rotate', '--signs-in', '86401']]) {
    expect(await here(['keys', ...args])).toMatchObject({ code: 2 });
  }
  const stranger = { ...env, CARAT_MASTER_KEY: randomBytes(32).toString('base64') };
  expect(await here(['keys', 'rotate'], { env: stranger })).toMatchObject({ code: 1 });
  expect(await kids()).toHaveLength(5);
});
