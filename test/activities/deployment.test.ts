import { MockActivityEnvironment } from '@temporalio/testing';
import type { Knex } from 'knex';
import { createDeploymentActivities, type StepOutcome } from '../../activities/deployment.ts';
import { release } from '../../chain/pure/releases.ts';
import { closeWhatIsOver } from '../../db/alerts/over.ts';
import { connect } from '../../db/connection.ts';
import { recordWaiting } from '../../db/intents/waiting.ts';
import { insertDealIntents } from '../../db/intents/deals.ts';
import { createDeploymentStore } from '../../db/wallets/deployment-store.ts';
import { requestDeployment, requestUpdate } from '../../db/wallets/request-deployment.ts';
import type { DeploymentKind } from '../../domain/deployment.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import type { Deployer, DeploymentProblem } from '../../domain/ports/deployment.ts';
import type { PlannedCut } from '../../domain/version-check.ts';
import { createTestDatabase } from '../support/database.ts';
import { contractsOf, createPaymentRow, createWorld, hex, type World } from '../support/fixtures.ts';

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
let trouble: Error | null;
let lines: { message: string; fields: Record<string, unknown> }[];
let activities: ReturnType<typeof createDeploymentActivities>;

const note = (message: string, fields: Record<string, unknown> = {}): void => void lines.push({ message, fields });

const planFrom = (expectedLoupeHash: string): PlannedCut => ({
  to: hex(20),
  data: '0x03',
  cuts: [],
  expectedLoupeHash,
});

const deployer: Deployer = {
  preflight: () => Promise.resolve(problem),
  missingFacets: () =>
    Promise.resolve({ blockNumber, facets: facets.map((name) => ({ name, to: hex(20), data: '0x01' })) }),
  createDiamondCall: () => ({ to: hex(20), data: '0x02' }),
  refuseAdoption: () => Promise.resolve(null),
  inspect: () =>
    Promise.resolve({
      blockNumber,
      isThere: hasDiamond,
      contracts: contractsOf(release.version, hasDiamond),
      cut: loupe === null ? null : planFrom(loupe),
      ...(unknownRelease === null ? {} : { cut: null, unknownRelease }),
    }),
};

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = connect(url, { pool: 5 });
  activities = createDeploymentActivities({
    deployments: createDeploymentStore(knex),
    deployer: () => (trouble === null ? Promise.resolve(deployer) : Promise.reject(trouble)),
    networkTrouble: (error) => (error === trouble ? 'network_unreachable' : null),
    log: { debug: note, info: note, warn: note, error: note },
    failpoint: (point) => {
      points.push(point);
      if (point === dieAt) throw new Error(`died at ${point}`);
    },
  });
});

afterAll(() => knex.destroy());

beforeEach(() => {
  points = [];
  lines = [];
  dieAt = null;
  facets = [];
  hasDiamond = false;
  loupe = null;
  blockNumber = 10;
  problem = null;
  unknownRelease = null;
  trouble = null;
});

/** A wallet whose diamond is absent and to be deployed, or present and to be cut. */
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

const alerts = () => knex('alerts').where({ network_id: world.networkId }).orderBy('id');

/** Runs steps until one waits. */
const runUntilWaiting = async (): Promise<string> => {
  for (;;) {
    const step = await next();
    if (step === null) return 'done';
    if ((await run(step.id)).status === 'waiting') return step.key;
  }
};

const diamond = () => knex('diamonds').where({ wallet_id: world.walletId }).first();
const failed = () =>
  knex('deployment_steps as s')
    .join('deployments as d', 'd.id', 's.deployment_id')
    .where({ 's.status': 'failed', 'd.wallet_id': world.walletId })
    .select('s.*')
    .orderBy('s.updated_at', 'desc')
    .first();

