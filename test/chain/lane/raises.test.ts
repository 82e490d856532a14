import { Transaction } from 'ethers';
import { latestRequest, quantity } from '../../../chain/rpc/calls.ts';
import { eventually } from '../../support/eventually.ts';
import { startLiarsGateway } from '../support/liars-gateway.ts';
import type { Proxy, WireAnswer, WireRequest } from '../support/proxy.ts';
import { allWait } from '../support/running.ts';

/* The leading endpoint of three lies while transactions wait in the pools, with a quorum of two. */

const own = startLiarsGateway();

const attempts = () =>
  own.gateway
    .knex('tx_attempts as a')
    .join('tx_slots as s', 's.id', 'a.slot_id')
    .orderBy(['s.nonce', 'a.seq'])
    .select('s.nonce', 'a.seq', 'a.raw', 'a.max_fee_per_gas', 'a.last_error');

/** Pools of all endpoints that accept these transactions and keep them, as geth does; no block includes them. */
const poolsHold = (isHeld: (tx: Transaction) => boolean): void => {
  const held = new Map<string, number>();
  for (const proxy of own.proxies)
    proxy.rewrite = async (request: WireRequest): Promise<WireRequest | WireAnswer> => {
      const [first, tag] = request.params;
      if (request.method === 'eth_sendRawTransaction') {
        const tx = Transaction.from(first as string);
        if (!isHeld(tx)) return request;
        held.set(tx.hash!, tx.nonce);
        return { result: tx.hash };
      }
      if (request.method === 'eth_getTransactionByHash' && held.has(first as string))
        return { result: { hash: first } };
      if (request.method === 'eth_getTransactionCount' && tag === 'pending' && held.size > 0) {
        const count = Number(await own.gateway.rpc.call('eth_getTransactionCount', [first, 'latest']));
        return { result: `0x${Math.max(count, ...[...held.values()].map((nonce) => nonce + 1)).toString(16)}` };
      }
      return request;
    };
};

/** Holds everything with the tip of the first transaction. */
const holdFirstTip = (): void => {
  let first: bigint | null = null;
  poolsHold(({ maxPriorityFeePerGas }) => {
    first ??= maxPriorityFeePerGas;
    return maxPriorityFeePerGas! <= first!;
  });
};

const signed = (count: number) =>
  eventually(async () => (await own.gateway.knex('tx_slots').where({ state: 'signed' })).length === count);

it.each<[string, bigint | null]>([
  ['honest', null],
  ['40 million', 40_000_000n],
  ['2^256 - 1', 2n ** 256n - 1n],
])('an estimate of one endpoint does not stop the raising of fees (%s)', async (_, gas) => {
  holdFirstTip();
  own.lane({ timing: { bump: 1_000 } });
  const payments = await own.gateway.pay(1);
  await signed(1);
  if (gas !== null)
    own.liar.tamper = ({ method }, result) => (method === 'eth_estimateGas' ? `0x${gas.toString(16)}` : result);
  const isInTime = await own.inTime(payments, 12_000);
  const limits = (await attempts()).map(({ raw }) => Transaction.from(`0x${raw.toString('hex')}`).gasLimit);
  expect({ isInTime, alerts: await own.told(), limits: new Set(limits).size }).toEqual({
    isInTime: true,
    alerts: [],
    limits: 1,
  });
});

it('a transaction with more gas than a block has any more is sent with the planned gas', async () => {
  let isHeld = true;
  poolsHold(() => isHeld);
  own.lane({ timing: { bump: 1_000 } });
  const payments = await own.gateway.pay(1);
  await signed(1);
  for (const proxy of own.proxies)
    proxy.tamper = ({ method }, result) => (method === 'eth_estimateGas' ? '0x989680' : result);
  await eventually(async () => BigInt((await own.gateway.knex('tx_slots').first()).gas_limit) > 10n ** 7n);
  await own.gateway.rpc.call('evm_setBlockGasLimit', ['0x1e8480']);
  // The pools lose everything, and refuse what no block can include.
  isHeld = false;
  for (const proxy of own.proxies) Object.assign(proxy, { tamper: null, rewrite: null });
  expect(await own.inTime(payments, 12_000)).toBe(true);
});

it.each([false, true])(
  'one endpoint that says that blocks have no gas does not take back what the quorum estimates (lie: %s)',
  async (isLie) => {
    poolsHold(() => true);
    own.lane({ timing: { bump: 300 } });
    await own.gateway.pay(1);
    await signed(1);
    const estimate: Proxy['tamper'] = ({ method }, result) => (method === 'eth_estimateGas' ? '0x989680' : result);
    for (const proxy of own.proxies) proxy.tamper = estimate;
    await eventually(async () => BigInt((await own.gateway.knex('tx_slots').first()).gas_limit) > 10n ** 7n);
    const before = (await attempts()).length;
    if (isLie)
      own.liar.tamper = (request, result) =>
        request.method === 'eth_getBlockByNumber'
          ? { ...(result as object), gasLimit: '0x0' }
          : estimate(request, result);
    await eventually(async () => (await attempts()).length >= before + 5);
    const limits = (await attempts())
      .slice(before)
      .map(({ raw }) => Transaction.from(`0x${raw.toString('hex')}`).gasLimit);
    expect(limits.filter((limit) => limit < 10n ** 7n)).toEqual([]);
  },
);

