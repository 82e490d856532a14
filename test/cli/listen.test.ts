import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { connect } from '../../db/connection.ts';
import { transition } from '../../db/payments/transition.ts';
import { root } from '../../tools/paths.ts';
import { carat } from '../support/carat.ts';
import { createTestDatabase } from '../support/database.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld } from '../support/fixtures.ts';
import { ok, startReceiver, type Receiver } from '../support/receiver.ts';
import { startSender } from '../support/sender.ts';
import { createWebhookRow } from '../support/webhooks.ts';

const masterKey = new Uint8Array(32).fill(9);
let env: Record<string, string>;
let knex: ReturnType<typeof connect>;
let receiver: Receiver;
let sender: ReturnType<typeof startSender>;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = connect(url, { pool: 4 });
  receiver = await startReceiver();
  sender = startSender(knex, masterKey);
  env = {
    CARAT_DATABASE_URL: url,
    CARAT_MASTER_KEY: Buffer.from(masterKey).toString('base64'),
    CARAT_WEBHOOK_HOSTS: 'loopback',
  };
});

afterAll(async () => {
  await sender.stop();
  await knex.destroy();
  await receiver.close();
});

/** `carat listen` as a process, with what it prints. */
const startListening = (...args: string[]) => {
  const child = spawn(
    process.execPath,
    [path.join(root, 'cli/carat.mjs'), 'listen', '--forward', `${receiver.origin}/hooks`, ...args],
    { env: { PATH: process.env.PATH, ...env } },
  );
  const exit = once(child, 'exit') as Promise<[number | null]>;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    output: () => output,
    secret: async () => (await eventually(() => /signed with (whsec_\S+)/.exec(output), 30_000))[1]!,
    end: async (signal?: NodeJS.Signals) => {
      if (signal !== undefined) child.kill(signal);
      return (await exit)[0];
    },
  };
};

const expire = (id: string) =>
  knex.transaction((trx) =>
    transition(trx, { name: 'payment_expired', where: 'p.id = :id', bindings: { id }, actor: { type: 'chain' } }),
  );
const configurations = (wallet: string) =>
  knex('webhook_configurations').where({ wallet_id: wallet, deleted_at: null });

it('carat listen passes events on unchanged, returns the responses, and leaves no configuration behind', async () => {
  const world = await createWorld(knex);
  const listening = startListening();
  const secret = await listening.secret();
  await eventually(async () => (await configurations(world.walletId)).length === 1);
  const payment = await createPaymentRow(knex, world);
  await expire(payment.id);
  await eventually(() => receiver.received.length === 1);
  const [got] = receiver.received;
  expect(got!.path).toBe('/hooks');
  expect(readEvent(got!.body)).toMatchObject({ type: 'payment.expired', data: { payment: { id: payment.id } } });
  expect(new Webhook(secret).verify(got!.body, got!.headers as Record<string, string>)).toBeDefined();
  await eventually(() => /payment\.expired \S+ expired \(\d+\): 204/.test(listening.output()));

  // Events of a later wallet arrive as well, and Carat gets the receiver's own answer.
  receiver.answer((_, response) => response.writeHead(503).end('later'));
  const other = await createWorld(knex);
  await eventually(async () => (await configurations(other.walletId)).length === 1);
  await expire((await createPaymentRow(knex, other)).id);
  const [{ id }] = await configurations(other.walletId);
  const tries = await eventually(async () => {
    const row = await knex('webhook_deliveries').where({ webhook_id: id }).first('tries');
    return row?.tries.length > 0 && row.tries;
  });
  expect(tries[0]).toMatchObject({ status: 503, body: 'later' });
  receiver.answer(ok);

  expect(await listening.end('SIGINT')).toBe(0);
  expect(await configurations(world.walletId)).toEqual([]);
  expect(await configurations(other.walletId)).toEqual([]);
  expect(await knex('webhook_deliveries').where({ webhook_id: id }).pluck('state')).toEqual(['canceled']);
  const entries = await knex('audit_log').where({ resource_id: id }).orderBy('created_at').select('action', 'actor_id');
  expect(entries).toEqual([
    { action: 'webhook.created', actor_id: null },
    { action: 'webhook.deleted', actor_id: null },
  ]);
});

