import type { Proxy, WireAnswer } from '../support/proxy.ts';
import { allAre } from '../support/running.ts';
import { useThreeEndpoints } from '../support/three-endpoints.ts';

/* Honest endpoints that run calls with little gas only. */

const own = useThreeEndpoints();

const tooHigh: WireAnswer = { error: { code: -32_003, message: 'gas limit too high' } };
const tooMuch: WireAnswer = { error: { code: -32_000, message: 'gas required exceeds allowance (2000000)' } };

/** Runs calls with up to this much gas, and refuses others, as reth and Hardhat's node do. */
const capAt =
  (cap: bigint): Proxy['rewrite'] =>
  async (request) => {
    const [call] = request.params as [{ gas?: string }];
    if (request.method === 'eth_call' && call.gas !== undefined && BigInt(call.gas) > cap) return tooHigh;
    if (request.method !== 'eth_estimateGas') return request;
    const gas = await own.gateway.rpc.call('eth_estimateGas', request.params).catch(() => null);
    return gas !== null && BigInt(gas as string) > cap ? tooMuch : request;
  };

it.each<[string, bigint, number]>([
  ['50 million (control)', 50_000_000n, 1],
  ['2 million', 2_000_000n, 1],
  ['2 million, and another one with more', 2_000_000n, 2],
])('deals are sent without an alert where an endpoint runs calls with a gas limit of %s', async (_, cap, count) => {
  own.proxies[0]!.rewrite = capAt(cap);
  const payments = await own.gateway.pay(100);
  own.lane({ urls: own.proxies.slice(0, count).map(({ url }) => url), network: { quorum: count } });
  await allAre(own.gateway, payments, 'awaiting_payment');
  const waits = await own.waitsOf(payments);
  const alerts = await own.gateway.knex('alerts').pluck('message');
  expect({ waits, alerts }).toEqual({ waits: [], alerts: [] });
});
