import { MockActivityEnvironment } from '@temporalio/testing';
import { AbiCoder, getCreate2Address, keccak256 } from 'ethers';
import { createDeploymentActivities, type StepOutcome } from '../../../activities/deployment.ts';
import { createDeployer, deployCall } from '../../../chain/deploy/deployer.ts';
import { prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { facetCreationCode, release, releases } from '../../../chain/pure/releases.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { codes, quantity } from '../../../chain/rpc/calls.ts';
import { createDeploymentStore } from '../../../db/wallets/deployment-store.ts';
import { findRun, requestUpdate } from '../../../db/wallets/request-update.ts';
import { ZERO_ADDRESS } from '../../../domain/deal.ts';
import type { Deployer } from '../../../domain/ports/deployment.ts';
import { faultOf } from '../../../domain/version-check.ts';
import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { registryCall, startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * Updates of one diamond, which begins with the first release, on a real chain with real lanes and a watcher. The steps are
 * run as the workflow runs them.
 */

let gateway: Gateway;
let deployer: Deployer;
let activities: ReturnType<typeof createDeploymentActivities>;
const keep = stopAfterEach();
const [first] = releases;

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 3, release: first });
  const { knex, rpc, network, keys } = gateway;
  const [operators, upgraders] = [[keys.operator.address], [keys.upgrader.address]];
  deployer = createDeployer({ network, rpc, operators, upgraders });
  activities = createDeploymentActivities({
    deployments: createDeploymentStore(knex),
    deployer: () => Promise.resolve(deployer),
    failpoint: () => {},
  });
  await call('root', 'setRole', roleIds.upgrader, keys.stranger.address, true);
});

afterAll(() => gateway.close());

const call = (who: keyof Gateway['keys'], name: string, ...args: unknown[]) =>
  gateway.send(gateway.keys[who], gateway.registry, registryCall(name, ...args));

/** The network gets the newest release. */
const release110 = async (): Promise<void> => {
  const { network, rpc, keys } = gateway;
  const roles = { operators: [keys.operator.address], upgraders: [keys.upgrader.address] };
  await prepareNetwork({ network, rpc, rootSigner: keys.root, ...roles });
};

const ask = async (): Promise<void> => {
  const { walletId, networkId } = gateway.world;
  const run = await findRun(gateway.knex, walletId, networkId);
  await requestUpdate(gateway.knex, { walletId, networkId, integrationId: null }, { after: run?.id ?? null });
};

/** One try of the step that is next; null when there is none. */
const tryStep = async (): Promise<(StepOutcome & { key: string }) | null> => {
  const { walletId, networkId } = gateway.world;
  const step = await activities.nextStep(walletId, networkId);
  if (step === null) return null;
  const trying = new MockActivityEnvironment().run(() => activities.runStep(walletId, networkId, step.id));
  return { key: step.key, ...((await trying) as StepOutcome) };
};

/** Runs steps until none is left, or until the cut waits. */
const play = async (until: 'end' | 'cut' = 'end'): Promise<string[]> => {
  const done: string[] = [];
  await eventually(async () => {
    const tried = await tryStep();
    if (tried === null) return true;
    if (tried.status === 'waiting') return until === 'cut' && tried.key === 'cut';
    done.push(`${tried.key}:${tried.status}`);
    return false;
  }, 30_000);
  return done;
};

const update = async (): Promise<string[]> => {
  await ask();
  return play();
};

const completed = ['preflight', 'deploy_facets', 'cut', 'verify', 'activate'].map((key) => `${key}:completed`);

/** Watcher and both lanes at work. */
const work = (): void => {
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  keep(gateway.startLane(upgraderLane()));
};
const upgraderLane = () => ({ accountId: gateway.world.upgraderAccountId, signer: gateway.keys.upgrader });

const inspect = () => deployer.inspect(gateway.world.diamondAddress);
const intents = (): Promise<{ id: string; purpose: string; state: string; outcome: string | null }[]> =>
  gateway.knex('tx_intents').whereNotNull('step_id').orderBy('id');
