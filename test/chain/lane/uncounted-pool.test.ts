import { Transaction } from 'ethers';
import { eventually } from '../../support/eventually.ts';
import { refusal } from '../support/data-chains.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/* The endpoint's count of pending transactions ignores its pool, as with preconfirmations. */

let gateway: Gateway;
let proxy: Proxy;
const keep = stopAfterEach();
const gwei = 10n ** 9n;

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 2 });
  proxy = await startProxy(gateway.chain.url);
  await gateway.knex('alerts').delete();
  keep(gateway.startWatcher());
});
afterEach(async () => {
  await proxy.close();
  await gateway.close();
});

const attempts = () => gateway.knex('tx_attempts').orderBy('seq');
const blocks = async (count: number): Promise<void> => {
  const from = Number(await gateway.rpc.call('eth_blockNumber'));
  await eventually(async () => Number(await gateway.rpc.call('eth_blockNumber')) >= from + count);
};

/** A pool that keeps tips below 1.3 gwei without mining them. It shows them by their hashes, or knows them when they are sent again. */
const startPool = (shows: { readonly hashes: boolean; readonly repeats: boolean }): { sends: number } => {
  const state = { sends: 0 };
  const held = new Set<string>();
  proxy.rewrite = (request) => {
    const { method, params } = request;
    const [first] = params as [string];
    if (method === 'eth_maxPriorityFeePerGas') return { result: `0x${gwei.toString(16)}` };
    if (method === 'eth_getTransactionCount' && params[1] === 'pending')
      return { ...request, params: [first, 'latest'] };
    if (method === 'eth_getTransactionByHash' && shows.hashes && held.has(first))
      return { result: { hash: first, blockHash: null, blockNumber: null } };
    if (method !== 'eth_sendRawTransaction') return request;
    state.sends += 1;
    const { hash, maxPriorityFeePerGas: tip } = Transaction.from(first);
    if (tip! >= (13n * gwei) / 10n) return request;
    if (shows.repeats && held.has(hash!)) return refusal('already known');
    held.add(hash!);
    return { result: hash };
  };
  return state;
};

it.each([
  ['shows it by its hash', { hashes: true, repeats: false }],
  ['knows it when it is sent again', { hashes: false, repeats: true }],
  ['does both', { hashes: true, repeats: true }],
  ['does neither', { hashes: false, repeats: false }],
])('the fee of a transaction that waits too long is raised where the pool %s', async (_, shows) => {
  const pool = startPool(shows);
  keep(gateway.startLane({ urls: [proxy.url], timing: { unreachable: 1_000, bump: 300 } }));
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment', 60_000);
  expect(await attempts()).toHaveLength(4);
  // Each attempt is sent again at growing intervals.
  expect(pool.sends).toBeLessThanOrEqual(4 * 6);
});

it('a pool that drops a transaction without a word gets at most twice the fees of the chain', async () => {
  proxy.rewrite = (request) =>
    request.method === 'eth_sendRawTransaction'
      ? { result: Transaction.from(request.params[0] as string).hash }
      : request;
  keep(gateway.startLane({ urls: [proxy.url], timing: { bump: 100 } }));
  await gateway.pay(1);
  await eventually(async () => (await attempts()).length > 3, 60_000);
  await blocks(45);
  const tips = (await attempts()).map(({ max_priority_fee_per_gas: tip }) => BigInt(tip));
  expect(tips.at(-1)! < 3n * tips[0]!).toBe(true);
});
