import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Transaction } from 'ethers';
import { contracts } from '../../../chain/pure/contracts.ts';
import { batchersOf } from '../../../chain/pure/platform.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, hex } from '../../support/fixtures.ts';
import type { Gateway, RunOptions } from '../support/gateway.ts';
import type { Proxy } from '../support/proxy.ts';
import { allAre } from '../support/running.ts';
import { useThreeEndpoints } from '../support/three-endpoints.ts';

/* The leading endpoint of three lies to a lane, with a quorum of two. */

const three = useThreeEndpoints();
const { keep, lane, inTime, told, slotsOf, setBalance } = three;
let gateway: Gateway;
let proxies: readonly Proxy[];
let liar: Proxy;
beforeEach(() => void ({ gateway, proxies, liar } = three));

/** Runs lanes one after another, as a worker does. */
const laneAgainAndAgain = (more: RunOptions = {}): { errors: string[] } => {
  const errors: string[] = [];
  let isOver = false;
  let current = gateway.startLane({ urls: proxies.map(({ url }) => url), network: { quorum: 2 }, ...more });
  const ended = (async () => {
    while (!isOver) {
      await current.ended.catch((error: unknown) => errors.push(String(error).slice(0, 300)));
      if (isOver) return;
      await delay(300);
      current = gateway.startLane({ urls: proxies.map(({ url }) => url), network: { quorum: 2 }, ...more });
    }
  })();
  keep({
    ended,
    stop: async () => {
      isOver = true;
      await current.stop();
      await ended;
    },
  });
  return { errors };
};

const slots = () => gateway.knex('tx_slots').orderBy('nonce');

const word = (n: number) => n.toString(16).padStart(64, '0');
/** Every simulation works, and estimates are these. */
const simulates = (gasOf: (deals: number) => number): void => {
  liar.rewrite = (request) => {
    const [call] = request.params as [{ to?: string; data?: string }];
    const isBatch = call?.to === batchersOf(gateway.platform)[0].address;
    if (request.method === 'eth_estimateGas' && isBatch) {
      const deals = Math.round((call.data!.length - 10 - 64 * 7) / 128);
      return { result: `0x${gasOf(deals).toString(16)}` };
    }
    if (
      request.method === 'eth_call' &&
      isBatch &&
      !call.data!.startsWith(contracts.batcher.interface.getFunction('dealWords')!.selector)
    )
      return { result: `0x${word(32)}${word(0)}` };
    return request;
  };
};

const attemptsOf = async (payments: Parameters<typeof allAre>[1]) =>
  gateway
    .knex('tx_attempts')
    .whereIn(
      'slot_id',
      (await slotsOf(payments)).map(({ id }) => id as string),
    )
    .orderBy('seq');

describe('gas', () => {
  it('too low by one endpoint keeps no transaction out of all pools', async () => {
    simulates((deals) => 30_000 + deals * 10);
    const own = liar.rewrite!;
    for (const proxy of proxies)
      proxy.rewrite = (request) => {
        if (request.method !== 'eth_sendRawTransaction') return proxy === liar ? own(request) : request;
        // As every client says of so little gas.
        const isTooLow = Transaction.from(request.params[0] as string).gasLimit < 60_000n;
        return isTooLow
          ? { error: { code: -32_000, message: 'intrinsic gas too low: gas 30000, minimum needed 60000' } }
          : request;
      };
    lane();
    const payments = await gateway.pay(2);
    const isInTime = await inTime(payments, 35_000);
    const alertsThen = await told();
    // Leaves nothing for later tests.
    for (const proxy of proxies) proxy.rewrite = null;
    await inTime(payments, 15_000);
    expect({ isInTime, alerts: alertsThen }).toEqual({ isInTime: true, alerts: [] });
  });

  it.each([0, 3])('too low by one endpoint fails no payment (%d retries)', async (retryCount) => {
    simulates((deals) => 150_000 + deals * 100);
    lane();
    const payments = await gateway.pay(20, { retryCount });
    await eventually(async () => !(await gateway.statuses(payments)).includes('pending'), 20_000);
    const pays = await gateway
      .knex('payments')
      .whereIn(
        'id',
        payments.map(({ id }) => id),
      )
      .distinct('status', 'status_detail');
    expect(pays).toEqual([{ status: 'awaiting_payment', status_detail: null }]);
  });
});

describe('a simulation without a result', () => {
  it.each<[string, (call: { from?: string }) => boolean]>([
    ['0x00', () => true],
    ['0x', () => liar.exchanges.at(-1)!.includes('eth_estimateGas')],
  ])('%s ends no run', async (answer, isLie) => {
    liar.tamper = ({ method, params }, result) =>
      method === 'eth_call' && isLie(params[0] as { from?: string }) ? answer : result;
    const { errors } = laneAgainAndAgain();
    const payments = await gateway.pay(2);
    const isInTime = await inTime(payments, 10_000);
    liar.tamper = null;
    const alertsThen = await told();
    await inTime(payments, 15_000);
    expect({ errors: errors.slice(0, 1), isInTime, alerts: alertsThen }).toEqual({
      errors: [],
      isInTime: true,
      alerts: [],
    });
  });
});

