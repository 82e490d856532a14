import { allAre, stopAfterEach } from '../support/running.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';

/*
 * Chains that differ from Ethereum in their figures alone: payments go their whole way there, without an alert.
 */

let gateway: Gateway | null = null;
const keep = stopAfterEach();
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

const start = async (options: Parameters<typeof startGateway>[0]): Promise<Gateway> => {
  gateway = await startGateway(options);
  keep(gateway.startWatcher());
  return gateway;
};

/** Kinds of alerts; an operator of these tests has prepared the registry without the catalogue. */
const alertsOf = async ({ knex }: Gateway): Promise<string[]> =>
  (await knex('alerts').whereNot('kind', 'like', '%_not_asked_for').pluck('kind')) as string[];

it.each([
  ['whose id is above 2^32', { chainId: 11_297_108_109, confirmations: 2 }],
  ['whose blocks come every 100 ms', { blockTime: 0.1, confirmations: 20 }],
])('a chain %s', async (_, options) => {
  const at = await start(options);
  keep(at.startLane());
  const payments = await at.pay(3);
  await allAre(at, payments, 'awaiting_payment', 60_000);
  for (const payment of payments) await at.buy(payment);
  await allAre(at, payments, 'completed', 60_000);
  expect(await alertsOf(at)).toEqual([]);
});

it('a chain whose gas is free, for an account without coins', async () => {
  const at = await start({ confirmations: 2 });
  const proxy = await startProxy(at.chain.url);
  const free = ['eth_maxPriorityFeePerGas', 'eth_gasPrice'];
  proxy.rewrite = (request) => (free.includes(request.method) ? { result: '0x0' } : request);
  proxy.tamper = ({ method }, result) =>
    method === 'eth_getBlockByNumber' && result !== null ? { ...(result as object), baseFeePerGas: '0x0' } : result;
  const always = setInterval(() => void at.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x0']).catch(() => {}), 20);
  await at.rpc.call('anvil_setBalance', [at.keys.operator.address, '0x0']);
  keep(at.startLane({ urls: [proxy.url], lowFunds: 20 }));
  const payments = await at.pay(3);
  await allAre(at, payments, 'awaiting_payment', 60_000);
  expect(await alertsOf(at)).toEqual([]);
  clearInterval(always);
  await proxy.close();
});
