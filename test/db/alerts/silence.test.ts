import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import knexFactory from 'knex';
import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import { raiseOfSilence } from '../../../db/alerts/silence.ts';
import { recordLife, recordLook, recordStop } from '../../../db/processes/processes.ts';
import { operatorWebhookId } from '../../../domain/alerts/alert.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld } from '../../support/fixtures.ts';
import { storeOperator } from '../../support/operator.ts';
import { newSecret } from '../../support/webhooks.ts';

const SECONDS = 30;
let knex: Knex;
const worker = { id: randomUUID(), kind: 'worker', name: '1@here' } as const;
const other = { id: randomUUID(), kind: 'worker', name: '2@here' } as const;
const api = { id: randomUUID(), kind: 'api', name: '3@here' } as const;

beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: (await createTestDatabase()).url, pool: { min: 0, max: 12 } });
  await storeOperator(knex, 'http://127.0.0.1:1/', newSecret());
});
beforeEach(async () => {
  for (const table of ['processes', 'alerts', 'webhook_deliveries', 'webhook_events']) await knex(table).delete();
  for (const process of [worker, api]) await recordLife(knex, process, true);
});
afterAll(() => knex.destroy());

const ago = (seconds: number) => knex.raw(`clock_timestamp() - make_interval(secs => ${seconds})`);
const silent = (id: string, columns: readonly string[], seconds = SECONDS + 1) =>
  knex('processes')
    .where({ id })
    .update(Object.fromEntries(columns.map((column) => [column, ago(seconds)])));
const raise = async () => (await raiseOfSilence(knex, SECONDS)).map(({ kind }) => kind);
const close = async () => (await closeWhatIsOver(knex)).map(({ kind }) => kind);
const told = () =>
  knex('webhook_deliveries AS d')
    .join('webhook_events AS e', 'e.id', 'd.event_id')
    .where({ 'd.webhook_id': operatorWebhookId })
    .orderBy('d.id')
    .select('e.type', 'd.state', knex.raw("e.snapshot ->> 'kind' AS kind"));

it('no alert is raised while a worker lives and Temporal answers it', async () => {
  await silent(worker.id, ['beat_at', 'temporal_at'], SECONDS - 5);
  expect([await raise(), await close()]).toEqual([[], []]);
});

it('one alert and one delivery report that no worker is left, whichever process sees it first, and one that a worker is back', async () => {
  await silent(worker.id, ['beat_at', 'temporal_at']);
  const raised = await Promise.all(Array.from({ length: 10 }, raise));
  expect(raised.flat()).toEqual(['workers_gone']);
  expect(await close()).toEqual([]);
  await recordLife(knex, worker, true);
  const closed = await Promise.all(Array.from({ length: 10 }, close));
  expect(closed.flat()).toEqual(['workers_gone']);
  expect(await told()).toEqual([
    { type: 'alert.raised', state: 'pending', kind: 'workers_gone' },
    { type: 'alert.closed', state: 'pending', kind: 'workers_gone' },
  ]);
});

it('a worker told to stop is missed as late as a killed one, and does not count as one that is back', async () => {
  await recordStop(knex, worker.id);
  expect(await raise()).toEqual([]);
  await silent(worker.id, ['beat_at']);
  expect(await raise()).toEqual(['workers_gone']);
  await silent(worker.id, ['beat_at'], 1);
  expect(await close()).toEqual([]);
});

it('a worker that never was is not missed', async () => {
  await knex('processes').delete();
  await recordLife(knex, api, true);
  expect(await raise()).toEqual(['workers_gone']);
});

it('Temporal must answer a worker where one lives, and otherwise an api', async () => {
  await recordLife(knex, other, true);
  for (const { id } of [worker, other]) await silent(id, ['temporal_at']);
  expect(await raise()).toEqual(['temporal_unreachable']);
  expect(await raise()).toEqual([]);
  for (const { id } of [worker, other]) await silent(id, ['beat_at', 'temporal_at']);
  expect(await close()).toEqual(['temporal_unreachable']);
  expect(await raise()).toEqual(['workers_gone']);
  await silent(api.id, ['temporal_at']);
  expect(await raise()).toEqual(['temporal_unreachable']);
  await recordLife(knex, worker, false);
  expect(await close()).toEqual(['workers_gone']);
  await recordLife(knex, worker, true);
  expect(await close()).toEqual(['temporal_unreachable']);
});

it('a worker that Temporal has not answered is told by its name beside another one, until it is answered or gone', async () => {
  await recordLife(knex, other, false);
  expect(await raise()).toEqual([]);
  await silent(other.id, ['started_at']);
  expect([await raise(), await raise(), await close()]).toEqual([['temporal_unreachable'], [], []]);
  expect(await knex('alerts').where({ closed_at: null }).pluck('data')).toEqual([
    { process: other.name, seconds: SECONDS },
  ]);
  await recordLife(knex, other, true);
  expect(await close()).toEqual(['temporal_unreachable']);

  await silent(other.id, ['started_at', 'temporal_at']);
  // It is the first of all workers to miss a Temporal that has stopped.
  await silent(worker.id, ['temporal_at'], SECONDS - 8);
  expect(await raise()).toEqual([]);
  await recordLife(knex, worker, true);
  expect(await raise()).toEqual(['temporal_unreachable']);
  await recordStop(knex, other.id);
  expect(await close()).toEqual(['temporal_unreachable']);
});

it('a network whose chain stands still raises an alert while work waits for its blocks', async () => {
  const { networkId } = await createWorld(knex);
  const look = () => knex('network_looks').where({ network_id: networkId });
  await recordLook(knex, networkId, 17);
  await look().update({ risen_at: ago(SECONDS + 1) });
  expect(await raise()).toEqual([]);
  const world = await createWorld(knex);
  await recordLook(knex, world.networkId, 17);
  await knex('network_looks')
    .where({ network_id: world.networkId })
    .update({ risen_at: ago(SECONDS + 1) });
  const { id } = await createPaymentRow(knex, world);
  await knex('payments').where({ id }).update({ status: 'processing' });
  // A chain may make blocks on demand only, so nothing is missed before the payment has waited as long.
  expect(await raise()).toEqual([]);
  await knex('payments')
    .where({ id })
    .update({ updated_at: ago(SECONDS + 1) });
  expect(await raise()).toEqual(['network_still']);
  expect([await raise(), await close()]).toEqual([[], []]);
  await recordLook(knex, world.networkId, 18);
  expect(await close()).toEqual(['network_still']);

  // After a time without reads it is unknown whether the chain stood still: the next block is awaited anew.
  await knex('network_looks').update({ looked_at: ago(21), risen_at: ago(SECONDS + 1) });
  await recordLook(knex, world.networkId, 18);
  expect(await raise()).toEqual([]);

  // A watcher that is not at work knows of no block.
  await knex('network_looks').update({ looked_at: ago(SECONDS + 1), risen_at: ago(SECONDS + 1) });
  expect(await raise()).toEqual([]);
});