const diamond = () => gateway.knex('diamonds').where({ wallet_id: gateway.world.walletId }).first();
const failure = () =>
  gateway.knex('deployment_steps').where({ status: 'failed' }).first('key', 'error_code', 'generation');
const alerts = (): Promise<{ message: string }[]> => gateway.knex('alerts').where({ kind: 'cut_not_asked_for' });

type Cut = readonly [facet: string, action: 0 | 1 | 2, selectors: readonly string[]];
const cutData = (...cuts: readonly Cut[]): string =>
  contracts.cut.interface.encodeFunctionData('diamondCut', [cuts, ZERO_ADDRESS, '0x']);

/** Somebody cuts the diamond behind Carat's back. */
const cutByHand = (...cuts: readonly Cut[]) =>
  gateway.send(gateway.keys.stranger, gateway.world.diamondAddress, cutData(...cuts));

const dealFacet = (of: typeof release) => of.facets.find(({ name }) => name === 'DealFacet')!;
const sweep = contracts.deal.interface.getFunction('sweep')!.selector;
/** Back to the first release, but for one function. */
const older = (): Cut => {
  const { address, selectors } = dealFacet(first!);
  return [address, 1, selectors.filter((selector) => selector !== sweep)];
};

it('brings a diamond of an older release to the newest, once that is released, in one transaction', async () => {
  work();
  expect((await inspect()).cut).toBeNull();
  await release110();
  await eventually(async () => (await inspect()).cut !== null);
  expect(await update()).toEqual(completed);
  expect((await inspect()).cut).toBeNull();
  expect(faultOf(await inspect())).toBeNull();
  expect(await intents()).toMatchObject([{ purpose: 'diamond_cut', state: 'settled', outcome: 'effective' }]);
  expect(await diamond()).toMatchObject({ status: 'active', release: release.version, updating: false });
});

it('asked again, it finds nothing to do and sends nothing', async () => {
  work();
  expect(await update()).toEqual(completed);
  expect(await intents()).toHaveLength(1);
  // The cut that was asked for raised none.
  expect(await alerts()).toEqual([]);
});

describe('what somebody did by hand is told of and mended', () => {
  /** Code that no release has, which root has approved all the same; it answers every call with its functions. */
  const foreignFacet = async (): Promise<string> => {
    const functions = AbiCoder.defaultAbiCoder().encode(['bytes4[]'], [['0xdeadbeef', sweep]]);
    const creationCode = facetCreationCode({ runtimeCode: facetCreationCode({ runtimeCode: functions }) });
    const salt = hex(32);
    const { to, data } = deployCall(creationCode, salt);
    await gateway.send(gateway.keys.stranger, to, data);
    const facet = getCreate2Address(release.deployer, salt, keccak256(creationCode)).toLowerCase();
    await call('root', 'approveFacets', [[facet, keccak256((await codes(gateway.rpc, [facet]))[0]!), salt]]);
    return facet;
  };

  it.each<[string, () => Cut[] | Promise<Cut[]>]>([
    ['a function that is gone', () => [[ZERO_ADDRESS, 2, [sweep]]]],
    ['a facet of an older release', () => [older()]],
    [
      'a facet of nobody, with functions of its own and one of ours',
      async () => {
        const facet = await foreignFacet();
        return [
          [facet, 0, ['0xdeadbeef']],
          [facet, 1, [sweep]],
        ];
      },
    ],
  ])('%s', async (_name, cutsOf) => {
    work();
    const before = (await alerts()).length;
    await cutByHand(...(await cutsOf()));
    await eventually(async () => (await inspect()).cut !== null);
    await eventually(async () => (await alerts()).length === before + 1);
    expect(await update()).toEqual(completed);
    expect((await inspect()).cut).toBeNull();
    expect(await diamond()).toMatchObject({ release: release.version });
    expect(await alerts()).toHaveLength(before + 1);
  });
});

