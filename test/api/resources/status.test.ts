import { randomUUID } from 'node:crypto';
import { recordLife, recordLook, recordStop } from '../../../db/processes/processes.ts';
import type { NetworkStatus, ServiceStatus } from '../../../api/generated/openapi-types.ts';
import { codeOf } from '../support/answers.ts';
import { startApi, type Actor } from '../support/api-under-test.ts';
import { move } from '../../support/deliveries.ts';
import { createPaymentRow, createWorld, hex } from '../../support/fixtures.ts';
import { createWebhookRow } from '../../support/webhooks.ts';

const api = await startApi({ nodes: [{ name: 'platform', children: [{ name: 'shop' }] }, { name: 'other' }] });
const [platform, shop, other] = (await Promise.all(
  ['platform', 'shop', 'other'].map((name) => api.actor(name, [])),
)) as [Actor, Actor, Actor];
const { knex } = api;
const ask = (by: Actor) => api.call('GET', '/api/v1/status', { token: by.token });
const status = async (): Promise<ServiceStatus> => (await ask(platform)).body as ServiceStatus;

const worker = { id: randomUUID(), kind: 'worker', name: '17@worker-1' } as const;
const ago = (seconds: number) => knex.raw(`clock_timestamp() - make_interval(secs => ${seconds})`);
const aged = (id: string, columns: readonly string[], seconds: number) =>
  knex('processes')
    .where({ id })
    .update(Object.fromEntries(columns.map((column) => [column, ago(seconds)])));

/** Everything as it should be. */
beforeEach(async () => {
  for (const table of ['tx_intents', 'tx_slots', 'outbox', 'processes', 'network_looks']) await knex(table).delete();
  await recordLife(knex, worker, true);
  for (const { id } of await knex('networks').select('id')) await recordLook(knex, id, 100);
});

it('GET /api/v1/status is for nodes without a parent, whatever permissions the token has', async () => {
  expect([(await ask(platform)).status, (await ask(other)).status]).toEqual([200, 200]);
  expect(codeOf(await ask(shop))).toEqual([403, 'node_access_denied']);
  expect(codeOf(await api.call('GET', '/api/v1/status'))).toEqual([401, 'missing_token']);
});

it('GET /api/v1/status shows that all is well, and no URL of an endpoint', async () => {
  const { text, body } = await ask(platform).then((answer) => ({
    body: answer.body,
    text: JSON.stringify(answer.body),
  }));
  expect(body).toMatchObject({
    status: 'ok',
    temporal: { status: 'ok', bound: 10, unit: 'seconds' },
    workers: { status: 'ok', bound: 10 },
    commands: { status: 'ok', value: null },
    intents: { status: 'ok', value: null },
    offers: { status: 'ok', value: null, bound: 10 },
    webhooks: { status: 'ok', value: null, bound: 15 },
    webhook_retries: { status: 'ok', value: null, bound: 300 },
    worker_count: 1,
    worker_list: [{ id: worker.id, name: '17@worker-1', status: 'ok' }],
  });
  for (const url of (await knex('networks').pluck('rpc_urls')).flat()) expect(text).not.toContain(url);
  expect(text).not.toMatch(/https?:/);
});

it('GET /api/v1/status counts a retired network until it is at rest', async () => {
  const { networkId: id } = await createWorld(knex);
  await knex('networks').where({ id }).update({ retired_at: new Date() });
  const shown = async () => {
    const { status: overall, network_count, network_list } = await status();
    return { overall, network_count, of: network_list.find(({ network_id }) => network_id === id)?.status };
  };
  const watched = await shown();
  expect(watched).toMatchObject({ overall: 'down', of: 'down' });
  await knex('networks').where({ id }).update({ rested_at: new Date() });
  expect(await shown()).toEqual({ overall: 'ok', network_count: watched.network_count - 1, of: undefined });
});

