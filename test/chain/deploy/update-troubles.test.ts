import { release, type Release } from '../../../chain/pure/releases.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { quantity } from '../../../chain/rpc/calls.ts';
import { resumeAccount } from '../../../db/lane/accounts.ts';
import { ZERO_ADDRESS } from '../../../domain/deal.ts';
import { eventually } from '../../support/eventually.ts';
import { registryCall, type TestPayment } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { allAre, allWait, stopAfterEach } from '../support/running.ts';
import { completed, cutData, first, older, startUpdates, sweep, type Updates } from '../support/updates.ts';

/*
 * What may happen to a cut between its nonce and its confirmations. Whatever it is, creates wait no longer than that, and the
 * next request brings the diamond to the release.
 */

let updates: Updates;
let gateway: Updates['gateway'];
let count: number;
const keep = stopAfterEach();

beforeAll(async () => {
  updates = await startUpdates(keep);
  ({ gateway } = updates);
  await updates.releaseNewest();
  await differs();
});

afterAll(() => gateway.close());

beforeEach(async () => {
  count = (await updates.intents()).length;
});

const send = (method: string, ...params: unknown[]) => gateway.rpc.call(method, params);
const mineOn = () => send('evm_setIntervalMining', 1);
const differs = () => eventually(async () => (await updates.inspect()).cut !== null);
const cuts = async () => (await updates.intents()).slice(count);

/** The cut is in the pool, no block comes, and creates wait for it. */
const cutOnItsWay = async (): Promise<readonly TestPayment[]> => {
  updates.work();
  if ((await updates.inspect()).cut === null) await updates.cutByHand(older());
  await differs();
  await updates.ask();
  await send('evm_setIntervalMining', 0);
  await updates.play('cut');
  await eventually(async () => Number(((await send('txpool_status')) as { pending: string }).pending) === 1);
  const held = await gateway.pay(2);
  await allWait(gateway, held, 'diamond_updating');
  return held;
};

const mined = async (): Promise<void> => {
  await send('anvil_mine', '0x2');
  await eventually(() => gateway.knex('tx_slots').where({ state: 'mined' }).first());
};

/** The transaction that came first in the block of the cut. */
const before = async (who: 'root' | 'stranger', to: string, data: string): Promise<void> => {
  await send('eth_sendRawTransaction', await updates.signFirst(who, to, data));
  await mineOn();
};

const failsWith = async (code: string, held: readonly TestPayment[]): Promise<void> => {
  expect((await updates.play()).at(-1)).toBe('cut:failed');
  expect(await updates.failure()).toMatchObject({ key: 'cut', error_code: code });
  expect(await updates.diamond()).toMatchObject({ updating: false });
  await allAre(gateway, held, 'awaiting_payment');
};

it('it begins before the lane has noticed the end of another one: creates say again that they wait', async () => {
  const { knex, world } = gateway;
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  const setUpdating = (updating: boolean) => knex('diamonds').where({ wallet_id: world.walletId }).update({ updating });
  await setUpdating(true);
  const held = await gateway.pay(2);
  await allWait(gateway, held, 'diamond_updating');
  await knex.transaction(async (trx) => {
    await trx('tx_intents').where({ waiting: 'diamond_updating' }).update({ waiting: null });
    await trx('payments').where({ status_detail: 'diamond_updating' }).update({ status_detail: null });
  });
  await allWait(gateway, held, 'diamond_updating');
  await setUpdating(false);
  await allAre(gateway, held, 'awaiting_payment');
  expect(await knex('tx_intents').whereNotNull('waiting')).toEqual([]);
});

it('it is reorganised away: it is mined again', async () => {
  const held = await cutOnItsWay();
  await mined();
  await send('anvil_reorg', 2, []);
  await mineOn();
  expect((await updates.play()).at(-1)).toBe('activate:completed');
  expect(await cuts()).toMatchObject([{ outcome: 'effective' }]);
  await allAre(gateway, held, 'awaiting_payment');
});

it('it is reorganised away for a cut by hand: it reverts', async () => {
  const held = await cutOnItsWay();
  await mined();
  const { diamondAddress } = gateway.world;
  const raw = await updates.signFirst('stranger', diamondAddress, cutData([ZERO_ADDRESS, 2, [sweep]]));
  await send('anvil_reorg', 2, [[raw, 0]]);
  await mineOn();
  await failsWith('loupe_changed', held);
  expect(await updates.update()).toEqual(completed);
  expect(await cuts()).toMatchObject([{ outcome: 'no_effect' }, { outcome: 'effective' }]);
});

it('the upgrader loses its role', async () => {
  const held = await cutOnItsWay();
  const role = (isGiven: boolean) => ['setRole', roleIds.upgrader, gateway.keys.upgrader.address, isGiven] as const;
  await before('root', gateway.registry, registryCall(...role(false)));
  await failsWith('role_missing', held);
  await updates.call('root', ...role(true));
  expect(await updates.update()).toEqual(completed);
  expect(await cuts()).toMatchObject([{ outcome: 'no_effect' }, { outcome: 'effective' }]);
});

it('root goes back to the older release: the cut has its effect, and the next one undoes it', async () => {
  const held = await cutOnItsWay();
  const set = ({ version, facets }: Release) => ['setRelease', version, facets.map(({ address }) => address)] as const;
  await before('root', gateway.registry, registryCall(...set(first!)));
  await failsWith('loupe_changed', held);
  expect(await updates.update()).toEqual(completed);
  expect(await updates.diamond()).toMatchObject({ release: first!.version });
  await updates.call('root', ...set(release));
  await differs();
  expect(await updates.update()).toEqual(completed);
  expect(await updates.diamond()).toMatchObject({ release: release.version });
});

it('its nonce is used by a stranger with the key: the lane is paused, and creates go on', async () => {
  const held = await cutOnItsWay();
  const { knex, keys, world } = gateway;
  const { next_nonce: next } = await knex('signer_accounts').where({ role: 'upgrader' }).first();
  await gateway.send1559(keys.upgrader, Number(next) - 1);
  await mineOn();
  await failsWith('transaction_failed', held);
  await updates.ask();
  await updates.play('cut');
  await eventually(() => knex('tx_intents').where({ purpose: 'diamond_cut', waiting: 'lane_paused' }).first());
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  await resumeAccount(knex, { networkId: world.networkId, address: keys.upgrader.address, nextNonce: Number(next) });
  expect(await updates.play()).toEqual(completed.slice(2));
});

it('it gets too little gas: that raises an alert, and the next one gets more', async () => {
  const proxy = await startProxy(gateway.chain.url);
  const tooLittle = (gas: string): string => quantity((BigInt(gas) * 7n) / 10n);
  proxy.tamper = ({ method }, result) => (method === 'eth_estimateGas' ? tooLittle(result as string) : result);
  keep(gateway.startWatcher());
  keep(gateway.startLane(updates.upgraderLane({ urls: [proxy.url] })));
  const failures = async () => (await gateway.knex('alerts').where({ kind: 'transaction_failed' })).length;
  const told = await failures();
  await updates.cutByHand(older());
  await differs();
  expect((await updates.update()).at(-1)).toBe('cut:failed');
  expect(await updates.failure()).toMatchObject({ key: 'cut', error_code: 'transaction_failed' });
  expect(await failures()).toBe(told + 1);
  expect(await updates.update()).toEqual(completed);
  expect(await cuts()).toMatchObject([{ outcome: 'no_effect' }, { outcome: 'effective' }]);
  await proxy.close();
});
