import type { Payment } from '../../api/generated/openapi-types.ts';
import { cases } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { expiresIn, openShop, type Shop } from '../support/shop.ts';

/*
 * One worker after the other dies (SIGKILL) at a named boundary: before an effect, after it, after it was recorded. Each
 * finds what all before it left behind, while payments are created and a buyer pays what can be paid. In the end every
 * payment is completed, once.
 */

const wanted = cases('KILLS', { few: 3, all: Infinity });

const all = [
  ...['enqueueDeals', 'runStep', 'expireOffchain', 'decideCancel', 'sendAgain'].flatMap((name) => [
    `${name}:before`,
    `${name}:after_effect`,
    `${name}:after_record`,
  ]),
  // Later steps of the deployment that is made for each of them.
  'runStep:before:2',
  'runStep:after_effect:3',
  'runStep:after_record:4',
  ...['before_assign', 'after_assign', 'before_save', 'before_send', 'after_send', 'after_record'].map(
    (point) => `runLane:${point}`,
  ),
  ...['before_mined', 'after_mined'].map((point) => `runLane:${point}`),
  ...['before_commit', 'after_commit', 'before_commit:7', 'before_judge', 'after_judge'].map(
    (point) => `runWatcher:${point}`,
  ),
  'runOffers:before_save',
  'runOffers:after_save',
];

/** Evenly from all, so that each activity loses some worker. */
const boundaries = all.filter((_, index) => index % Math.max(1, Math.round(all.length / wanted)) === 0);

let product: Product;
let shop: Shop;
let offering: Shop;
const web3: Payment[] = [];
const expiring: Payment[] = [];
const canceled: Payment[] = [];
const shops: Shop[] = [];

beforeAll(async () => {
  product = await createProduct();
  await product.startApi();
  shop = await openShop(product);
  await shop.merchant.deploy(shop.wallet.id, product.dev.networks.alpha!.id);
  // One more merchant, whose deals are offered from the beginning.
  const worker = await product.startWorker();
  offering = await openShop(product);
  shops.push(offering);
  await offering.deployed('alpha');
  await offering.merchant.offerDeals(offering.wallet.id, product.dev.networks.alpha!.id);
  await worker.stop();
});

afterAll(async () => {
  for (const open of [shop, ...shops]) open?.close();
  await product?.stop();
});

/** Work for every activity: a payment, a deployment, one of each kind that expires soon, a cancel, a retry. */
const makeWork = async (boundary: string): Promise<void> => {
  if (boundary.startsWith('runStep')) {
    const another = await openShop(product);
    shops.push(another);
    await another.merchant.deploy(another.wallet.id, product.dev.networks.alpha!.id);
  }
  web3.push(await shop.create('alpha'));
  if (boundary.startsWith('runOffers')) web3.push(await offering.create('alpha'));
  if (boundary.startsWith('sendAgain')) await shop.merchant.retrySend(web3.at(-1)!.id);
  if (boundary.startsWith('decideCancel')) {
    // One of each: a payment whose deal may be in flight, and one on no chain.
    const transfer = { payment_method: 'bank_transfer', wallet_id: undefined } as const;
    for (const more of [{}, transfer]) canceled.push(await shop.create('alpha', more));
    for (const { id } of canceled.slice(-2)) await shop.merchant.cancel(id);
  }
  expiring.push(await shop.create('alpha', expiresIn(8)));
  expiring.push(await shop.create('alpha', { ...expiresIn(8), payment_method: 'bank_transfer', wallet_id: undefined }));
};

it.each(boundaries)('a worker dies at %s', async (boundary) => {
  await expect(product.loseWorkerAt(boundary, () => makeWork(boundary))).resolves.toBeUndefined();
});

it('the payments of the killed workers end as they should, with each deal and each payment once', async () => {
  await product.startWorker();
  for (const deploying of [shop, ...shops]) await deploying.deployed('alpha');
  for (const payment of web3) await shop.pay('alpha', payment);
  for (const payment of web3) await shop.reached(payment, 'completed');
  for (const payment of expiring) await shop.reached(payment, 'expired');
  for (const payment of canceled) await shop.reached(payment, 'canceled');
  await expectExactlyOnce(product);
  const open = await eventually(async () => {
    const rows = await product.knex('outbox').whereNull('delivered_at');
    return rows.length === 0 ? 'none' : null;
  });
  expect(open).toBe('none');
});
