import { Transaction } from 'ethers';
import { tokenDeployCall } from '../../../tools/stack/tokens.ts';
import { eventually } from '../../support/eventually.ts';
import { wantFacets } from '../support/facets.ts';
import { refusal } from '../support/data-chains.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, allWait, stopAfterEach, timesCreated } from '../support/running.ts';

/* The only endpoint takes no transaction above some size, or no block includes it. A slot that is too large becomes smaller. */

let gateway: Gateway;
let proxy: Proxy;
const keep = stopAfterEach();
const LIMIT = 3_000;

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

const sizeOf = (hex: string): number => hex.length / 2 - 1;

/** Refuses these transactions in these words, and counts them. */
const refuseSends = (why: (raw: string, tx: Transaction) => string | null): { readonly refused: Set<string> } => {
  const refused = new Set<string>();
  proxy.rewrite = (request) => {
    if (request.method !== 'eth_sendRawTransaction') return request;
    const raw = request.params[0] as string;
    const tx = Transaction.from(raw);
    const words = why(raw, tx);
    if (words === null) return request;
    refused.add(tx.hash!);
    return refusal(words);
  };
  return { refused };
};

const lane = (timing = {}, network = {}) => keep(gateway.startLane({ urls: [proxy.url], timing, network }));
const retriesUsed = (payments: readonly TestPayment[]) =>
  gateway
    .knex('payments')
    .whereIn(
      'id',
      payments.map(({ id }) => id),
    )
    .sum('retries_used as used')
    .first();
const limits = async (): Promise<Record<string, { value: string }>> =>
  (await gateway.knex('signer_accounts').where({ id: gateway.world.operatorAccountId }).first('limits')).limits;
const told = () => gateway.knex('alerts').whereNot({ kind: 'registry_paused' }).pluck('message');

it.each<[string, (raw: string, tx: Transaction) => string | null, string]>([
  [
    'call data, which it names',
    (_, { data }) =>
      sizeOf(data) > LIMIT
        ? `Calldata of transaction is ${sizeOf(data)} bytes, greater than the allowed max of ${LIMIT}`
        : null,
    'data',
  ],
  [
    'bytes of a transaction, which it names',
    (raw) => (sizeOf(raw) > LIMIT ? `oversized data: transaction size ${sizeOf(raw)}, limit ${LIMIT}` : null),
    'data',
  ],
  ['bytes, in words without a number', (raw) => (sizeOf(raw) > LIMIT ? 'tx too large' : null), 'data'],
  [
    'gas, which it names',
    (_, { gasLimit }) => (gasLimit > 1_000_000n ? `tx gas ${gasLimit} exceeds the maximum of 1000000 gas` : null),
    'gas',
  ],
  [
    'gas, in words without a number',
    (_, { gasLimit }) => (gasLimit > 1_000_000n ? 'exceeds block gas limit' : null),
    'gas',
  ],
])('a slot with too much of something is sent with fewer deals: %s', async (_, why, limit) => {
  const { refused } = refuseSends(why);
  const payments = await gateway.pay(100);
  // An alert of what lasts too long would only say how slow this machine is.
  lane({ unreachable: 120_000 });
  await allAre(gateway, payments, 'awaiting_payment');
  expect(new Set(await timesCreated(gateway, payments))).toEqual(new Set([1]));
  expect(await retriesUsed(payments)).toEqual({ used: '0' });
  // Each refusal halves it, at most.
  expect([refused.size > 0, refused.size <= 3]).toEqual([true, true]);
  expect(Object.keys(await limits())).toEqual([limit]);
  expect(await told()).toEqual([]);
  // What was learned holds for later slots.
  const before = refused.size;
  await allAre(gateway, await gateway.pay(100), 'awaiting_payment');
  expect(refused.size).toBe(before);
});

it.each([
  ['for a cap on its fee', 'tx fee (2.50 ether) exceeds the configured cap (1.00 ether)'],
  ['in words that nobody understands, once that has lasted', 'rejected by policy 7'],
])('a slot that is refused %s is sent with fewer deals', async (_, words) => {
  refuseSends((__, { gasLimit }) => (gasLimit > 1_000_000n ? words : null));
  const payments = await gateway.pay(100);
  lane({ unreachable: 1_000 });
  await allAre(gateway, payments, 'awaiting_payment');
  expect(new Set(await timesCreated(gateway, payments))).toEqual(new Set([1]));
  expect(await retriesUsed(payments)).toEqual({ used: '0' });
  expect(Object.keys(await limits())).toEqual(['gas']);
});

it('a slot at the ceiling of fees that is too large is sent with fewer deals at the same fees', async () => {
  refuseSends((raw) => (sizeOf(raw) > LIMIT ? 'oversized data' : null));
  const payments = await gateway.pay(100);
  const block = (await gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: string };
  const ceiling = BigInt(block.baseFeePerGas) + 10n ** 9n + 1n;
  lane({ unreachable: 120_000 }, { maxFeePerGas: ceiling });
  await allAre(gateway, payments, 'awaiting_payment');
  expect(new Set(await timesCreated(gateway, payments))).toEqual(new Set([1]));
  expect(
    (await gateway.knex('tx_attempts').pluck('max_fee_per_gas')).map(BigInt).filter((fee) => fee > ceiling),
  ).toEqual([]);
});

