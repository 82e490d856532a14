import { MockActivityEnvironment } from '@temporalio/testing';
import type { Knex } from 'knex';
import { createDeploymentActivities, type StepOutcome } from '../../activities/deployment.ts';
import { release } from '../../chain/pure/releases.ts';
import { connect } from '../../db/connection.ts';
import { createDeploymentStore } from '../../db/wallets/deployment-store.ts';
import { requestDeployment } from '../../db/wallets/request-deployment.ts';
import { requestUpdate } from '../../db/wallets/request-update.ts';
import type { DeploymentKind } from '../../domain/deployment.ts';
import type { Deployer, DeploymentProblem } from '../../domain/ports/deployment.ts';
import type { PlannedCut } from '../../domain/version-check.ts';
import { createTestDatabase } from '../support/database.ts';
import { contractsOf, createWorld, hex, type World } from '../support/fixtures.ts';

let knex: Knex;
let world: World;
let points: string[];
let dieAt: string | null;
let facets: string[];
let hasDiamond: boolean;
let loupe: string | null;
let blockNumber: number;
let problem: DeploymentProblem | null;
let unknownRelease: string | null;
let activities: ReturnType<typeof createDeploymentActivities>;

const planFrom = (expectedLoupeHash: string): PlannedCut => ({
  to: hex(20),
  data: '0x03',
  cuts: [],
  expectedLoupeHash,
});

const deployer: Deployer = {
  preflight: () => Promise.resolve(problem),
  missingFacets: () => Promise.resolve(facets.map((name) => ({ name, to: hex(20), data: '0x01' }))),
  createDiamondCall: () => ({ to: hex(20), data: '0x02' }),
  refuseAdoption: () => Promise.resolve(null),
  inspect: () =>
    Promise.resolve({
      ...{ blockNumber, isThere: hasDiamond, contracts: contractsOf(release.version, hasDiamond) },
      ...{ cut: loupe === null ? null : planFrom(loupe) },
      ...(unknownRelease === null ? {} : { cut: null, unknownRelease }),
    }),
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

beforeEach(() => {
  points = [];
  dieAt = null;
  facets = [];
  hasDiamond = false;
  loupe = null;
  blockNumber = 10;
  problem = null;
  unknownRelease = null;
});

/** A wallet whose diamond is to be deployed, or is there and to be cut. */
const begin = async (kind: DeploymentKind): Promise<void> => {
  world = await createWorld(knex, { diamondStatus: kind === 'deploy' ? null : 'active' });
  const request = { ...world, integrationId: null };
  await (kind === 'deploy' ? requestDeployment(knex, request) : updateAgain());
  if (kind === 'deploy') return;
  hasDiamond = true;
  loupe = hex(32);
};
const updateAgain = () => requestUpdate(knex, { ...world, integrationId: null }, null);

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

const diamond = () => knex('diamonds').where({ wallet_id: world.walletId }).first();
const failed = () => knex('deployment_steps').where({ status: 'failed' }).orderBy('updated_at', 'desc').first();

describe.each(['deploy', 'update'] as const)('a run of kind %s', (kind) => {
  beforeEach(() => begin(kind));

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
    'a process that dies at %s in every step leaves nothing doubled',
    async (point) => {
      const died = new Set<string>();
      for (let step = await next(); step !== null; step = await next()) {
        dieAt = died.has(step.id) ? null : point;
        died.add(step.id);
        await run(step.id).catch(() => undefined);
        // What was wanted is mined while nobody looks.
        const wanted = (await intents()) as { purpose: string }[];
        if (wanted.some(({ purpose }) => purpose === 'create_diamond')) hasDiamond = true;
        if (wanted.some(({ purpose }) => purpose === 'diamond_cut')) loupe = null;
      }
      expect(points.filter((passed) => passed === point).length).toBeGreaterThanOrEqual(5);
      expect(died.size).toBe(5);
      const purpose = kind === 'deploy' ? 'create_diamond' : 'diamond_cut';
      expect(await intents()).toMatchObject([{ purpose }]);
      expect(await diamond()).toMatchObject({ status: 'active', release: release.version, updating: false });
    },
  );
});

