import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * One endpoint of three, with a quorum of two, gives its true blocks false dates. It dates them truly where they are judged,
 * because the quorum compares dates there.
 */

let gateway: Gateway;
let proxies: Proxy[];
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 2, blockTime: 0.2 });
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
});
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await gateway.close();
});

const date = (timestamp: (true_: number) => number): void => {
  const [liar] = proxies as [Proxy];
  liar.tamper = ({ method, params }, result) => {
    const isJudgement = liar.exchanges.at(-1)!.includes('eth_call');
    if (method !== 'eth_getBlockByNumber' || params[0] === '0x0' || result === null || isJudgement) return result;
    const block = result as { timestamp: string };
    return { ...block, timestamp: `0x${timestamp(Number(block.timestamp)).toString(16)}` };
  };
};

const options = (report: (text: string) => void) => ({
  urls: proxies.map(({ url }) => url),
  network: { quorum: 2 },
  report: ({ endpoint, reason }: { endpoint: number; reason: string }) => report(`${endpoint}: ${reason}`),
});

const bought = async (): Promise<TestPayment> => {
  const [payment] = await gateway.pay(1);
  await allAre(gateway, [payment!], 'awaiting_payment');
  return payment!;
};

it('do not stop the watcher', async () => {
  keep(gateway.startLane());
  const said: string[] = [];
  let watcher = keep(gateway.startWatcher(options((text) => said.push(text))));
  const payment = await bought();
  date(() => Number.MAX_SAFE_INTEGER);
  await gateway.buy(payment);
  let isDone = false;
  // A worker starts it again.
  for (let runs = 0; runs < 4 && !isDone; runs += 1) {
    const completed = allAre(gateway, [payment], 'completed', 15_000).then(() => true);
    completed.catch(() => {});
    isDone = await Promise.race([completed, watcher.ended.then(() => false)]).catch((error: Error) => {
      said.push(error.message.slice(-90));
      return false;
    });
    if (!isDone) watcher = keep(gateway.startWatcher(options((text) => said.push(text))));
  }
  expect({ said, isDone }).toMatchObject({ isDone: true });
});

it('do not date a payment', async () => {
  keep(gateway.startLane());
  const said: string[] = [];
  keep(gateway.startWatcher(options((text) => said.push(text))));
  const payment = await bought();
  date((timestamp) => timestamp - 864_000);
  await gateway.buy(payment);
  await allAre(gateway, [payment], 'completed');
  const { paid_at: at, paid_block_number: number } = await gateway.knex('payments').where({ id: payment.id }).first();
  const block = (await gateway.rpc.call('eth_getBlockByNumber', [`0x${Number(number).toString(16)}`, false])) as {
    timestamp: string;
  };
  expect({ at: (at as Date).getTime() / 1_000, said }).toMatchObject({ at: Number(block.timestamp) });
});