describe.each(['deploy', 'update'] as const)('a run of kind %s', (kind) => {
  beforeEach(() => begin(kind));

  it('requests one transaction for each missing facet, however often the step runs', async () => {
    facets = ['CutFacet', 'DealFacet'];
    expect(await runUntilWaiting()).toBe('deploy_facets');
    expect(await runUntilWaiting()).toBe('deploy_facets');
    expect(await intents()).toHaveLength(2);
  });

  it('completes a step again whose first answer was lost', async () => {
    const step = await next();
    expect(await run(step!.id)).toMatchObject({ status: 'completed', detail: null });
    expect(await run(step!.id)).toMatchObject({ status: 'completed', detail: null });
    expect((await next())!.key).toBe('deploy_facets');
  });

  it.each(['runStep:before', 'runStep:after_effect', 'runStep:after_record'])(
    'makes nothing twice when a process dies at %s in every step',
    async (point) => {
      const died = new Set<string>();
      for (let step = await next(); step !== null; step = await next()) {
        dieAt = died.has(step.id) ? null : point;
        died.add(step.id);
        await run(step.id).catch(() => undefined);
        // The transaction is mined between two steps.
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

describe('a run that fails', () => {
  beforeEach(() => begin('deploy'));
  const again = () => requestDeployment(knex, { ...world, integrationId: null });

  it('raises one alert for the node of its wallet, by name, until a new request', async () => {
    problem = { code: 'role_missing', message: 'no role in the registry' };
    const step = await next();
    expect(await run(step!.id)).toMatchObject({ status: 'failed' });
    // Again, because the first answer may have been lost.
    expect(await run(step!.id)).toEqual({ status: 'failed', detail: 'role_missing: no role in the registry' });
    const data = { wallet_id: world.walletId, diamond: world.diamondAddress, step: 'preflight', code: 'role_missing' };
    const [alert, ...others] = await alerts();
    expect([alert, others]).toMatchObject([
      { kind: 'deployment_failed', is_condition: true, node_id: world.nodeId, closed_at: null, data },
      [],
    ]);
    expect(lines).toEqual([{ message: alert.message, fields: { alert: 'deployment_failed', ...data } }]);
    expect(alert.message).toBe(
      `The deployment of the diamond ${world.diamondAddress} has failed at preflight: no role in the registry`,
    );
    await closeWhatIsOver(knex);
    expect((await alerts()).map(({ closed_at }) => closed_at)).toEqual([null]);
    await again();
    await closeWhatIsOver(knex);
    expect(await alerts()).toMatchObject([{ closed_at: expect.any(Date), closed_by: null }]);
    await run((await next())!.id);
    expect(await alerts()).toMatchObject([{}, { kind: 'deployment_failed', closed_at: null }]);
    await knex('wallets').where({ id: world.walletId }).update({ deleted_at: knex.fn.now() });
    await closeWhatIsOver(knex);
    expect(await alerts()).toMatchObject([{}, { closed_at: expect.any(Date) }]);
  });

  it('raises a new alert with the present reason when it follows before the former alert is closed', async () => {
    problem = { code: 'role_missing', message: 'no role in the registry' };
    await run((await next())!.id);
    await again();
    problem = { code: 'registry_missing', message: 'no registry' };
    await run((await next())!.id);
    expect(await alerts()).toMatchObject([
      { closed_at: expect.any(Date), closed_by: null, data: { code: 'role_missing' } },
      { closed_at: null, data: { code: 'registry_missing' } },
    ]);
    expect(lines.map(({ fields }) => fields['code'])).toEqual(['role_missing', 'registry_missing']);
  });

  it('writes a log line and raises no alert when the cause is an address that a client gave', async () => {
    problem = { code: 'not_our_diamond', message: 'our registry did not create it' };
    await run((await next())!.id);
    expect(await alerts()).toEqual([]);
    const place = { wallet: world.walletId, network: world.networkId, step: 'preflight' };
    expect(lines).toEqual([
      {
        message: 'A deployment or an update has failed',
        fields: { ...place, code: problem.code, reason: problem.message },
      },
    ]);
  });
});

it.each(['deploy_facets', 'deploy_diamond', 'cut'])(
  '%s does not fail because of an inspection from before its transaction',
  async (key) => {
    await begin(key === 'cut' ? 'update' : 'deploy');
    facets = key === 'deploy_facets' ? ['DealFacet'] : [];
    expect(await runUntilWaiting()).toBe(key);
    // Somebody else deployed it first, and an endpoint is behind that block.
    await settle('settled', 'no_effect');
    blockNumber -= 1;
    expect(await runUntilWaiting()).toBe(key);
    blockNumber += 1;
    [facets, hasDiamond, loupe] = [[], true, null];
    expect(await runUntilWaiting()).toBe('done');
    expect(await failed()).toBeUndefined();
  },
);

describe('a step that waits', () => {
  beforeEach(() => begin('deploy'));
  const runDetail = async () => (await knex('deployments').where({ wallet_id: world.walletId }).first()).status_detail;
  const details = (id: string) => knex('payments').where({ id }).pluck('status_detail');
  const commands = async () =>
    (await knex('outbox').whereRaw(`payload -> 'input' ->> 'walletId' = ?`, [world.walletId])).length;
  const wait = (reason: WaitingDetail | null) =>
    knex.transaction(async (trx) => {
      const ids = (await intents().transacting(trx).where({ state: 'queued' })).map(({ id }) => String(id));
      await recordWaiting(trx, world.upgraderAccountId, ids, reason);
    });

  it('says at once what its transactions wait for, and so do its run and the payments that wait for the diamond', async () => {
    const early = await createPaymentRow(knex, world);
    await knex('payments').where({ id: early.id }).update({ status_detail: 'diamond_missing' });
    expect(await runUntilWaiting()).toBe('deploy_diamond');
    expect([await runDetail(), await details(early.id)]).toEqual([null, ['diamond_missing']]);
    const asked = await commands();

    await wait('operator_underfunded');
    expect(await commands()).toBe(asked + 1);
    const step = await next();
    expect(await run(step!.id)).toMatchObject({
      status: 'waiting',
      waiting: 'operator_underfunded',
      detail: 'waits for diamond on the chain: operator_underfunded',
    });
    expect([await runDetail(), await details(early.id)]).toEqual(['operator_underfunded', ['operator_underfunded']]);
    const late = await createPaymentRow(knex, world);
    await knex('payments').where({ id: late.id }).update({ status_detail: 'diamond_missing' });
    await insertDealIntents(knex, [late.id]);
    expect(await details(late.id)).toEqual(['operator_underfunded']);

    await wait(null);
    expect(await commands()).toBe(asked + 2);
    await run(step!.id);
    expect([await runDetail(), await details(early.id)]).toEqual([null, ['diamond_missing']]);
    hasDiamond = true;
    await runUntilWaiting();
    expect([await runDetail(), await details(early.id)]).toEqual([null, [null]]);
  });

  it('says from its second attempt on that its network does not answer, and goes on when it does', async () => {
    const payment = await createPaymentRow(knex, world);
    trouble = new Error('no endpoint answers');
    const step = await next();
    await expect(run(step!.id)).rejects.toThrow('no endpoint answers');
    const again = () =>
      new MockActivityEnvironment({ attempt: 2 }).run(() =>
        activities.runStep(world.walletId, world.networkId, step!.id),
      );
    expect(await again()).toMatchObject({ status: 'waiting', detail: 'waits for the network: network_unreachable' });
    expect([await runDetail(), await details(payment.id)]).toEqual(['network_unreachable', ['network_unreachable']]);
    trouble = null;
    expect(await runUntilWaiting()).toBe('deploy_diamond');
    expect([await runDetail(), await details(payment.id)]).toEqual([null, ['diamond_missing']]);
  });

  it('loses its waiting reason when it fails, and payments wait for the diamond again', async () => {
    const payment = await createPaymentRow(knex, world);
    await runUntilWaiting();
    await wait('fees_above_ceiling');
    await run((await next())!.id);
    await createDeploymentStore(knex).failStep(
      (await createDeploymentStore(knex).nextStep(world.walletId, world.networkId))!,
      { code: 'transaction_failed', message: 'it had no effect' },
    );
    expect([await runDetail(), await details(payment.id)]).toEqual([null, ['diamond_missing']]);
  });
});

/** The outcome that lanes and blocks give to the queued call. */
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

describe('a cut', () => {
  beforeEach(() => begin('update'));

  it('that has nothing to do makes no transaction', async () => {
    loupe = null;
    expect(await runUntilWaiting()).toBe('done');
    expect(await intents()).toEqual([]);
  });

  it('that has no slot yet is withdrawn when the diamond has changed, and planned anew by the next request', async () => {
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

  it('that is under way ends before the step fails', async () => {
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

  it('is refused before Carat sends anything where a facet is not approved', async () => {
    const steps = [await next()];
    await run(steps[0]!.id);
    await run((await next())!.id);
    problem = { code: 'facet_not_approved', message: 'revoked' };
    await run((await next())!.id);
    expect(await failed()).toMatchObject({ key: 'cut', error_code: 'facet_not_approved' });
    expect(await intents()).toEqual([]);
    expect(await diamond()).toMatchObject({ updating: false });
  });

  it('is not made where root has set a release that Carat does not know', async () => {
    await run((await next())!.id);
    await run((await next())!.id);
    unknownRelease = '9.0.0';
    await run((await next())!.id);
    expect(await failed()).toMatchObject({ key: 'cut', error_code: 'release_mismatch' });
    expect(await intents()).toEqual([]);
  });

  it('that is undone before its verification fails the verification', async () => {
    expect(await runUntilWaiting()).toBe('cut');
    loupe = null;
    await run((await next())!.id);
    loupe = hex(32);
    await runUntilWaiting();
    expect(await failed()).toMatchObject({ key: 'verify', error_code: 'loupe_changed' });
  });

  it.each(['assigned', 'settled'] as const)(
    'that is %s is not undone because of an inspection from before it',
    async (state) => {
      expect(await runUntilWaiting()).toBe('cut');
      const before = loupe;
      loupe = null;
      await settle(state, state === 'settled' ? 'effective' : null);
      await run((await next())!.id);
      // The endpoint is behind, or the block was reorganised away.
      [blockNumber, loupe] = [9, before];
      expect(await runUntilWaiting()).toBe('verify');
      [blockNumber, loupe] = [11, null];
      expect(await runUntilWaiting()).toBe('done');
      expect(await diamond()).toMatchObject({ release: release.version, updating: false });
    },
  );

  it('is not requested by an attempt that has ended', async () => {
    expect(await runUntilWaiting()).toBe('cut');
    const store = createDeploymentStore(knex);
    const stale = (await store.nextStep(world.walletId, world.networkId))!;
    await store.failStep(stale, { code: 'test', message: 'over' });
    await store.requestCall(stale, { purpose: 'diamond_cut', what: 'cut:late', to: hex(20), data: '0x04' });
    expect(await intents()).toMatchObject([{ state: 'withdrawn' }]);
    expect(await diamond()).toMatchObject({ updating: false });
  });
});

it('eight requests at once make one run', async () => {
  await begin('update');
  const answers = await Promise.all(Array.from({ length: 8 }, updateAgain));
  expect(new Set(answers.map(({ step }) => step.id)).size).toBe(1);
  expect(await knex('deployments').where({ wallet_id: world.walletId })).toHaveLength(1);
  loupe = null;
  expect(await runUntilWaiting()).toBe('done');
  // A request that read the run before its end finds it ended.
  const [{ id }] = (await knex('deployments').where({ wallet_id: world.walletId })) as [{ id: string }];
  const request = { ...world, integrationId: null };
  expect(await requestUpdate(knex, request, null)).toMatchObject({ step: { key: 'activate' }, isUnderWay: false });
  expect(await requestUpdate(knex, request, { after: hex(16) })).toMatchObject({ isUnderWay: false });
  expect(await requestUpdate(knex, request, { after: id })).toMatchObject({
    step: { key: 'preflight' },
    isUnderWay: true,
  });
});
