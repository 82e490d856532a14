import { batchersOf } from '../../../chain/pure/platform.ts';
import { tokenDeployCall } from '../../../tools/stack/tokens.ts';
import { eventually } from '../../support/eventually.ts';
import { wantFacets } from '../support/facets.ts';
import type { Proxy } from '../support/proxy.ts';
import { allWait } from '../support/running.ts';
import { useThreeEndpoints } from '../support/three-endpoints.ts';

/* The leading endpoint of three is wrong about gas, the gas limit of blocks or the price of data; quorum of two. */

const three = useThreeEndpoints();

const onBlocks =
  (gasLimit: string): Proxy['tamper'] =>
  ({ method }, result) =>
    method === 'eth_getBlockByNumber' ? { ...(result as object), gasLimit } : result;

describe('the gas limit of blocks', () => {
  const setBlocks = async (gas: number): Promise<void> => {
    await three.gateway.rpc.call('evm_setBlockGasLimit', [`0x${gas.toString(16)}`]);
    await eventually(async () => {
      const block = await three.gateway.rpc.call('eth_getBlockByNumber', ['latest', false]);
      return Number((block as { gasLimit: string }).gasLimit) === gas;
    });
  };
  afterEach(() => setBlocks(30_000_000));

  it.each([false, true])(
    'overstated by one endpoint makes no transaction that fits into no block (lie: %s)',
    async (isLie) => {
      await setBlocks(2_000_000);
      const batcher = batchersOf(three.gateway.platform)[0].address;
      if (isLie) {
        three.liar.tamper = onBlocks('0x1c9c380');
        three.liar.rewrite = (request) => {
          const [call] = request.params as [{ to?: string; data?: string }];
          if (request.method !== 'eth_estimateGas' || call?.to !== batcher) return request;
          const deals = Math.round((call.data!.length - 10 - 64 * 7) / 128);
          return { result: `0x${(70_000 + deals * 25_600).toString(16)}` };
        };
      }
      const payments = await three.gateway.pay(115);
      three.lane();
      const isInTime = await three.inTime(payments, 15_000);
      const limits = (await three.slotsOf(payments)).map((slot) => Number(slot['gas_limit']));
      expect({ isInTime, tooLarge: limits.filter((limit) => limit > 1_000_000), alerts: await three.told() }).toEqual({
        isInTime: true,
        tooLarge: [],
        alerts: [],
      });
    },
  );

  it('of nothing by one endpoint makes no transaction for each deal', async () => {
    three.liar.tamper = onBlocks('0x0');
    const payments = await three.gateway.pay(200);
    three.lane();
    const isInTime = await three.inTime(payments, 15_000);
    const { length } = await three.slotsOf(payments);
    expect({ isInTime, areFew: length < 10 }).toEqual({ isInTime: true, areFew: true });
  });

  it('that falls makes the next transactions smaller', async () => {
    three.lane();
    await three.inTime(await three.gateway.pay(1), 15_000);
    await setBlocks(2_000_000);
    const payments = await three.gateway.pay(115);
    const isInTime = await three.inTime(payments, 15_000);
    const limits = (await three.slotsOf(payments)).map((slot) => Number(slot['gas_limit']));
    expect({ isInTime, tooLarge: limits.filter((limit) => limit > 1_000_000), alerts: await three.told() }).toEqual({
      isInTime: true,
      tooLarge: [],
      alerts: [],
    });
  });

  it('is enough for a call that needs almost as much', async () => {
    const { rpc, keys } = three.gateway;
    const call = tokenDeployCall({ name: 'Large', symbol: 'LARGE', decimals: 6 });
    const need = Number(await rpc.call('eth_estimateGas', [{ from: keys.upgrader.address, ...call }, 'latest']));
    await setBlocks(Math.round(need * 1.05));
    const { upgrader, settled } = await wantFacets(three.gateway, { token: call });
    three.lane(upgrader);
    const intents = await settled();
    expect({ outcomes: intents.map(({ outcome }) => outcome), alerts: await three.told() }).toEqual({
      outcomes: ['effective'],
      alerts: [],
    });
  });
});

