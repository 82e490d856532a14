import { eventually } from '../../support/eventually.ts';
import { startTestChain } from '../../support/chain.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 1 });
});
afterAll(() => gateway.close());

const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
const halts = () => gateway.knex('alerts').where({ kind: 'network_halted', closed_at: null });

describe('A halted network whose chain makes a block only for a transaction', () => {
  it("goes on when the right chain is back, without a stranger's transaction", async () => {
    const other = await startTestChain();
    const proxy = await startProxy(gateway.chain.url);
    try {
      let troubles = 0;
      const report = (): void => void (troubles += 1);
      keep(gateway.startWatcher({ urls: [proxy.url], watch: { halted: 200 }, report }));
      keep(gateway.startLane());
      await gateway.rpc.call('evm_setIntervalMining', [0]);
      await gateway.rpc.call('evm_setAutomine', [true]);
      // Everything works on such a chain.
      await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
      // An endpoint that was out of reach is asked again for its chain.
      proxy.mode = 'refuse';
      await eventually(() => troubles > 0);
      proxy.target = other.url;
      proxy.mode = 'pass';
      await eventually(async () => (await cursor()).status === 'halted');
      expect(await halts()).toHaveLength(1);
      const waiting = await gateway.pay(1);
      proxy.target = gateway.chain.url;
      await allAre(gateway, waiting, 'awaiting_payment', 20_000);
      expect((await cursor()).status).toBe('active');
    } finally {
      await proxy.close();
      await other.stop();
    }
  });
});
