import knexFactory, { type Knex } from 'knex';
import { insertDealIntents } from '../../../db/payments/deal-intents.ts';
import { createDeploymentStore } from '../../../db/wallets/deployment-store.ts';
import { requestDeployment } from '../../../db/wallets/request-deployment.ts';
import type { DeploymentStore } from '../../../domain/ports/deployment.ts';
import { createTestDatabase } from '../../support/database.ts';
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

it('eight requests at once make one diamond with one row per step, and all answer the same', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, request));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]).toMatchObject({ key: 'preflight', status: 'started' });
  expect(await knex('diamonds').where({ wallet_id: world.walletId })).toHaveLength(1);
  const steps = await knex('deployment_steps')
    .join('deployments', 'deployments.id', 'deployment_id')
    .where({ wallet_id: world.walletId });
  expect(steps).toHaveLength(5);
});

it('walks the steps in order, wants each call once, and ends by activating the diamond', async () => {
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

it('an activation that comes to its end late changes nothing of what came after', async () => {
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

it('a failed step gets a new try by the next request, under the same id', async () => {
  const first = await request();
  await store.failStep((await next())!, { code: 'preflight_failed', message: 'no registry' });
  expect(await next()).toBeNull();
  expect(await request()).toMatchObject({ id: first!.id, status: 'failed' });
  expect(await request()).toMatchObject({ id: first!.id, status: 'started' });
  expect(await next()).toMatchObject({ id: first!.id, generation: 2, status: 'started' });
});

it('a try that comes to its end late changes nothing of what a later one has found', async () => {
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