describe('estimates that are too high by one endpoint', () => {
  const isTooHigh = (): void => {
    three.liar.tamper = ({ method }, result) =>
      method === 'eth_estimateGas' ? `0x${(BigInt(result as string) + 4_000_000n).toString(16)}` : result;
  };

  it('are no missing funds, and raise no gas limit', async () => {
    // Ten times what the transactions cost.
    await three.setBalance(2n * 10n ** 15n);
    isTooHigh();
    three.lane();
    const payments = await three.gateway.pay(3);
    const isInTime = await three.inTime(payments, 15_000);
    const limits = (await three.slotsOf(payments)).map((slot) => Number(slot['gas_limit']));
    expect({
      isInTime,
      alerts: await three.told(),
      waits: await three.waitsOf(payments),
      raised: limits.filter((limit) => limit > 200_000),
    }).toEqual({ isInTime: true, alerts: [], waits: [], raised: [] });
  });

  it('are no missing funds for a call', async () => {
    const { rpc, keys } = three.gateway;
    const token = { name: 'Liar', symbol: 'LIAR', decimals: 6 };
    const { upgrader, settled } = await wantFacets(three.gateway, { token: tokenDeployCall(token) });
    // Twice what the transaction costs.
    await rpc.call('anvil_setBalance', [keys.upgrader.address, `0x${(4n * 10n ** 15n).toString(16)}`]);
    isTooHigh();
    three.lane(upgrader);
    const intents = await settled();
    expect({ outcomes: intents.map(({ outcome }) => outcome), alerts: await three.told() }).toEqual({
      outcomes: ['effective'],
      alerts: [],
    });
  });

  it.each([false, true])(
    'are no missing funds for a call when the second endpoint gives them twice in a row (lie: %s)',
    async (isLie) => {
      const { rpc, keys, knex } = three.gateway;
      const call = (symbol: string) => tokenDeployCall({ name: `Liar ${isLie}`, symbol, decimals: 6 });
      const [first, second] = three.proxies;
      // As on chains without a pool: each tick sends the transaction again, and then plans with the next endpoint.
      first!.rewrite = (request) =>
        request.method === 'eth_getTransactionCount' ? { ...request, params: [request.params[0], 'latest'] } : request;
      const one = await wantFacets(three.gateway, { one: call('ONE') });
      await rpc.call('evm_setIntervalMining', [0]);
      try {
        three.lane({ ...one.upgrader, timing: { missing: 1 } });
        await eventually(async () => Number(((await rpc.call('txpool_status')) as { pending: string }).pending) > 0);
        // More than twice what both transactions cost.
        await rpc.call('anvil_setBalance', [keys.upgrader.address, `0x${(12n * 10n ** 15n).toString(16)}`]);
        if (isLie)
          second!.tamper = ({ method }, result) =>
            method === 'eth_estimateGas' ? `0x${(BigInt(result as string) + 8_000_000n).toString(16)}` : result;
        await wantFacets(three.gateway, { two: call('TWO') });
        await eventually(async () => (await knex('tx_slots').where({ state: 'signed' })).length === 2, 10_000);
      } finally {
        await rpc.call('evm_setIntervalMining', [1]);
      }
      expect(await three.told()).toEqual([]);
      await one.settled();
      await eventually(async () => (await knex('tx_slots').where({ state: 'signed' })).length === 0);
    },
  );

  it('are no low funds', async () => {
    await three.setBalance(6n * 10n ** 16n);
    isTooHigh();
    let ticks = 0;
    three.lane({ lowFunds: 20, timing: { unreachable: 200, funds: 200 }, heartbeat: () => void (ticks += 1) });
    await three.inTime(await three.gateway.pay(3), 15_000);
    const before = ticks;
    await eventually(() => ticks > before + 30);
    expect(await three.told()).toEqual([]);
  });
});

describe('a price of data that one endpoint tells', () => {
  const ORACLE = '0x420000000000000000000000000000000000000f';
  const oracleOf = (proxy: Proxy, result: string): void => {
    proxy.rewrite = (request) => {
      const [call] = request.params as [{ to?: string }];
      return request.method === 'eth_call' && call.to === ORACLE ? { result } : request;
    };
  };

  it('and the chain does not take is no missing funds', async () => {
    oracleOf(three.liar, `0x${'f'.repeat(64)}`);
    three.lane();
    const payments = await three.gateway.pay(3);
    const isInTime = await three.inTime(payments, 15_000);
    expect({ isInTime, alerts: await three.told(), waits: await three.waitsOf(payments) }).toEqual({
      isInTime: true,
      alerts: [],
      waits: [],
    });
  });

  it('as none hides none that the chain takes', async () => {
    oracleOf(three.liar, '0x');
    // A hundred coins for a transaction, of ten thousand that the account has.
    for (const honest of three.proxies.slice(1))
      oracleOf(honest, `0x${(50n * 10n ** 18n).toString(16).padStart(64, '0')}`);
    three.lane();
    await three.inTime(await three.gateway.pay(1), 15_000);
    await three.setBalance(10n ** 20n / 2n);
    const payments = await three.gateway.pay(1);
    await allWait(three.gateway, payments, 'operator_underfunded');
    expect((await three.told()).map((own) => own.split(':')[0])).toEqual(['operator_underfunded']);
    await three.setBalance(10n ** 22n);
    expect(await three.inTime(payments, 15_000)).toBe(true);
  });
});
