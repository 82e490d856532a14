import { eventually } from '../../support/eventually.ts';
import type { Proxy, WireAnswer } from '../support/proxy.ts';
import { allAre } from '../support/running.ts';
import { useThreeEndpoints } from '../support/three-endpoints.ts';

/* Endpoints without a method for the tip, on a chain as an L2: base fee and tip are a hundredth of a gwei. */

const three = useThreeEndpoints();

const CHEAP = 10n ** 7n;
const hex = (amount: bigint): string => `0x${amount.toString(16)}`;
const noMethod: WireAnswer = { error: { code: -32_601, message: 'the method does not exist/is not available' } };

let timer: NodeJS.Timeout;
beforeEach(async () => {
  const { rpc } = three.gateway;
  timer = setInterval(() => void rpc.call('anvil_setNextBlockBaseFeePerGas', [hex(CHEAP)]).catch(() => {}), 50);
  await eventually(async () => {
    const block = (await rpc.call('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: string };
    return BigInt(block.baseFeePerGas) === CHEAP;
  });
});
afterEach(() => clearInterval(timer));

/** Base fees of the blocks from this one on. The chain lowers the fee where a block comes before it was set again. */
const baseFees = async (from: bigint): Promise<bigint[]> => {
  const { rpc } = three.gateway;
  const to = BigInt((await rpc.call('eth_blockNumber')) as string);
  const numbers = Array.from({ length: Number(to - from) + 1 }, (_, index) => hex(from + BigInt(index)));
  const blocks = await Promise.all(numbers.map((number) => rpc.call('eth_getBlockByNumber', [number, false])));
  return blocks.map((block) => BigInt((block as { baseFeePerGas: string }).baseFeePerGas));
};

/** The endpoints respond so to these methods. */
const respond = (proxies: readonly Proxy[], answers: Record<string, WireAnswer>): void => {
  for (const proxy of proxies) proxy.rewrite = (request) => answers[request.method] ?? request;
};

const suggested: WireAnswer = { result: hex(CHEAP) };

it.each<[string, WireAnswer]>([
  ['suggests the same', suggested],
  ['suggests none', noMethod],
])('tips are those of the other endpoints where the leading one %s', async (_, answer) => {
  const { gateway, proxies, liar, lane } = three;
  respond(proxies, { eth_maxPriorityFeePerGas: suggested });
  respond([liar], { eth_maxPriorityFeePerGas: answer });
  const started = new Date();
  lane();
  for (let count = 0; count < 3; count += 1) await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  const tips = await gateway.knex('tx_attempts').where('created_at', '>', started).pluck('max_priority_fee_per_gas');
  expect(tips.map(BigInt)).toEqual([CHEAP, CHEAP, CHEAP]);
});

it.each<[string, WireAnswer, bigint]>([
  ['gas price', { result: hex(3n * CHEAP) }, 3n * CHEAP],
  ['ceiling, where there is no gas price,', noMethod, 50n * CHEAP],
])('without any suggested tip, it is the %s without the base fee', async (_, price, fee) => {
  const { gateway, proxies, lane } = three;
  respond(proxies, { eth_maxPriorityFeePerGas: noMethod, eth_gasPrice: price });
  const started = new Date();
  const from = BigInt((await gateway.rpc.call('eth_blockNumber')) as string);
  lane({ network: { quorum: 2, maxFeePerGas: 50n * CHEAP } });
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  const tips = await gateway.knex('tx_attempts').where('created_at', '>', started).pluck('max_priority_fee_per_gas');
  expect(tips).toHaveLength(1);
  expect((await baseFees(from)).map((base) => fee - base)).toContain(BigInt(tips[0]!));
  expect(await three.told()).toEqual([]);
});
