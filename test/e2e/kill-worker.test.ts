import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RunningProcess } from '../../dev/process.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * The worker dies at a named boundary, really (SIGKILL), while payments are under way; another one takes over.
 */

const boundaries = [
  ...['enqueueDeals', 'runStep'].flatMap((name) => [`${name}:before`, `${name}:after_effect`, `${name}:after_record`]),
  'lane:before_assign',
  'lane:after_assign',
  'lane:after_sign',
  'lane:before_send',
  'lane:after_send',
  'lane:after_record',
  'watcher:before_commit',
  'watcher:after_commit',
];

let product: Product;

beforeAll(async () => {
  product = await createProduct();
  await product.startApi();
}, 120_000);

afterAll(() => product?.stop());

test.each(boundaries)(
  'killed at %s, nothing is lost, doubled or stuck',
  async (boundary) => {
    const doomed = await product.startWorker(boundary);
    const shop: Shop = await openShop(product);
    let next: RunningProcess | undefined;
    try {
      const payments = [await shop.create('alpha'), await shop.create('alpha')];
      void shop.deployed('alpha').catch(() => undefined);
      expect(await doomed.exited).toBe('SIGKILL');
      next = await product.startWorker();
      for (const payment of payments) await shop.pay('alpha', payment);
      for (const payment of payments) await shop.reached(payment, 'completed');
      await expectExactlyOnce(product);
    } finally {
      shop.close();
      await doomed.stop();
      await next?.stop();
    }
  },
  90_000,
);
