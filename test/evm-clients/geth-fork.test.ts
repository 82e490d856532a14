import { startGateway, type Gateway, type TestPayment } from '../chain/support/gateway.ts';
import { allAre, timesCreated } from '../chain/support/running.ts';
import { startTestGeth } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';

/*
 * A chain whose rules change from today's to Amsterdam's while 500 payments are under way: the gas of a deal grows
 * fourfold from one block to the next.
 */

/** Seconds from the genesis block to the new rules; the preparation takes some fifteen of them. */
const CHANGE = 45;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    startChain: () => startTestGeth(31_337, 'osaka', { amsterdamAfter: CHANGE }),
    blockTime: 1,
    confirmations: 2,
  });
});
afterAll(() => gateway.close());

interface Header {
  readonly number: string;
  readonly timestamp: string;
}

const header = async (block: string) => (await gateway.rpc.call('eth_getBlockByNumber', [block, false])) as Header;

it('payments become payable, each by one deal, while the rules of the chain change', async () => {
  const changes = Number((await header('0x0')).timestamp) + CHANGE;
  const running = [gateway.startWatcher(), gateway.startLane()];
  try {
    const payments: TestPayment[] = await gateway.pay(25);
    await allAre(gateway, payments, 'awaiting_payment');
    let last = await header('latest');
    expect(Number(last.timestamp)).toBeLessThan(changes);
    let isMany = false;
    // 25 with each block, and 500 at once in the last block before the change.
    while (Number(last.timestamp) < changes + 4) {
      const before = last.number;
      const isDue: boolean = !isMany && Number(last.timestamp) >= changes - 1;
      isMany ||= isDue;
      payments.push(...(await gateway.pay(isDue ? 500 : 25)));
      last = await eventually(async () => {
        const next = await header('latest');
        return next.number !== before && next;
      });
    }
    await allAre(gateway, payments, 'awaiting_payment', 60_000);
    expect(await timesCreated(gateway, payments)).toEqual(payments.map(() => 1));
    const { gas_used: gas } = await gateway.knex('tx_slots').orderBy('nonce', 'desc').first();
    expect(Number(gas)).toBeGreaterThan(97_920);
    const failed = await gateway.knex('tx_slots').where({ receipt_status: 0 });
    const alerts = await gateway.knex('alerts').pluck('kind');
    console.log(
      `${payments.length} payments, ${failed.length} transactions that failed, alerts: ${alerts.join() || 'none'}`,
    );
    // Transactions that were signed before the fork may lack gas after it: that is reported, and the deals are sent again.
    expect(new Set(alerts)).toEqual(new Set(failed.map(() => 'transaction_failed')));
  } finally {
    await Promise.all(running.map((run) => run.stop()));
  }
});
