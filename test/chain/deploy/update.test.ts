import { AbiCoder, getCreate2Address, keccak256 } from 'ethers';
import { deployCall } from '../../../chain/deploy/deployer.ts';
import { facetCreationCode, release } from '../../../chain/pure/releases.ts';
import { codes } from '../../../chain/rpc/calls.ts';
import { ZERO_ADDRESS } from '../../../domain/deal.ts';
import { faultOf } from '../../../domain/version-check.ts';
import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { allAre, stopAfterEach } from '../support/running.ts';
import {
  completed,
  cutData,
  dealFacet,
  older,
  startUpdates,
  sweep,
  type Cut,
  type Updates,
} from '../support/updates.ts';

let updates: Updates;
let gateway: Updates['gateway'];
const keep = stopAfterEach();

beforeAll(async () => {
  updates = await startUpdates(keep);
  ({ gateway } = updates);
});

afterAll(() => gateway.close());

const alerts = (): Promise<{ message: string }[]> => gateway.knex('alerts').where({ kind: 'cut_not_asked_for' });

it('an update brings a diamond of an older release to the newest, once that is released, in one transaction', async () => {
  updates.work();
  expect((await updates.inspect()).cut).toBeNull();
  await updates.releaseNewest();
  await eventually(async () => (await updates.inspect()).cut !== null);
  expect(await updates.update()).toEqual(completed);
  expect((await updates.inspect()).cut).toBeNull();
  expect(faultOf(await updates.inspect())).toBeNull();
  expect(await updates.intents()).toMatchObject([{ purpose: 'diamond_cut', state: 'settled', outcome: 'effective' }]);
  expect(await updates.diamond()).toMatchObject({ status: 'active', release: release.version, updating: false });
});

it('an update requested again finds nothing to do and sends nothing', async () => {
  updates.work();
  expect(await updates.update()).toEqual(completed);
  expect(await updates.intents()).toHaveLength(1);
  // The cut that was asked for raised none.
  expect(await alerts()).toEqual([]);
});

describe('a change by hand is shown and reverted', () => {
  /** Code that no release has, which root has approved all the same; it answers every call with its functions. */
  const foreignFacet = async (): Promise<string> => {
    const functions = AbiCoder.defaultAbiCoder().encode(['bytes4[]'], [['0xdeadbeef', sweep]]);
    const creationCode = facetCreationCode({ runtimeCode: facetCreationCode({ runtimeCode: functions }) });
    const salt = hex(32);
    const { to, data } = deployCall(creationCode, salt);
    await gateway.send(gateway.keys.stranger, to, data);
    const facet = getCreate2Address(release.deployer, salt, keccak256(creationCode)).toLowerCase();
    await updates.call('root', 'approveFacets', [[facet, keccak256((await codes(gateway.rpc, [facet]))[0]!), salt]]);
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
    updates.work();
    const before = (await alerts()).length;
    await updates.cutByHand(...(await cutsOf()));
    await eventually(async () => (await updates.inspect()).cut !== null);
    await eventually(async () => (await alerts()).length === before + 1);
    expect(await updates.update()).toEqual(completed);
    expect((await updates.inspect()).cut).toBeNull();
    expect(await updates.diamond()).toMatchObject({ release: release.version });
    expect(await alerts()).toHaveLength(before + 1);
  });
});

describe('a diamond that is changed after the planning of its cut', () => {
  it('before the cut has a nonce: nothing is sent, creates go on, and the next request plans anew', async () => {
    keep(gateway.startWatcher());
    keep(gateway.startLane());
    const count = (await updates.intents()).length;
    await updates.cutByHand([ZERO_ADDRESS, 2, [sweep]]);
    await eventually(async () => (await updates.inspect()).cut !== null);
    await updates.ask();
    await updates.play('cut');
    expect(await updates.diamond()).toMatchObject({ updating: false });
    const created = await gateway.pay(3);
    await allAre(gateway, created, 'awaiting_payment');

    await updates.cutByHand(older());
    expect(await updates.play()).toEqual(['cut:failed']);
    expect(await updates.failure()).toMatchObject({ key: 'cut', error_code: 'loupe_changed' });
    expect((await updates.intents()).slice(count)).toMatchObject([{ state: 'withdrawn' }]);

    keep(gateway.startLane(updates.upgraderLane()));
    expect(await updates.update()).toEqual(completed);
    expect((await updates.intents()).slice(count)).toMatchObject([{ state: 'withdrawn' }, { outcome: 'effective' }]);
  });

  it('when the cut is on its way: the cut reverts, and changes nothing', async () => {
    updates.work();
    const { knex, rpc, world } = gateway;
    const count = (await updates.intents()).length;
    await updates.cutByHand([ZERO_ADDRESS, 2, [sweep]]);
    await eventually(async () => (await updates.inspect()).cut !== null);
    await updates.ask();
    // One block takes both, the one by hand first.
    await rpc.call('evm_setIntervalMining', [0]);
    await updates.play('cut');
    await eventually(() => knex('tx_attempts').where('sends', '>', 0).orderBy('created_at', 'desc').first());
    await eventually(async () => Number(((await rpc.call('txpool_status')) as { pending: string }).pending) === 1);
    const raw = await updates.signFirst('stranger', world.diamondAddress, cutData(older()));
    await rpc.call('eth_sendRawTransaction', [raw]);
    await rpc.call('anvil_mine', ['0x4']);
    await rpc.call('evm_setIntervalMining', [1]);

    expect(await updates.play()).toEqual(['cut:failed']);
    expect((await updates.intents()).slice(count)).toMatchObject([{ outcome: 'no_effect' }]);
    expect(await updates.diamond()).toMatchObject({ updating: false });
    expect(await updates.update()).toEqual(completed);
    expect((await updates.intents()).slice(count)).toMatchObject([{ outcome: 'no_effect' }, { outcome: 'effective' }]);
  });
});

it('a revoked facet is not cut to, and nothing is sent', async () => {
  updates.work();
  const count = (await updates.intents()).length;
  await updates.cutByHand(older());
  await eventually(async () => (await updates.inspect()).cut !== null);
  const { address, runtimeCodeHash } = dealFacet(release);
  await updates.call('guardian', 'revokeFacet', address, runtimeCodeHash);
  expect(await updates.update()).toEqual(['preflight:failed']);
  expect(await updates.failure()).toMatchObject({ key: 'preflight', error_code: 'facet_not_approved' });
  expect(await updates.intents()).toHaveLength(count);
});
