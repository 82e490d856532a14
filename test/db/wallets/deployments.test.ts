import knexFactory, { type Knex } from 'knex';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { createDeploymentStore } from '../../../db/wallets/deployment-store.ts';
import { requestDeployment, findRun, requestUpdate } from '../../../db/wallets/request-deployment.ts';
import type { DeploymentStore } from '../../../db/wallets/deployment-store.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';

let knex: Knex;
let store: DeploymentStore;
let world: World;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url });
  store = createDeploymentStore(knex);
});

afterAll(() => knex.destroy());

beforeEach(async () => {
  world = await createWorld(knex, { diamondStatus: null });
});

const request = () =>
  requestDeployment(knex, { walletId: world.walletId, networkId: world.networkId, integrationId: null });
const next = () => store.nextStep(world.walletId, world.networkId);

it('eight requests at once make one diamond with one row per step, and all get the same answer', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, request));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]).toMatchObject({ key: 'preflight', status: 'started' });
  expect(await knex('diamonds').where({ wallet_id: world.walletId })).toHaveLength(1);
  const steps = await knex('deployment_steps')
    .join('deployments', 'deployments.id', 'deployment_id')
    .where({ wallet_id: world.walletId });
  expect(steps).toHaveLength(5);
});

it('any number of requests leave one command waiting for Temporal, and a new run has its own', async () => {
  const commands = async () => {
    const rows = await knex('outbox')
      .where({ workflow_id: `diamond/${world.walletId}/${world.networkId}` })
      .orderBy('id');
    return rows.map(({ delivered_at }) => (delivered_at === null ? 'waits' : 'delivered'));
  };
  const deliver = () => knex('outbox').whereNull('delivered_at').update({ delivered_at: new Date() });
  await Promise.all(Array.from({ length: 4 }, request));
  expect(await commands()).toEqual(['waits']);
  await deliver();
  for (let asked = 0; asked < 3; asked += 1) await request();
  expect(await commands()).toEqual(['delivered', 'waits']);
  await knex('deployment_steps').where({ key: 'preflight' }).update({ status: 'failed' });
  for (let asked = 0; asked < 3; asked += 1) await request();
  expect(await commands()).toEqual(['delivered', 'waits', 'waits']);

  await deliver();
  const run = await knex('deployments').where({ wallet_id: world.walletId }).first();
  await knex('deployments').where({ id: run.id }).update({ status: 'completed' });
  const update = () =>
    requestUpdate(
      knex,
      { walletId: world.walletId, networkId: world.networkId, integrationId: null },
      { after: run.id },
    );
  for (let asked = 0; asked < 3; asked += 1) await update();
  expect(await commands()).toEqual(['delivered', 'delivered', 'delivered', 'waits']);
});

it('a run takes the steps in order, requests each call once, and ends by activating the diamond', async () => {
  const waiting = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [waiting.id]);
  expect(await knex('tx_intents').where({ payment_id: waiting.id })).toEqual([]);
  await request();
  const seen: string[] = [];
  for (let step = await next(); step !== null; step = await next()) {
    seen.push(step.key);
    if (step.key === 'deploy_diamond') {
      const call = { purpose: 'create_diamond', what: 'diamond', to: hex(20), data: hex(4) } as const;
      await store.requestCall(step, call);
      await store.requestCall(step, call);
      expect(await store.requestedCalls(step)).toMatchObject([{ what: 'diamond', state: 'queued', outcome: null }]);
      const keys = await knex('tx_intents').where({ step_id: step.id }).pluck('idempotency_key');
      expect(keys).toEqual([`step:${step.id}:g1:diamond`]);
    }
    if (step.key === 'activate') await store.activateDiamond(step, '1.0.0');
    else await store.completeStep(step);
  }
  expect(seen).toEqual(['preflight', 'deploy_facets', 'deploy_diamond', 'verify', 'activate']);
  expect(await request()).toMatchObject({ key: 'activate', status: 'completed' });
  expect(await knex('diamonds').where({ wallet_id: world.walletId }).first()).toMatchObject({
    status: 'active',
    release: '1.0.0',
  });
  expect(await knex('tx_intents').where({ payment_id: waiting.id }).pluck('state')).toEqual(['queued']);
});

it('a late activation changes nothing that came after', async () => {
  await request();
  const waiting = await createPaymentRow(knex, world);
  for (let step = await next(); step?.key !== 'activate'; step = await next()) await store.completeStep(step!);
  const late = (await next())!;
  await store.activateDiamond(late, '1.0.0');
  await knex('diamonds').where({ wallet_id: world.walletId }).update({ release: '1.1.0' });
  const wait = { status_detail: 'operator_underfunded' };
  await knex('payments').where({ id: waiting.id }).update(wait);
  // It was given to another worker because it had fallen silent, and ends all the same.
  await store.activateDiamond(late, '1.0.0');
  expect(await knex('diamonds').where({ wallet_id: world.walletId }).first()).toMatchObject({ release: '1.1.0' });
  expect(await knex('payments').where({ id: waiting.id }).first()).toMatchObject(wait);
});