it('carat listen takes one wallet, and removes the leftovers of a killed call', async () => {
  const [world, other] = [await createWorld(knex), await createWorld(knex)];
  const killed = startListening();
  await killed.secret();
  await eventually(async () => (await configurations(other.walletId)).length === 1);
  await killed.end('SIGKILL');
  const listening = startListening('--wallet', world.walletId);
  await listening.secret();
  await eventually(async () => (await configurations(other.walletId)).length === 0);
  await eventually(async () => (await configurations(world.walletId)).length === 1);
  expect(await listening.end('SIGTERM')).toBe(0);
  expect(await configurations(world.walletId)).toEqual([]);
});

it('carat listen takes every network of a wallet, also one that its chain gets meanwhile', async () => {
  const world = await createWorld(knex);
  const listening = startListening();
  await listening.secret();
  await eventually(async () => (await configurations(world.walletId)).length === 1);
  const added = randomUUID();
  await knex.raw(
    `INSERT INTO networks SELECT (jsonb_populate_record(n, jsonb_build_object('id', :added::uuid, 'name', :added::text, 'eip155', 1))).*
     FROM networks n WHERE n.id = :id`,
    { added, id: world.networkId },
  );
  // Wallets are taken in the order of their ids.
  const last = await createWorld(knex, { walletId: 'ffffffff-ffff-4fff-bfff-ffffffffffff' });
  await eventually(async () => (await configurations(last.walletId)).length === 1);
  const taken: string[] = await configurations(world.walletId).pluck('network_id');
  expect(taken.sort()).toEqual([world.networkId, added].sort());
  expect(await listening.end('SIGINT')).toBe(0);
  expect(await configurations(world.walletId)).toEqual([]);
});

it("carat listen leaves a merchant's similar webhook alone, and keeps control characters off the terminal", async () => {
  const world = await createWorld(knex);
  const id = await createWebhookRow(knex, world, 'https://shop.invalid');
  await knex('webhook_configurations').where({ id }).update({ success_path: '/carat-listen', is_active: false });
  const listening = startListening('--wallet', world.walletId);
  await listening.secret();
  await eventually(async () => (await configurations(world.walletId)).length === 2);
  const payment = await createPaymentRow(knex, world);
  await knex('payments').where({ id: payment.id }).update({ external_id: 'a\u001b[2Jb\u009b2Jc\nd' });
  await expire(payment.id);
  await eventually(() => /payment\.expired a\uFFFD\[2Jb\uFFFD2Jc\uFFFDd expired/.test(listening.output()));
  expect(await listening.end('SIGINT')).toBe(0);
  expect(await configurations(world.walletId)).toMatchObject([{ id }]);
});

it.each([
  [[], 'URL of a receiver'],
  [['--forward', 'ftp://x'], 'URL of a receiver'],
  [['--forward', 'http://127.0.0.1:1', '--wallet', 'x'], 'id of a wallet'],
])('carat listen does not understand %j', async (args, said) => {
  expect(await carat(['listen', ...args], env)).toMatchObject({ code: 2, err: expect.stringContaining(said) });
});

it('carat listen says where webhooks to this machine are not allowed', async () => {
  const call = carat(['listen', '--forward', receiver.origin], { ...env, CARAT_WEBHOOK_HOSTS: 'public' });
  expect(await call).toMatchObject({ code: 1, err: expect.stringContaining('CARAT_WEBHOOK_HOSTS=loopback') });
});

it('carat listen does not wait for the events of a missing wallet', async () => {
  const call = carat(['listen', '--forward', receiver.origin, '--wallet', randomUUID()], env);
  expect(await call).toMatchObject({ code: 1, err: expect.stringContaining('does not exist') });
});

it('carat listen ends when its database no longer answers', async () => {
  const { url } = await createTestDatabase();
  env = { ...env, CARAT_DATABASE_URL: url };
  const listening = startListening();
  await listening.secret();
  const own = connect(url, { pool: 1 });
  await own.raw('ALTER TABLE webhook_configurations RENAME TO lost');
  await own.destroy();
  expect(await listening.end()).toBe(1);
});