it.each([
  [5, 'ok'],
  [20, 'late'],
  [40, 'down'],
])('GET /api/v1/status: workers and Temporal that were silent for %i seconds are %s', async (seconds, expected) => {
  await aged(worker.id, ['beat_at', 'temporal_at'], seconds);
  const { status: overall, workers, temporal, worker_list: list } = await status();
  expect([overall, workers.status, temporal.status, list[0]!.status]).toEqual(Array(4).fill(expected));
  expect(workers.value).toBeGreaterThanOrEqual(seconds);
});

it('GET /api/v1/status: no worker is down, a stopped one counts as none, and a killed one is shown beside another', async () => {
  const killed = { ...worker, id: randomUUID(), name: '18@worker-2' };
  await recordLife(knex, killed, true);
  await aged(killed.id, ['beat_at'], 600);
  const { workers, worker_list: list } = await status();
  expect([workers.status, list.map((one) => [one.name, one.status])]).toEqual([
    'ok',
    [
      ['17@worker-1', 'ok'],
      ['18@worker-2', 'down'],
    ],
  ]);
  await recordStop(knex, worker.id);
  await aged(killed.id, ['beat_at'], 4_000);
  expect(await status()).toMatchObject({
    status: 'down',
    workers: { status: 'down', value: null },
    worker_count: 0,
    worker_list: [],
  });
});

it('GET /api/v1/status shows in its list a worker that gives signs of life and that Temporal does not answer', async () => {
  const cutOff = { ...worker, id: randomUUID(), name: '18@worker-2' };
  await recordLife(knex, cutOff, true);
  await aged(cutOff.id, ['temporal_at'], 20);
  await recordLife(knex, cutOff, false);
  const { temporal, workers, worker_list: list } = await status();
  expect([temporal.status, workers.status]).toEqual(['ok', 'ok']);
  expect(Object.fromEntries(list.map((one) => [one.name, one.status]))).toEqual({
    [worker.name]: 'ok',
    [cutOff.name]: 'late',
  });
});

describe('GET /api/v1/status of webhooks', () => {
  /** A delivery that was due so many seconds ago. */
  const delivery = async (seconds: number, attempts: number, failingSince: Date | null) => {
    const world = await createWorld(knex);
    await recordLook(knex, world.networkId, 100);
    const webhook = await createWebhookRow(
      knex,
      world,
      'http://127.0.0.1:1',
      failingSince === null ? {} : { failingSince },
    );
    await move(knex, (await createPaymentRow(knex, world)).id);
    await knex('webhook_deliveries')
      .where({ webhook_id: webhook })
      .update({ attempts, due_at: ago(seconds) });
    await knex('outbox').delete();
  };
  beforeEach(() => knex('webhook_deliveries').delete());
  const shown = async () => {
    const { webhooks, webhook_retries: retries, status: overall } = await status();
    return [webhooks.status, retries.status, overall];
  };

  it('shows how late first attempts are, except those of a failing webhook, which its retries make', async () => {
    await delivery(600, 0, new Date());
    await delivery(10, 0, null);
    expect(await shown()).toEqual(['ok', 'ok', 'ok']);
    await delivery(600, 0, null);
    expect(await shown()).toEqual(['late', 'ok', 'late']);
  });

  it('shows how late retries are, and not how long they wait for their time', async () => {
    await delivery(-600, 3, new Date());
    await delivery(200, 3, new Date());
    expect(await shown()).toEqual(['ok', 'ok', 'ok']);
    await delivery(600, 3, new Date());
    expect(await shown()).toEqual(['ok', 'late', 'late']);
  });
});

it('GET /api/v1/status lists at most 50 workers, and gives their number', async () => {
  for (let index = 0; index < 60; index += 1) await recordLife(knex, { ...worker, id: randomUUID() }, true);
  const { worker_count: count, worker_list: list } = await status();
  expect([count, list.length]).toEqual([61, 50]);
});