/** A deployment that has only its activation to do, and a payment that waits for it. */
const reachActivation = async () => {
  await request();
  const { id } = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [id]);
  for (let step = await next(); step?.key !== 'activate'; step = await next()) await store.completeStep(step!);
  return { id, step: (await next())! };
};
const detailOf = (id: string): Promise<string[]> => knex('payments').where({ id }).pluck('status_detail');

it('an activation locks the diamond before its payments, as a new payment does', async () => {
  const { id, step } = await reachActivation();
  const open = await knex.transaction();
  await open('diamonds').where({ wallet_id: world.walletId }).forShare();
  await store.showWaiting(step, 'network_unreachable');
  const activation = store.activateDiamond(step, '1.0.0');
  try {
    await eventually(async () => {
      const waits =
        'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0';
      return (await knex.raw<{ rows: unknown[] }>(waits)).rows.length > 0;
    });
    await open.raw('SELECT id FROM payments WHERE id = ? FOR NO KEY UPDATE NOWAIT', [id]);
  } finally {
    await open.rollback();
    await activation;
  }
  expect(await detailOf(id)).toEqual([null]);
});

it('an activation ends the waiting reason of a payment, and starts no other', async () => {
  const { id, step } = await reachActivation();
  await store.showWaiting(step, 'network_unreachable');
  await store.activateDiamond(step, '1.0.0');
  const waits = await knex('payment_waits').where({ payment_id: id }).orderBy('id').select('event_type', 'reason');
  expect(waits.map(({ event_type, reason }) => `${event_type} ${reason}`).slice(-2)).toEqual([
    'waiting_started network_unreachable',
    'waiting_ended network_unreachable',
  ]);
  expect(await knex('deployments').where({ wallet_id: world.walletId }).first()).toMatchObject({
    status: 'completed',
    status_detail: null,
  });
});

it('a late run shows nothing on the payments of a failed deployment', async () => {
  await request();
  const { id } = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [id]);
  const late = (await next())!;
  await store.showWaiting(late, 'network_unreachable');
  expect(await detailOf(id)).toEqual(['network_unreachable']);
  await store.failStep(late, { code: 'preflight_failed', message: 'no registry' });
  expect(await detailOf(id)).toEqual(['diamond_missing']);
  await store.showWaiting(late, 'network_unreachable');
  expect(await detailOf(id)).toEqual(['diamond_missing']);
});

it('a failed step gets a new attempt by the next request, under the same id', async () => {
  const first = await request();
  await store.failStep((await next())!, { code: 'preflight_failed', message: 'no registry' });
  expect(await next()).toBeNull();
  expect(await request()).toMatchObject({ id: first!.id, status: 'failed' });
  expect(await request()).toMatchObject({ id: first!.id, status: 'started' });
  expect(await next()).toMatchObject({ id: first!.id, generation: 2, status: 'started' });
});

it('a late attempt changes nothing that a later one has found', async () => {
  await request();
  const late = (await next())!;
  await store.failStep(late, { code: 'preflight_failed', message: 'no registry' });
  // It was given to another worker because it had fallen silent, and ends all the same.
  await store.completeStep(late);
  expect(await request()).toMatchObject({ id: late.id, status: 'failed' });
  expect(await next()).toMatchObject({ id: late.id, generation: 2, status: 'started' });
  await store.failStep(late, { code: 'preflight_failed', message: 'no registry' });
  expect(await next()).toMatchObject({ id: late.id, generation: 2, status: 'started' });
  await store.completeStep((await next())!);
  await store.failStep({ ...late, generation: 2 }, { code: 'preflight_failed', message: 'no registry' });
  expect(await next()).toMatchObject({ key: 'deploy_facets', status: 'started' });
});

it('the newest run is the one requested last, though the clock stepped back meanwhile', async () => {
  const insert = async (created_at: string): Promise<string> => {
    const { walletId: wallet_id, networkId: network_id } = world;
    const row = { wallet_id, network_id, kind: 'update', status: 'completed', created_at };
    return (await knex('deployments').insert(row).returning<{ id: string }[]>('id'))[0]!.id;
  };
  await insert('2026-02-02');
  const newest = await insert('2026-02-01');
  expect(await findRun(knex, world.walletId, world.networkId)).toEqual({ id: newest, isFinished: true });
});