describe('a diamond that is changed after its cut was planned', () => {
  it('before the cut has a nonce: nothing is sent, creates go on, and the next request plans anew', async () => {
    keep(gateway.startWatcher());
    keep(gateway.startLane());
    const count = (await intents()).length;
    await cutByHand([ZERO_ADDRESS, 2, [sweep]]);
    await eventually(async () => (await inspect()).cut !== null);
    await ask();
    await play('cut');
    expect(await diamond()).toMatchObject({ updating: false });
    const created = await gateway.pay(3);
    await allAre(gateway, created, 'awaiting_payment');

    await cutByHand(older());
    expect(await play()).toEqual(['cut:failed']);
    expect(await failure()).toMatchObject({ key: 'cut', error_code: 'loupe_changed' });
    expect((await intents()).slice(count)).toMatchObject([{ state: 'withdrawn' }]);

    keep(gateway.startLane(upgraderLane()));
    expect(await update()).toEqual(completed);
    expect((await intents()).slice(count)).toMatchObject([{ state: 'withdrawn' }, { outcome: 'effective' }]);
  });

  it('when the cut is on its way: it reverts, and changes nothing', async () => {
    work();
    const { knex, rpc, keys, world } = gateway;
    const count = (await intents()).length;
    await cutByHand([ZERO_ADDRESS, 2, [sweep]]);
    await eventually(async () => (await inspect()).cut !== null);
    await ask();
    // One block takes both, the one by hand first.
    await rpc.call('evm_setIntervalMining', [0]);
    await play('cut');
    await eventually(() => knex('tx_attempts').where('sends', '>', 0).orderBy('created_at', 'desc').first());
    await eventually(async () => Number(((await rpc.call('txpool_status')) as { pending: string }).pending) === 1);
    const nonce = Number(await rpc.call('eth_getTransactionCount', [keys.stranger.address, 'latest']));
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
    const data = cutData(older());
    const request = { eip155: gateway.network.eip155, nonce, to: world.diamondAddress, data, value: 0n };
    const { raw } = await keys.stranger.sign({ ...request, gasLimit: 1_000_000n, ...fees });
    await rpc.call('eth_sendRawTransaction', [raw]);
    await rpc.call('anvil_mine', ['0x4']);
    await rpc.call('evm_setIntervalMining', [1]);

    expect(await play()).toEqual(['cut:failed']);
    expect((await intents()).slice(count)).toMatchObject([{ outcome: 'no_effect' }]);
    expect(await diamond()).toMatchObject({ updating: false });
    expect(await update()).toEqual(completed);
    expect((await intents()).slice(count)).toMatchObject([{ outcome: 'no_effect' }, { outcome: 'effective' }]);
  });
});

it('a cut that gets too little gas fails, which raises an alert, and the next one gets more', async () => {
  const proxy = await startProxy(gateway.chain.url);
  const tooLittle = (gas: string): string => quantity((BigInt(gas) * 7n) / 10n);
  proxy.tamper = ({ method }, result) => (method === 'eth_estimateGas' ? tooLittle(result as string) : result);
  keep(gateway.startWatcher());
  keep(gateway.startLane({ ...upgraderLane(), urls: [proxy.url] }));
  const count = (await intents()).length;
  const failures = async () => (await gateway.knex('alerts').where({ kind: 'transaction_failed' })).length;
  const before = await failures();
  await cutByHand(older());
  await eventually(async () => (await inspect()).cut !== null);
  expect(await update()).toEqual(['preflight:completed', 'deploy_facets:completed', 'cut:failed']);
  expect(await failure()).toMatchObject({ key: 'cut', error_code: 'transaction_failed' });
  expect(await failures()).toBe(before + 1);
  expect(await update()).toEqual(completed);
  expect((await intents()).slice(count)).toMatchObject([{ outcome: 'no_effect' }, { outcome: 'effective' }]);
  await proxy.close();
});

it('a facet that was revoked is not cut to: nothing is sent', async () => {
  work();
  const count = (await intents()).length;
  await cutByHand(older());
  await eventually(async () => (await inspect()).cut !== null);
  const { address, runtimeCodeHash } = dealFacet(release);
  await call('guardian', 'revokeFacet', address, runtimeCodeHash);
  expect(await update()).toEqual(['preflight:failed']);
  expect(await failure()).toMatchObject({ key: 'preflight', error_code: 'facet_not_approved' });
  expect(await intents()).toHaveLength(count);
});
