import type { RunningProcess } from '../../tools/process/process.ts';
import { openPage } from '../api/support/events.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * A buyer's page follows its payment through all processes, and connects again when its api stops.
 */

let product: Product;
let shop: Shop;
let api: RunningProcess;

beforeAll(async () => {
  product = await createProduct();
  [api] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

it('a page sees its payment go from pending to completed, with every status of the log', async () => {
  const payment = await shop.create('alpha');
  const page = await openPage(product.dev.api, payment);
  await page.until({ payable: true });
  const hash = await shop.pay('alpha', payment);
  const last = await page.until({ status: 'completed' });
  expect(last.transaction_hash).toBe(hash);
  expect(last.confirmations.seen).toBe(last.confirmations.needed);
  const statuses = page.states.map(({ status }) => status);
  expect(statuses.filter((status, index) => status !== statuses[index - 1]).slice(-3)).toEqual([
    'awaiting_payment',
    'processing',
    'completed',
  ]);
  const seen = page.states
    .filter(({ status }) => status === 'processing')
    .map(({ confirmations }) => confirmations.seen);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  page.close();
});

it('SIGTERM ends streams at once, the api stops without waiting for them, and another api continues them', async () => {
  const payment = await shop.create('alpha');
  const page = await openPage(product.dev.api, payment);
  await page.until({ payable: true });
  process.kill(api.pid, 'SIGTERM');
  await eventually(() => page.isOver());
  // Requests under way have seven seconds, and are cut then.
  expect(page.isWhole()).toBe(true);
  expect(await api.exited).toBe(0);
  api = await product.startApi();
  const again = await openPage(product.dev.api, payment);
  await again.until({ payable: true });
  await shop.pay('alpha', payment);
  await again.until({ status: 'completed' });
  again.close();
});