describe('a cut', () => {
  beforeEach(() => begin('update'));

  /** What lanes and blocks make of the call that is wanted. */
  const settle = (state: 'assigned' | 'settled', outcome: 'effective' | 'no_effect' | null = null) =>
    knex.transaction(async (trx) => {
      const [intent] = (await intents()) as { id: string }[];
      const place = state === 'settled' ? { state: 'confirmed', block_number: blockNumber } : {};
      const call = { nonce: 1, to_address: hex(20), data: Buffer.alloc(4), gas_limit: 1 };
      const [slot] = await trx('tx_slots')
        .insert({ account_id: world.upgraderAccountId, ...call, ...place })
        .onConflict(['account_id', 'nonce'])
        .merge()
        .returning<{ id: string }[]>('id');
      await trx('tx_intents').where({ id: intent!.id }).update({ state, outcome, slot_id: slot!.id });
    });

  it('with nothing to do there is no transaction', async () => {
    loupe = null;
    expect(await runUntilWaiting()).toBe('done');
    expect(await intents()).toEqual([]);
  });

  it('that no slot has yet is withdrawn when the diamond has changed, and planned anew by the next request', async () => {
    expect(await runUntilWaiting()).toBe('cut');
    loupe = hex(32);
    expect(await runUntilWaiting()).toBe('done');
    expect(await failed()).toMatchObject({ key: 'cut', error_code: 'loupe_changed' });
    expect(await intents()).toMatchObject([{ state: 'withdrawn' }]);
    expect(await diamond()).toMatchObject({ updating: false });

    expect(await updateAgain()).toMatchObject({ step: { key: 'cut', status: 'failed' }, isUnderWay: true });
    expect(await runUntilWaiting()).toBe('cut');
    expect((await intents()).map(({ idempotency_key: key }: { idempotency_key: string }) => key.slice(-66))).toContain(
      loupe,
    );
    loupe = null;
    expect(await runUntilWaiting()).toBe('done');
    expect(await knex('deployments').where({ wallet_id: world.walletId })).toMatchObject([{ status: 'completed' }]);
  });

  it('that is under way is waited for before the step fails', async () => {
    expect(await runUntilWaiting()).toBe('cut');
    await settle('assigned');
    problem = { code: 'facet_not_approved', message: 'revoked' };
    expect(await runUntilWaiting()).toBe('cut');
    await settle('settled', 'no_effect');
    expect(await runUntilWaiting()).toBe('done');
    expect(await failed()).toMatchObject({ key: 'cut', error_code: 'facet_not_approved' });
  });

  it('without effect fails the step', async () => {
    expect(await runUntilWaiting()).toBe('cut');
    await settle('settled', 'no_effect');
    expect(await runUntilWaiting()).toBe('done');
    expect(await failed()).toMatchObject({ key: 'cut', error_code: 'transaction_failed' });
  });

  it('is refused before anything is sent where a facet is not approved', async () => {
    const steps = [await next()];
    await run(steps[0]!.id);
    await run((await next())!.id);
    problem = { code: 'facet_not_approved', message: 'revoked' };
    await run((await next())!.id);
    expect(await failed()).toMatchObject({ key: 'cut', error_code: 'facet_not_approved' });
    expect(await intents()).toEqual([]);
    expect(await diamond()).toMatchObject({ updating: false });
  });

  it('is not done where root has set a release of none of ours meanwhile', async () => {
    await run((await next())!.id);
    await run((await next())!.id);
    unknownRelease = '9.0.0';
    await run((await next())!.id);
    expect(await failed()).toMatchObject({ key: 'cut', error_code: 'release_mismatch' });
    expect(await intents()).toEqual([]);
  });

  it('that was undone before it was verified fails that step', async () => {
    expect(await runUntilWaiting()).toBe('cut');
    loupe = null;
    await run((await next())!.id);
    loupe = hex(32);
    await runUntilWaiting();
    expect(await failed()).toMatchObject({ key: 'verify', error_code: 'loupe_changed' });
  });

  it.each(['assigned', 'settled'] as const)('that is %s is not undone for a look from before it', async (state) => {
    expect(await runUntilWaiting()).toBe('cut');
    const before = loupe;
    loupe = null;
    await settle(state, state === 'settled' ? 'effective' : null);
    await run((await next())!.id);
    // An endpoint that is behind, or a block that was reorganised away.
    [blockNumber, loupe] = [9, before];
    expect(await runUntilWaiting()).toBe('verify');
    [blockNumber, loupe] = [11, null];
    expect(await runUntilWaiting()).toBe('done');
    expect(await diamond()).toMatchObject({ release: release.version, updating: false });
  });

  it('is not wanted by a try that is over', async () => {
    expect(await runUntilWaiting()).toBe('cut');
    const store = createDeploymentStore(knex);
    const stale = (await store.nextStep(world.walletId, world.networkId))!;
    await store.failStep(stale, { code: 'test', message: 'over' });
    await store.requestCall(stale, { purpose: 'diamond_cut', what: 'cut:late', to: hex(20), data: '0x04' });
    expect(await intents()).toMatchObject([{ state: 'withdrawn' }]);
    expect(await diamond()).toMatchObject({ updating: false });
  });
});

it('eight requests at once are one run', async () => {
  await begin('update');
  const answers = await Promise.all(Array.from({ length: 8 }, updateAgain));
  expect(new Set(answers.map(({ step }) => step.id)).size).toBe(1);
  expect(await knex('deployments').where({ wallet_id: world.walletId })).toHaveLength(1);
  loupe = null;
  expect(await runUntilWaiting()).toBe('done');
  // Whoever looked before it ended finds it ended.
  const [{ id }] = (await knex('deployments').where({ wallet_id: world.walletId })) as [{ id: string }];
  const request = { ...world, integrationId: null };
  expect(await requestUpdate(knex, request, null)).toMatchObject({ step: { key: 'activate' }, isUnderWay: false });
  expect(await requestUpdate(knex, request, { after: hex(16) })).toMatchObject({ isUnderWay: false });
  expect(await requestUpdate(knex, request, { after: id })).toMatchObject({
    step: { key: 'preflight' },
    isUnderWay: true,
  });
});
