import type { Payment, WidgetPayment } from '../../api/generated/openapi-types.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { startTestGeth, type TestGeth } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * geth is stopped, killed, and set back while payments are created: a geth that was killed has forgotten the blocks that it had not
 * written, and whatever was in its pool.
 */

describe("geth under today's rules", () => {
  let geth: TestGeth;
  let product: Product;
  let shop: Shop;

  beforeAll(async () => {
    product = await createProduct({
      networks: [{ name: 'alpha', eip155: 31_337, blockTime: 1, confirmations: 2, finality: 64 }],
      startChain: async ({ eip155 }) => (geth = await startTestGeth(eip155, 'osaka')),
    });
    await Promise.all([product.startApi(), product.startWorker()]);
    shop = await openShop(product);
    await shop.deployed('alpha');
    // The preparation is on the disk: no kill removes it.
    await geth.restart('SIGTERM');
  });

  afterAll(async () => {
    shop?.close();
    await product?.stop();
  });

  const tip = async (): Promise<number> => Number(await rpc(geth.url, 'eth_blockNumber'));
  const rises = async (blocks: number): Promise<void> => {
    const from = await tip();
    await eventually(async () => (await tip()) >= from + blocks, 60_000, 200);
  };
  const setBack = async (blocks: number): Promise<void> => {
    await rpc(geth.url, 'debug_setHead', [`0x${((await tip()) - blocks).toString(16)}`]);
  };
  const ready = (payments: readonly Payment[]): Promise<Payment[]> =>
    Promise.all(payments.map((payment) => shop.reached(payment, 'awaiting_payment')));

  const bought = new Map<string, WidgetPayment>();
  const pay = async (payment: Payment): Promise<void> => {
    bought.set(payment.id, await shop.merchant.widget(payment));
    await shop.pay('alpha', payment);
  };
  const lastOf = async (id: string): Promise<string | undefined> =>
    (await shop.merchant.logs(id)).findLast(({ sequence }) => sequence !== null)?.event_type;
  /** Payments of removed blocks were announced as reversed. The buyer pays them again, which is announced too. */
  const payAgain = async (): Promise<void> => {
    const gone = await product.knex('payments').whereNotNull('reversed_at').pluck('id');
    for (const id of gone.filter((own: string) => bought.has(own))) {
      expect(await lastOf(id)).toBe('payment_reversed');
      await shop.buyers.alpha!.pay(bought.get(id)!);
      await eventually(async () => (await lastOf(id)) === 'payment_anomaly', 30_000, 250);
    }
  };

  const newest = async () =>
    (await rpc(geth.url, 'eth_getBlockByNumber', ['latest', false])) as { number: string; hash: string };

  it.each<[string, number, () => Promise<void>]>([
    ['is stopped and started', 0, () => geth.restart('SIGTERM')],
    ['is killed and started', 1, () => geth.restart('SIGKILL')],
    ['is set back by 2 blocks', 2, () => setBack(2)],
    ['is set back by 20 blocks', 20, () => setBack(20)],
  ])('%s: every payment is payable afterwards, by one deal, and is paid once', async (_, forgotten, fault) => {
    const [confirmed] = await ready([await shop.create('alpha')]);
    const underWay = [await shop.create('alpha'), await shop.create('alpha')];
    await rises(forgotten);
    const last = await newest();
    await fault();
    const there = (await rpc(geth.url, 'eth_getBlockByNumber', [last.number, false])) as { hash: string } | null;
    expect(there?.hash !== last.hash).toBe(forgotten > 0);
    const after = await shop.create('alpha');
    // Deals that are gone are noticed with the blocks that came in the place of theirs.
    await rises(3);
    const [first, ...others] = await ready([confirmed!, ...underWay, after]);
    await pay(first!);
    await shop.reached(first!, 'completed');
    expect(await ready(others)).toHaveLength(3);
    await payAgain();
    await expectExactlyOnce(product);
    const isOver = async () =>
      (await product.knex('alerts').where({ is_condition: true, closed_at: null })).length === 0;
    await eventually(isOver, 60_000, 250);
    const kinds = await product.knex('alerts').distinct('kind').orderBy('kind').pluck('kind');
    expect(['deep_reorganisation', 'network_unreachable', 'payment_returned', 'payment_reversed']).toEqual(
      expect.arrayContaining(kinds),
    );
  });
});
