import type { Knex } from 'knex';
import { connect } from '../../db/connection.ts';
import { diamondCommand, insertCommands } from '../../db/outbox/commands.ts';
import { requestDeployment, requestUpdate } from '../../db/wallets/request-deployment.ts';
import type { Deployer } from '../../domain/ports/deployment.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import type { StepRecord } from '../../workflows/diamond.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { contractsOf, createPaymentRow, createWorld, hex, type World } from '../support/fixtures.ts';
import { saveHistory } from '../support/histories.ts';
import { startWorkflowWorker, type WorkflowWorker } from '../support/workflow-worker.ts';

/** The network's state, as the steps see it. The tests change it as lanes and blocks would. */
interface Network {
  problem: Awaited<ReturnType<Deployer['preflight']>>;
  missingFacets: string[];
  hasDiamond: boolean;
  /** The code at the address was not made by the registry. */
  isForeign: boolean;
  isConfirmed: boolean;
  /** The diamond's state; null for that of the release. */
  loupe: string | null;
  isUnreachable: boolean;
}

let knex: Knex;
let worker: WorkflowWorker;
let network: Network;

const answer = <Value>(value: Value): Promise<Value> =>
  network.isUnreachable ? Promise.reject(new Error('no endpoint answers')) : Promise.resolve(value);

const deployer: Deployer = {
  preflight: () => answer(network.problem),
  missingFacets: () => {
    const facets = network.missingFacets.map((name) => ({ name, to: hex(20), data: '0x01' }));
    return answer({ blockNumber: 1, facets });
  },
  createDiamondCall: () => ({ to: hex(20), data: '0x02' }),
  refuseAdoption: () => Promise.resolve(null),
  inspect: (_address, depth) => {
    const cut = network.loupe && { to: hex(20), data: '0x03', cuts: [], expectedLoupeHash: network.loupe };
    const hasCode = network.hasDiamond && (depth === 'newest' || network.isConfirmed);
    const isThere = hasCode && !network.isForeign;
    return answer({ blockNumber: 1, isThere, contracts: contractsOf('1.0.0', hasCode), cut: cut || null });
  },
};

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = connect(url, { pool: 10 });
  worker = await startWorkflowWorker({ knex, deployer });
});

afterAll(async () => {
  await worker.stop();
  await knex.destroy();
});

const prepared = (more: Partial<Network> = {}): void => {
  network = {
    problem: null,
    missingFacets: [],
    hasDiamond: true,
    isForeign: false,
    isConfirmed: true,
    loupe: null,
    isUnreachable: false,
    ...more,
  };
};

const deploy = async (world: World) => {
  const step = await requestDeployment(knex, { ...world, integrationId: null });
  worker.dispatcher.now();
  return step!;
};

const handleOf = (world: World) =>
  worker.client.workflow.getHandle(workflowIds.diamond(world.walletId, world.networkId));
const result = (world: World) => eventually(() => handleOf(world).result() as Promise<StepRecord[]>);
const story = async (world: World) => (await result(world)).map(({ step, status }) => `${step}:${status}`);
const intents = (world: World) =>
  knex('tx_intents').whereIn(
    'step_id',
    knex('deployment_steps')
      .join('deployments', 'deployments.id', 'deployment_id')
      .where({ wallet_id: world.walletId })
      .select('deployment_steps.id'),
  );

/** The change that the lane's store makes when the transaction of an intent is confirmed. */
const settle = async (world: World, outcome: 'effective' | 'no_effect'): Promise<void> => {
  const [intent] = (await eventually(async () => {
    const rows = (await intents(world).where({ state: 'queued' })) as { id: string }[];
    return rows.length > 0 ? rows : null;
  })) as { id: string }[];
  await knex('tx_intents').where({ id: intent!.id }).update({ state: 'settled', outcome, settled_at: knex.fn.now() });
  await insertCommands(knex, [diamondCommand(world)]);
  worker.dispatcher.now();
};

