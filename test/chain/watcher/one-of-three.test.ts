import { startGateway, type Gateway } from '../support/gateway.ts';
import { eventually } from '../../support/eventually.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/* Three endpoints of a network whose catalogue names no quorum, and the first of them lies. */

let gateway: Gateway;
let liar: Proxy;
let honest: Proxy[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, blockTime: 0.2 });
  liar = await startProxy(gateway.chain.url);
  honest = await Promise.all([startProxy(gateway.chain.url), startProxy(gateway.chain.url)]);
});
afterAll(async () => {
  await Promise.all([liar, ...honest].map((proxy) => proxy.close()));
  await gateway.close();
});

it('a lying endpoint of three completes no payment that nobody paid, and keeps none that is paid', async () => {
  const urls = [liar.url, ...honest.map(({ url }) => url)];
  keep(gateway.startWatcher({ urls, watch: { recheck: 500 } }));
  keep(gateway.startLane());
  const payments = await gateway.pay(2);
  await allAre(gateway, payments, 'awaiting_payment');
  const [unpaid, paid] = payments;
  // The readers of words ask for many deals in one call.
  const word = (status: string): string => unpaid!.termsHash.slice(2, 64) + status;
  liar.tamper = ({ method }, result) =>
    method === 'eth_call' && typeof result === 'string' ? result.replaceAll(word('01'), word('02')) : result;
  await gateway.buy(paid!);
  await allAre(gateway, [paid!], 'completed');
  const before = Number(await gateway.rpc.call('eth_blockNumber'));
  const scanned = async () => Number((await gateway.knex('watch_cursors').first('number')).number);
  await eventually(async () => (await scanned()) > before + 20, 60_000);
  expect(await gateway.statuses([unpaid!])).not.toEqual(['completed']);
});
