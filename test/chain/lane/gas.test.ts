import { randomUUID } from 'node:crypto';
import { deployCall } from '../../../chain/deploy/deployer.ts';
import { setRoleCall } from '../../../chain/deploy/registry.ts';
import { sendCalls } from '../../../chain/deploy/send-calls.ts';
import { findFailing } from '../../../chain/lane/planning/search.ts';
import { batcherAddress, batchersOf } from '../../../chain/pure/platform.ts';
import type { DealIntent } from '../../../domain/ports/lane.ts';
import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { firstBatcher } from '../support/old-batcher.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { addWallet, orderFrom, type OtherWallet } from '../support/other-wallets.ts';
import { allAre, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * The measure of a batch's gas, the choice of its batcher, and the treatment of diamonds and deals that need more gas
 * or fail.
 */

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Stores six new words for the first deal: more than twice what a deal takes, and less than three times. */
const DEAR = `0x604435${'808055600101'.repeat(6)}00`;
/** Goes through the words of its call data, and reverts with four bytes at the one that is in its first slot. */
const REFUSES_ONE = '0x60045b3681101560185780355f5414601a576020016002565b005b63deadbeef60e01b5f5260045ffd';

/** A diamond of another wallet, made of this code. */
const otherDiamond = async (code: string): Promise<OtherWallet> => {
  const other = { walletId: randomUUID(), diamondAddress: hex(20) };
  await gateway.rpc.call('anvil_setCode', [other.diamondAddress, code]);
  await addWallet(gateway, other);
  return other;
};

const order = (other: OtherWallet, count: number) => orderFrom(gateway, other, count);

const intentOf = (id: string) => gateway.knex('tx_intents').where({ payment_id: id }).first();
const slotOf = async (id: string) =>
  gateway
    .knex('tx_slots')
    .where({ id: (await intentOf(id)).slot_id })
    .first();
const withdraw = () => gateway.knex('tx_intents').where({ state: 'queued' }).update({ state: 'withdrawn' });

it('a diamond that needs more gas than others goes alone, and raises no limit of theirs', async () => {
  const other = await otherDiamond(DEAR);
  keep(gateway.startWatcher());
  const [dear] = await order(other, 1);
  const ours = await gateway.pay(10);
  keep(gateway.startLane());
  await allAre(gateway, ours, 'awaiting_payment');
  await eventually(async () => (await intentOf(dear!.id)).slot_id !== null);
  const [own, theirs] = [await slotOf(ours[0]!.id), await slotOf(dear!.id)];
  expect(own.id).not.toBe(theirs.id);
  expect(own.data.toString('hex')).not.toContain(other.diamondAddress.slice(2));
  expect(Number(own.gas_limit)).toBeLessThan(450_000);
  await eventually(async () => (await slotOf(dear!.id)).receipt_status === 1);
  expect(await gateway.knex('alerts').where({ kind: 'simulation_failed' })).toEqual([]);
  // No contract stores its deals, so they would be created again and again.
  await withdraw();
});

it('a failing deal delays no other of its diamond: it alone waits, by name, and is sent once it works', async () => {
  const other = await otherDiamond(REFUSES_ONE);
  keep(gateway.startWatcher());
  const rows = await order(other, 30);
  const bad = rows[17]!;
  const setBad = (id: bigint) =>
    gateway.rpc.call('anvil_setStorageAt', [
      other.diamondAddress,
      `0x${'0'.repeat(64)}`,
      `0x${id.toString(16).padStart(64, '0')}`,
    ]);
  await setBad(BigInt(bad.dealId));
  const ours = await gateway.pay(5);
  keep(gateway.startLane());
  await allAre(gateway, ours, 'awaiting_payment');
  await eventually(async () => {
    const intents = await Promise.all(rows.map(({ id }) => intentOf(id)));
    return intents.filter(({ slot_id: slot }) => slot === null).length === 1;
  });
  const intent = await intentOf(bad.id);
  expect(intent).toMatchObject({ state: 'queued', slot_id: null, waiting: 'simulation_failed' });
  const alerts = await gateway.knex('alerts').where({ kind: 'simulation_failed', closed_at: null });
  expect(alerts.map(({ cause }) => cause as string)).toEqual([intent.id]);
  expect(alerts[0]).toMatchObject({ data: { diamond: other.diamondAddress } });
  await setBad(0n);
  await eventually(async () => (await intentOf(bad.id)).slot_id !== null, 20_000);
  await withdraw();
});

it('a network goes on with its old batcher until the newest has its role, and slots keep their batcher', async () => {
  const { rpc, keys, platform, registry, chain } = gateway;
  const old = firstBatcher(platform);
  const newest = batcherAddress(platform);
  const role = (account: string, enabled: boolean) => setRoleCall(registry, 'operator', account, enabled);
  await sendCalls(rpc, keys.root, chain.chainId, [
    { what: 'the first batcher', ...deployCall(batchersOf(platform).at(-1)!.initCode) },
    { ...role(old, true), gasLimit: 200_000n },
    { ...role(newest, false), gasLimit: 200_000n },
  ]);
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  const before = await gateway.pay(12);
  await allAre(gateway, before, 'awaiting_payment');
  expect((await slotOf(before[0]!.id)).to_address).toBe(old);
  await sendCalls(rpc, keys.root, chain.chainId, [role(newest, true)]);
  await eventually(async () => {
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment');
    return (await slotOf(payment!.id)).to_address === newest;
  }, 30_000);
  expect(await timesCreated(gateway, before)).toEqual(before.map(() => 1));
});

describe('the search for failing deals', () => {
  const deals = (count: number): DealIntent[] =>
    Array.from({ length: count }, (_, id) => ({ id: `${id}` }) as DealIntent);

  it.each([2, 3, 7, 64, 100, 500])('finds one or two among %s with few calls', async (count) => {
    const all = deals(count);
    for (let first = 0; first < count; first += Math.ceil(count / 20)) {
      for (const second of [first, (first * 7 + 3) % count]) {
        const bad = new Set([all[first]!, all[second]!]);
        if (bad.size === count) continue;
        let calls = 0;
        const found = await findFailing(all, (some) => {
          calls += 1;
          return Promise.resolve(some.some((deal) => bad.has(deal)));
        });
        expect(calls).toBeLessThanOrEqual(2 * Math.log2(count) + 8);
        expect(new Set(found)).toEqual(bad);
      }
    }
  });

  it('gives up where all fail, or none fails alone', async () => {
    const all = deals(40);
    await expect(findFailing(all, () => Promise.resolve(true))).resolves.toBeNull();
    await expect(findFailing(all, (some) => Promise.resolve(some.length > 20))).resolves.toBeNull();
  });
});

it.each([1, 0.7])('at most one transaction runs out of gas where estimates are %d of the need', async (part) => {
  const proxy = await startProxy(gateway.chain.url);
  try {
    proxy.tamper = ({ method }, result) =>
      method === 'eth_estimateGas' ? `0x${Math.round(Number(result) * part).toString(16)}` : result;
    // It simulates calls with its own gas.
    proxy.rewrite = (request) => {
      const [call, ...rest] = request.params as [{ gas?: string }];
      if (request.method !== 'eth_call' || call.gas === undefined) return request;
      const { gas: _, ...bare } = call;
      return { ...request, params: [bare, ...rest] };
    };
    const started = new Date();
    keep(gateway.startWatcher());
    keep(gateway.startLane({ urls: [proxy.url] }));
    for (let count = 0; count < 5; count += 1) await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
    const mined = gateway.knex('tx_slots').where('created_at', '>', started).orderBy('nonce');
    const statuses: number[] = await mined.pluck('receipt_status');
    expect(statuses.filter((status) => status === 0).length).toBe(part < 1 ? 1 : 0);
  } finally {
    await proxy.close();
  }
});