it('GET /api/v1/status shows the age of undelivered commands, except for retries of webhooks', async () => {
  const command = (topic: string, type: string, seconds: number) =>
    knex('outbox').insert({
      topic,
      group_key: randomUUID(),
      workflow_id: randomUUID(),
      payload: JSON.stringify({ type }),
      created_at: ago(seconds),
    });
  await command('webhook_command', 'retryWebhooks', 600);
  expect((await status()).commands).toMatchObject({ status: 'ok', value: null });
  await command('create_payment', 'start', 35);
  await command('create_payment', 'start', 45);
  expect((await status()).commands).toMatchObject({ status: 'late', bound: 30 });
  expect((await status()).commands.value).toBeGreaterThanOrEqual(45);
  await command('payment_signal', 'signal', 50);
  expect((await status()).commands.value).toBeGreaterThanOrEqual(50);
  await command('command', 'cancelPayment', 100);
  expect(await status()).toMatchObject({ status: 'down', commands: { status: 'down' } });
});

describe('GET /api/v1/status of the intents of a network', () => {
  it('shows the oldest without a waiting reason, on lanes that are not paused', async () => {
    const world = await createWorld(knex);
    await recordLook(knex, world.networkId, 100);
    const intent = async (seconds: number, waiting: string | null) => {
      const { id } = await createPaymentRow(knex, world);
      await knex('tx_intents').where({ payment_id: id }).delete();
      await knex('tx_intents').insert({
        idempotency_key: randomUUID(),
        account_id: world.operatorAccountId,
        purpose: 'create_deal',
        payment_id: id,
        waiting,
        created_at: ago(seconds),
      });
    };
    await intent(500, 'operator_underfunded');
    expect((await status()).intents).toMatchObject({ status: 'ok', value: null });
    await intent(70, null);
    await intent(65, null);
    expect((await status()).intents).toMatchObject({ status: 'late', bound: 60 });
    await knex('signer_accounts').where({ id: world.operatorAccountId }).update({ status: 'paused' });
    expect((await status()).intents).toMatchObject({ status: 'ok', value: null });
  });
});

describe('GET /api/v1/status of a network', () => {
  const networkOf = async (id: string): Promise<NetworkStatus> =>
    (await status()).network_list.find((network) => network.network_id === id)!;
  const looked = (id: string, columns: Record<string, number>) =>
    knex('network_looks')
      .where({ network_id: id })
      .update(Object.fromEntries(Object.entries(columns).map(([column, seconds]) => [column, ago(seconds)])));

  it('is ok while its watcher stands at the head of a chain at rest, and counts blocks while payments wait for them', async () => {
    const world = await createWorld(knex);
    await recordLook(knex, world.networkId, 100);
    await recordLook(knex, world.networkId, 100);
    await looked(world.networkId, { risen_at: 86_400 });
    expect(await networkOf(world.networkId)).toMatchObject({ status: 'ok', last_block: 100, unit: 'seconds' });
    await knex('tx_slots').insert({
      account_id: world.operatorAccountId,
      nonce: 1,
      to_address: hex(20),
      data: '',
      gas_limit: 1,
      state: 'signed',
    });
    expect(await networkOf(world.networkId)).toMatchObject({ status: 'down' });
    await recordLook(knex, world.networkId, 101);
    expect(await networkOf(world.networkId)).toMatchObject({ status: 'ok', last_block: 101 });
  });

  it('is late and down by its block time when its watcher does not read, and down when it was never watched or is halted', async () => {
    const world = await createWorld(knex);
    const { networkId: id } = world;
    expect(await networkOf(id)).toMatchObject({ status: 'down', value: null, last_block: null });
    await recordLook(knex, id, 100);
    await knex('networks').where({ id }).update({ block_time_ms: 12_000 });
    for (const [seconds, expected] of [
      [110, 'ok'],
      [130, 'late'],
      [370, 'down'],
    ] as const) {
      await looked(id, { looked_at: seconds });
      expect(await networkOf(id)).toMatchObject({ status: expected, bound: 120 });
    }
    await recordLook(knex, id, 100);
    await knex('watch_cursors').insert({ network_id: id, status: 'halted', status_detail: 'another chain' });
    expect([(await networkOf(id)).status, (await status()).status]).toEqual(['down', 'down']);
  });
});