describe('fees', () => {
  const fees =
    (base: string, tip: string): Proxy['tamper'] =>
    ({ method }, result) =>
      method === 'eth_getBlockByNumber'
        ? { ...(result as object), baseFeePerGas: base }
        : method === 'eth_maxPriorityFeePerGas'
          ? tip
          : result;

  it('above the ceiling by one endpoint are no alert and no reason', async () => {
    liar.tamper = fees('0xffffffffffff', '0x1');
    lane();
    const payments = await gateway.pay(2);
    await allAre(gateway, payments, 'awaiting_payment');
    const waits = await gateway
      .knex('payment_waits')
      .whereIn(
        'payment_id',
        payments.map(({ id }) => id),
      )
      .distinct('reason');
    expect({ alerts: await told(), waits }).toEqual({ alerts: [], waits: [] });
  });

  it('too low by one endpoint cost few attempts', async () => {
    const set = () => void gateway.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x4a817c800']).catch(() => {});
    const timer = setInterval(set, 50);
    try {
      const isDear = async (): Promise<boolean> => {
        const block = (await gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: string };
        return Number(block.baseFeePerGas) >= 2 * 10 ** 10;
      };
      await eventually(isDear);
      liar.tamper = fees('0x1', '0x1');
      lane();
      const payments = await gateway.pay(2);
      await inTime(payments, 30_000);
      expect((await attemptsOf(payments)).length).toBeLessThan(10);
    } finally {
      clearInterval(timer);
    }
  });

  it('high by one endpoint are no missing funds', async () => {
    await setBalance(10n ** 17n);
    liar.tamper = ({ method }, result) => (method === 'eth_maxPriorityFeePerGas' ? '0xe6ffffffff' : result);
    lane();
    await allAre(gateway, await gateway.pay(2), 'awaiting_payment');
    expect(await told()).toEqual([]);
  });

  it('high by one endpoint are no low funds', async () => {
    await setBalance(10n ** 18n);
    liar.tamper = ({ method }, result) => (method === 'eth_maxPriorityFeePerGas' ? '0xe6ffffffff' : result);
    lane({ lowFunds: 20, timing: { unreachable: 200, funds: 200 } });
    await allAre(gateway, await gateway.pay(2), 'awaiting_payment');
    const looks = (): number =>
      proxies.flatMap(({ seen }) => seen).filter((method) => method === 'eth_getBalance').length;
    const before = looks();
    await eventually(() => looks() > before + 5);
    expect(await told()).toEqual([]);
  });

  it('of nothing by one endpoint hide no low funds', async () => {
    await setBalance(10n ** 14n);
    liar.tamper = fees('0x0', '0x0');
    lane({ lowFunds: 20, timing: { unreachable: 500, funds: 500 } });
    await eventually(async () => (await told()).some((own) => own.startsWith('operator_low')), 10_000);
  });
});

describe('receipts whose logs lie', () => {
  const batcher = () => batchersOf(gateway.platform)[0].address;
  const topic = contracts.batcher.interface.getEvent('BatchFailed')!.topicHash;
  const logged =
    (topics: readonly string[], data: string): Proxy['tamper'] =>
    ({ method }, result) => {
      if (method !== 'eth_getTransactionReceipt' || result === null) return result;
      const receipt = result as { blockHash: string; blockNumber: string; transactionHash: string; logs: unknown[] };
      const { blockHash, blockNumber, transactionHash } = receipt;
      const place = { blockHash, blockNumber, transactionHash, logIndex: '0x0', removed: false };
      return { ...receipt, logs: [...receipt.logs, { address: batcher(), topics, data, ...place }] };
    };

  it.each<[string, () => Proxy['tamper']]>([
    ['no topics', () => logged([], '0x')],
    ['no data', () => logged([topic, `0x${'0'.repeat(64)}`], '0x')],
  ])('with %s end no run', async (_, lie) => {
    liar.tamper = lie();
    const { errors } = laneAgainAndAgain();
    const payments = await gateway.pay(2);
    await inTime(payments, 10_000);
    await eventually(async () => (await slots()).every(({ state }) => state === 'confirmed'), 8_000).catch(() => {});
    expect({
      errors: errors.slice(0, 3),
      states: (await slots()).map(({ state }) => state),
      alerts: await told(),
    }).toEqual({
      errors: [],
      states: (await slots()).map(() => 'confirmed'),
      alerts: [],
    });
  });
});

it('a diamond that fails makes no other one wait by the word of one endpoint', async () => {
  const { nodeId, chainId, networkId, operatorAccountId } = gateway.world;
  const other = { walletId: randomUUID(), diamondAddress: hex(20) };
  const [id, address] = [other.walletId, other.diamondAddress];
  // It reverts.
  await gateway.rpc.call('anvil_setCode', [address, '0x60006000fd']);
  await gateway.knex('wallets').insert({ id, node_id: nodeId, chain_id: chainId, name: 'other', address });
  await gateway.knex('diamonds').insert({
    wallet_id: id,
    network_id: networkId,
    address,
    operator_account_id: operatorAccountId,
    status: 'active',
  });
  const row = await createPaymentRow(gateway.knex, { ...gateway.world, ...other });
  proxies[1]!.rewrite = (request) => {
    const [call] = request.params as [{ from?: string }];
    return /^eth_(call|estimateGas)$/.test(request.method) && call.from !== undefined
      ? { error: { code: 3, message: 'execution reverted', data: '0x' } as { code: number; message: string } }
      : request;
  };
  await insertDealIntents(gateway.knex, [row.id]);
  const payments = await gateway.pay(2);
  lane();
  await allAre(gateway, payments, 'awaiting_payment');
  const own = await gateway.knex('alerts').select('kind', 'data');
  expect(own).toEqual([{ kind: 'simulation_failed', data: { diamond: other.diamondAddress } }]);
});