it('a slot that the pool takes and no block ever includes is sent with fewer deals', async () => {
  const held: string[] = [];
  proxy.rewrite = (request) => {
    if (request.method !== 'eth_sendRawTransaction') return request;
    const { gasLimit, hash } = Transaction.from(request.params[0] as string);
    if (gasLimit <= 1_000_000n) return request;
    held.push(hash!);
    return { result: hash };
  };
  const payments = await gateway.pay(100);
  lane({ unreachable: 1_000, bump: 1_000 });
  await allAre(gateway, payments, 'awaiting_payment');
  expect(held.length).toBeGreaterThan(0);
  expect(new Set(await timesCreated(gateway, payments))).toEqual(new Set([1]));
  expect(await told()).toContainEqual(expect.stringMatching(/no block takes it|nor a block shows it/));
});

it.each([
  ['that the pool takes and no block includes', (hash: string) => ({ result: hash })],
  ['that endpoints reject for a long time', () => refusal('rejected by policy 7')],
])('a payment whose transaction is one %s shows that endpoints refuse it, until it is mined', async (_, respond) => {
  proxy.rewrite = (request) =>
    request.method === 'eth_sendRawTransaction'
      ? respond(Transaction.from(request.params[0] as string).hash!)
      : request;
  const payments = await gateway.pay(1);
  lane({ unreachable: 1_000, bump: 1_000 });
  await allWait(gateway, payments, 'endpoint_refuses');
  proxy.rewrite = null;
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1]);
});

it('an earlier, larger attempt that is mined after all creates each deal once', async () => {
  const kept: string[] = [];
  refuseSends((raw) => {
    if (sizeOf(raw) <= LIMIT) return null;
    kept.push(raw);
    return 'oversized data';
  });
  const send = proxy.rewrite!;
  // The pool takes the larger attempt as soon as it sees the smaller one.
  proxy.rewrite = async (request) => {
    const answer = await send(request);
    if (request.method !== 'eth_sendRawTransaction' || !('method' in answer) || kept.length === 0) return answer;
    return { result: await gateway.rpc.call('eth_sendRawTransaction', [kept.shift()!]) };
  };
  const payments = await gateway.pay(100);
  lane();
  await allAre(gateway, payments, 'awaiting_payment');
  expect(new Set(await timesCreated(gateway, payments))).toEqual(new Set([1]));
  expect(await retriesUsed(payments)).toEqual({ used: '0' });
});

it('a slot that the pool takes although no block has so much gas is sent with fewer deals', async () => {
  const small = 1_000_000n;
  let isSmall = false;
  proxy.rewrite = (request) => {
    if (request.method !== 'eth_sendRawTransaction') return request;
    const { gasLimit, hash } = Transaction.from(request.params[0] as string);
    isSmall ||= gasLimit > small;
    return gasLimit > small ? { result: hash } : request;
  };
  // Blocks alternate: the first ones are large, when gas is measured.
  proxy.tamper = ({ method }, result) =>
    method === 'eth_getBlockByNumber' && isSmall
      ? { ...(result as object), gasLimit: `0x${small.toString(16)}` }
      : result;
  const payments = await gateway.pay(100);
  lane({ bump: 1_000 });
  await allAre(gateway, payments, 'awaiting_payment');
  expect(new Set(await timesCreated(gateway, payments))).toEqual(new Set([1]));
  const gas = (await gateway.knex('tx_slots').pluck('gas_limit')).map(BigInt);
  expect(gas.filter((own) => own > small)).toEqual([]);
});

it('a single deal that no endpoint takes gives way to an empty batch, and is created once they take it', async () => {
  const { refused } = refuseSends((_, { data }) =>
    sizeOf(data) > 200 ? `Calldata of transaction is ${sizeOf(data)} bytes, greater than the allowed max of 200` : null,
  );
  const payments = await gateway.pay(1);
  lane({ unreachable: 1_000 });
  await eventually(async () =>
    (await told()).some((message) => message.includes('bytes of call data, and endpoints take')),
  );
  const [slot] = await gateway.knex('tx_slots');
  expect([slot.state, sizeOf(`0x${slot.data.toString('hex')}`)]).toEqual(['confirmed', 68]);
  expect([refused.size, await timesCreated(gateway, payments)]).toEqual([1, [0]]);
  await gateway.knex('signer_accounts').update({ limits: '{}' });
  proxy.rewrite = null;
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1]);
  expect(await retriesUsed(payments)).toEqual({ used: '0' });
});

it('a call of a deployment that no endpoint takes gives way to the creation of a diamond that exists, and has no effect', async () => {
  const { refused } = refuseSends((raw) =>
    sizeOf(raw) > LIMIT ? `oversized data: transaction size ${sizeOf(raw)}, limit ${LIMIT}` : null,
  );
  const token = tokenDeployCall({ name: 'Large', symbol: 'LARGE', decimals: 6 });
  const { upgrader, settled } = await wantFacets(gateway, { token });
  keep(gateway.startLane({ urls: [proxy.url], timing: { unreachable: 1_000 }, ...upgrader }));
  expect((await settled()).map(({ outcome }) => outcome)).toEqual(['no_effect']);
  const [slot] = await gateway.knex('tx_slots');
  expect([refused.size, slot.to_address, slot.receipt_status]).toEqual([1, gateway.registry.toLowerCase(), 1]);
});
