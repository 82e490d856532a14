import { eventually } from '../../support/eventually.ts';
import type { WireAnswer } from '../support/proxy.ts';
import { useThreeEndpoints } from '../support/three-endpoints.ts';

/* What one endpoint of three says, or refuses to say, about simulations and receipts; quorum of two. */

const three = useThreeEndpoints();

describe('an endpoint that refuses simulations', () => {
  const noMethod = { code: -32_601, message: 'the method eth_call does not exist/is not available' };
  const noState = { code: -32_000, message: 'missing trie node 0a (path ) state 0x0a is not available' };
  const unknown = { code: -32_000, message: 'the moon is full' };

  it.each<[how: string, other: string, error: { code: number; message: string }]>([
    ['does not allow eth_call', 'down', noMethod],
    ['does not allow eth_call', 'up', noMethod],
    ['lacks the state', 'down', noState],
    ['has an error that nobody knows', 'down', unknown],
  ])('because it %s has no voice while another one is %s', async (_, other, error) => {
    const [, second, third] = three.proxies;
    if (other === 'down') second!.mode = '500';
    third!.rewrite = (request) => {
      const [call] = request.params as [{ from?: string }];
      const answer: WireAnswer = { error };
      return request.method === 'eth_call' && call.from !== undefined ? answer : request;
    };
    three.lane();
    const isInTime = await three.inTime(await three.gateway.pay(1), 15_000);
    expect({ isInTime, alerts: await three.told() }).toEqual({ isInTime: true, alerts: [] });
  });
});

it('what a transaction has cost is not believed of one endpoint', async () => {
  three.liar.tamper = ({ method }, result) =>
    method === 'eth_getTransactionReceipt' && result !== null
      ? { ...(result as object), gasUsed: '0x1fffffffffffff', effectiveGasPrice: '0xffffffffffffffff' }
      : result;
  three.lane();
  const payments = await three.gateway.pay(1);
  await three.inTime(payments, 15_000);
  const slot = await eventually(async () => {
    const [own] = await three.slotsOf(payments);
    return own!['tx_hash'] !== null && own!;
  });
  const real = await three.gateway.rpc.call('eth_getTransactionReceipt', [slot['tx_hash']]);
  const { gasUsed, effectiveGasPrice } = real as { gasUsed: string; effectiveGasPrice: string };
  expect({ gas: BigInt(slot['gas_used'] as string), price: BigInt(slot['effective_gas_price'] as string) }).toEqual({
    gas: BigInt(gasUsed),
    price: BigInt(effectiveGasPrice),
  });
});