const allDone = ['preflight', 'deploy_facets', 'deploy_diamond', 'verify', 'activate'].map((key) => `${key}:completed`);

it('a deployment finds everything in place, sends nothing, and lets the waiting payments go on', async () => {
  prepared();
  const world = await createWorld(knex, { diamondStatus: null });
  const payment = await createPaymentRow(knex, world);
  await knex('payments').where({ id: payment.id }).update({ status_detail: 'diamond_missing' });
  await deploy(world);
  expect(await story(world)).toEqual(allDone);
  expect(await intents(world)).toEqual([]);
  expect(await knex('diamonds').where({ wallet_id: world.walletId }).first()).toMatchObject({ status: 'active' });
  expect(await knex('payments').where({ id: payment.id }).first()).toMatchObject({ status_detail: null });
  expect(await knex('tx_intents').where({ payment_id: payment.id })).toHaveLength(1);
  await saveHistory('diamond-all-in-place', handleOf(world));
});

it('a deployment makes each missing contract by one requested transaction, one after the other', async () => {
  prepared({ missingFacets: ['DealFacet'], hasDiamond: false });
  const world = await createWorld(knex, { diamondStatus: null });
  await deploy(world);
  await settle(world, 'effective');
  network.missingFacets = [];
  await settle(world, 'effective');
  network.hasDiamond = true;
  expect(await story(world)).toEqual(allDone);
  expect((await intents(world)).map((intent: { purpose: string }) => intent.purpose).sort()).toEqual([
    'create_diamond',
    'deploy_facet',
  ]);
  await saveHistory('diamond-deployed', handleOf(world));
});

it('a deployment waits for confirmations by its own clock, without any signal', async () => {
  prepared({ isConfirmed: false });
  const world = await createWorld(knex, { diamondStatus: null });
  await deploy(world);
  await eventually(async () => {
    const metadata = (await handleOf(world).query('__temporal_workflow_metadata')) as { currentDetails?: string };
    return metadata.currentDetails?.includes('activate: **waiting** (waits for confirmations of the diamond)');
  });
  expect(await knex('diamonds').where({ wallet_id: world.walletId }).first()).toMatchObject({ status: 'deploying' });
  network.isConfirmed = true;
  expect(await story(world)).toEqual(allDone);
  await saveHistory('diamond-waited', handleOf(world));
});

it.each<[string, Partial<Network>, string, string]>([
  ['a network that is not prepared', { problem: { code: 'evm_too_old', message: 'old' } }, 'preflight', 'evm_too_old'],
  ['a diamond that is not ours', { isForeign: true }, 'verify', 'not_our_diamond'],
])('a deployment fails on %s, and tries anew when requested again', async (_name, trouble, key, code) => {
  prepared(trouble);
  const world = await createWorld(knex, { diamondStatus: null });
  await deploy(world);
  expect((await story(world)).at(-1)).toBe(`${key}:failed`);
  await saveHistory(`diamond-failed-${key}`, handleOf(world));
  const row = (await knex('deployment_steps')
    .where({ key, status: 'failed' })
    .orderBy('updated_at', 'desc')
    .first()) as {
    id: string;
    error_code: string;
  };
  expect(row.error_code).toBe(code);

  prepared();
  const step = await deploy(world);
  expect(step).toMatchObject({ id: row.id, key, status: 'failed' });
  await eventually(() => knex('deployments').where({ wallet_id: world.walletId, status: 'completed' }).first());
});

it('a deployment fails a step whose transaction was mined in vain, and requests a new one when requested again', async () => {
  prepared({ hasDiamond: false });
  const world = await createWorld(knex, { diamondStatus: null });
  await deploy(world);
  await settle(world, 'no_effect');
  expect((await story(world)).at(-1)).toBe('deploy_diamond:failed');
  await saveHistory('diamond-transaction-failed', handleOf(world));
  await deploy(world);
  await settle(world, 'effective');
  network.hasDiamond = true;
  await eventually(() => knex('deployments').where({ wallet_id: world.walletId, status: 'completed' }).first());
  expect((await intents(world)).map((intent: { outcome: string }) => intent.outcome).sort()).toEqual([
    'effective',
    'no_effect',
  ]);
});