it.each([2, 3])(
  'one endpoint that counts all nonces as used does not stop the raising of fees (%d slots)',
  async (count) => {
    holdFirstTip();
    own.lane({ timing: { foreign: 300, bump: 1_000 } });
    for (let slots = 1; slots <= count; slots += 1) {
      await own.gateway.pay(1);
      await signed(slots);
    }
    own.liar.tamper = ({ method, params: [, tag] }, result) =>
      method === 'eth_getTransactionCount' && tag === 'latest' ? `0x${count.toString(16)}` : result;
    await eventually(async () => (await attempts()).length > count);
    expect(await own.told()).toEqual([]);
  },
);

it.each([false, true])('a far tip by one endpoint does not stop the raising of fees (lie: %s)', async (isLie) => {
  holdFirstTip();
  const { liar } = own;
  if (isLie)
    liar.tamper = ({ method, params: [which] }, result) =>
      method === 'eth_getBlockByNumber' && which === 'latest' && liar.exchanges.at(-1)!.includes('eth_getBalance')
        ? { ...(result as object), number: '0xfffffff' }
        : result;
  own.lane({ timing: { bump: 1_000, missing: 600_000, rebroadcast: 3_000 } });
  const isInTime = await own.inTime(await own.gateway.pay(1), 15_000);
  expect({ isInTime, alerts: await own.told() }).toEqual({ isInTime: true, alerts: [] });
});

const fees =
  (base: string, tip: string): Proxy['tamper'] =>
  ({ method }, result) =>
    method === 'eth_getBlockByNumber'
      ? { ...(result as object), baseFeePerGas: base }
      : method === 'eth_maxPriorityFeePerGas'
        ? tip
        : result;

it.each([false, true])(
  'fees that one endpoint gives too low are raised to those of the chain (lie: %s)',
  async (isLie) => {
    const base = 20n * 10n ** 9n;
    const set = () => void own.gateway.rpc.call('anvil_setNextBlockBaseFeePerGas', [quantity(base)]).catch(() => {});
    const timer = setInterval(set, 50);
    try {
      await eventually(async () => {
        const block = (await own.gateway.rpc.call(latestRequest.method, latestRequest.params)) as {
          baseFeePerGas: string;
        };
        return BigInt(block.baseFeePerGas) >= base;
      });
      // geth accepts and keeps transactions below the base fee.
      poolsHold(({ maxFeePerGas }) => maxFeePerGas! < base);
      if (isLie) own.liar.tamper = fees('0x1', '0x1');
      own.lane({ timing: { bump: 1_000 } });
      const isInTime = await own.inTime(await own.gateway.pay(1), 12_000);
      expect({ isInTime, isCheap: (await attempts()).length < 3 }).toEqual({ isInTime: true, isCheap: true });
    } finally {
      clearInterval(timer);
    }
  },
);

it('a base fee above the ceiling by one endpoint raises nothing, and is no alert and no reason', async () => {
  poolsHold(() => true);
  let ticks = 0;
  own.lane({ timing: { bump: 600_000 }, heartbeat: () => void (ticks += 1) });
  const [payment] = await own.gateway.pay(1);
  await signed(1);
  own.liar.tamper = fees('0xffffffffffff', '0x1');
  const before = ticks;
  await eventually(() => ticks > before + 30);
  const waits = await own.gateway.knex('payment_waits').where({ payment_id: payment!.id });
  const details = await own.gateway.knex('payments').where({ id: payment!.id }).pluck('status_detail');
  expect({ alerts: await own.told(), waits, details, attempts: (await attempts()).length }).toEqual({
    alerts: [],
    waits: [],
    details: [null],
    attempts: 1,
  });
});

it.each([false, true])(
  'a base fee above the ceiling is told while one of two endpoints is down (down: %s)',
  async (isDown) => {
    if (isDown) own.proxies[1]!.mode = '500';
    const urls = own.proxies.slice(0, 2).map(({ url }) => url);
    own.lane({ urls, network: { quorum: 1, maxFeePerGas: 1n } });
    await allWait(own.gateway, await own.gateway.pay(1), 'fees_above_ceiling');
    await eventually(async () => (await own.told()).some((line) => line.startsWith('fees_above_ceiling')));
  },
);
