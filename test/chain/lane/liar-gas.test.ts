import { batchersOf } from '../../../chain/pure/platform.ts';
import { eventually } from '../../support/eventually.ts';
import type { Proxy } from '../support/proxy.ts';
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
});
