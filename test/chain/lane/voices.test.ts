import type { WireAnswer } from '../support/proxy.ts';
import { useThreeEndpoints } from '../support/three-endpoints.ts';

/* What one endpoint of three refuses to say about simulations; quorum of two. */

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
