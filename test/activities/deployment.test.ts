import { MockActivityEnvironment } from '@temporalio/testing';
import type { Knex } from 'knex';
import { createDeploymentActivities, type StepOutcome } from '../../activities/deployment.ts';
import { connect } from '../../db/connection.ts';
import { createDeploymentStore } from '../../db/wallets/deployment-store.ts';
import { requestDeployment } from '../../db/wallets/request-deployment.ts';
import type { Deployer } from '../../domain/ports/deployment.ts';
import { createTestDatabase } from '../support/database.ts';
import { createWorld, hex, type World } from '../support/fixtures.ts';

let knex: Knex;
let world: World;
let points: string[];
let dieAt: string | null;
let facets: string[];
let hasDiamond: boolean;
let activities: ReturnType<typeof createDeploymentActivities>;

const deployer: Deployer = {
  preflight: () => Promise.resolve(null),
  missingFacets: () => Promise.resolve(facets.map((name) => ({ name, to: hex(20), data: '0x01' }))),
  hasDiamond: () => Promise.resolve(hasDiamond),
  createDiamondCall: () => ({ to: hex(20), data: '0x02' }),
  refuseAdoption: () => Promise.resolve(null),
  verifyDiamond: () => Promise.resolve(null),
  inspect: () => Promise.resolve({ blockNumber: 1, isThere: true, contracts: [], cut: null }),
  releaseLike: () => Promise.resolve('1.0.0'),
  isConfirmed: () => Promise.resolve(true),
};

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = connect(url, { pool: 5 });
  activities = createDeploymentActivities({
    deployments: createDeploymentStore(knex),
    deployer: () => Promise.resolve(deployer),
    failpoint: (point) => {
      points.push(point);
      if (point === dieAt) throw new Error(`died at ${point}`);
    },
  });
});

afterAll(() => knex.destroy());

beforeEach(async () => {
  world = await createWorld(knex, { diamondStatus: null });
  await requestDeployment(knex, { ...world, integrationId: null });
  points = [];
  dieAt = null;
  facets = [];
  hasDiamond = false;
});

const next = () => activities.nextStep(world.walletId, world.networkId);
const run = (stepId: string): Promise<StepOutcome> =>
  new MockActivityEnvironment().run(() => activities.runStep(world.walletId, world.networkId, stepId));
const intents = () => knex('tx_intents').whereNotNull('step_id').where({ account_id: world.upgraderAccountId });

/** Runs steps until one waits. */
const runUntilWaiting = async (): Promise<string> => {
  for (;;) {
    const step = await next();
    if (step === null) return 'done';
    if ((await run(step.id)).status === 'waiting') return step.key;
  }
};

it('wants one transaction for each missing facet, however often the step is run', async () => {
  facets = ['CutFacet', 'DealFacet'];
  expect(await runUntilWaiting()).toBe('deploy_facets');
  expect(await runUntilWaiting()).toBe('deploy_facets');
  expect(await intents()).toHaveLength(2);
});

it('a step that was finished by a try whose answer was lost is completed', async () => {
  const step = await next();
  expect(await run(step!.id)).toMatchObject({ status: 'completed', detail: null });
  expect(await run(step!.id)).toMatchObject({ status: 'completed', detail: null });
  expect((await next())!.key).toBe('deploy_facets');
});

it.each(['runStep:before', 'runStep:after_effect', 'runStep:after_record'])(
  'a process that dies at %s leaves nothing doubled',
  async (point) => {
    dieAt = point;
    for (;;) {
      const step = await next();
      if (step === null) break;
      await run(step.id).catch(() => undefined);
      dieAt = null;
      await run(step.id);
      hasDiamond = (await intents()).length > 0;
      dieAt = point;
      if (hasDiamond && (await next()) === null) break;
    }
    expect(points).toContain(point);
    expect(await intents()).toHaveLength(1);
    expect(await knex('diamonds').where({ wallet_id: world.walletId }).first()).toMatchObject({ status: 'active' });
  },
);