it('a deployment outlasts a network whose endpoints do not answer', async () => {
  prepared({ isUnreachable: true });
  const world = await createWorld(knex, { diamondStatus: null });
  await deploy(world);
  await eventually(async () => {
    const { raw } = await handleOf(world).describe();
    return raw.pendingActivities?.some((activity) => (activity.attempt ?? 0) > 2);
  });
  expect(
    await knex('deployment_steps')
      .where({ status: 'failed' })
      .whereIn('deployment_id', knex('deployments').where({ wallet_id: world.walletId }).select('id')),
  ).toEqual([]);
  network.isUnreachable = false;
  expect(await story(world)).toEqual(allDone);
  await saveHistory('diamond-unreachable', handleOf(world));
});

it('eight requests at once make one deployment', async () => {
  prepared({ hasDiamond: false });
  const world = await createWorld(knex, { diamondStatus: null });
  const steps = await Promise.all(Array.from({ length: 8 }, () => deploy(world)));
  const known = await knex('deployment_steps').whereIn(
    'id',
    steps.map((step) => step.id),
  );
  expect(new Set(known.map((row: { deployment_id: string }) => row.deployment_id)).size).toBe(1);
  await settle(world, 'effective');
  network.hasDiamond = true;
  await eventually(() => knex('deployments').where({ wallet_id: world.walletId, status: 'completed' }).first());
  expect(await knex('deployments').where({ wallet_id: world.walletId })).toHaveLength(1);
  expect(await intents(world)).toHaveLength(1);
});

describe('an update', () => {
  const update = async (world: World) => {
    const requested = await requestUpdate(knex, { ...world, integrationId: null }, null);
    worker.dispatcher.now();
    return requested;
  };
  const updated = ['preflight', 'deploy_facets', 'cut', 'verify', 'activate'].map((key) => `${key}:completed`);
  const details = async (world: World) =>
    ((await handleOf(world).query('__temporal_workflow_metadata')) as { currentDetails?: string }).currentDetails;

  it('cuts the diamond once, and shows its waiting reason and transaction', async () => {
    prepared({ loupe: hex(32) });
    const world = await createWorld(knex);
    await Promise.all(Array.from({ length: 8 }, () => update(world)));
    await eventually(async () =>
      (await details(world))?.includes(`update cut: **waiting** (waits for cut:${network.loupe}`),
    );
    await settle(world, 'effective');
    network.loupe = null;
    expect(await story(world)).toEqual(updated);
    expect(await intents(world)).toMatchObject([{ purpose: 'diamond_cut', outcome: 'effective' }]);
    expect(await knex('diamonds').where({ wallet_id: world.walletId }).first()).toMatchObject({ updating: false });
    await saveHistory('diamond-updated', handleOf(world));
  });

  it('that fails says why, lets creates go on, and begins anew when requested again', async () => {
    prepared({ loupe: hex(32) });
    const world = await createWorld(knex);
    await update(world);
    await settle(world, 'no_effect');
    expect((await story(world)).at(-1)).toBe('cut:failed');
    await saveHistory('diamond-update-failed', handleOf(world));
    expect(await knex('diamonds').where({ wallet_id: world.walletId }).first()).toMatchObject({ updating: false });
    expect(await update(world)).toMatchObject({ step: { key: 'cut', status: 'failed' } });
    await settle(world, 'effective');
    network.loupe = null;
    await eventually(() => knex('deployments').where({ wallet_id: world.walletId, status: 'completed' }).first());
    expect(await intents(world)).toHaveLength(2);
  });

  it('ends by itself when there is nothing to do', async () => {
    prepared();
    const world = await createWorld(knex);
    await update(world);
    expect(await story(world)).toEqual(updated);
    expect(await intents(world)).toEqual([]);
  });
});
