import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * A promise about offered payments that an attacker broke: offers that cannot be stored are told, with the reason.
 */

let product: Product;
let shop: Shop;
beforeAll(async () => {
  product = await createProduct();
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks.alpha!.id);
  await shop.reached(await shop.create('alpha'), 'awaiting_payment');
  // Every insert fails, as on a full disk of the table's tablespace.
  await product.knex.raw(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
  await product.knex.raw('CREATE TRIGGER full_disk BEFORE INSERT ON offers FOR EACH ROW EXECUTE FUNCTION full_disk()');
}, 120_000);
afterAll(async () => {
  shop?.close();
  await product?.stop();
});

it('a payment whose offers cannot be stored for 32 seconds says so, or an alert does', async () => {
  const payment = await shop.create('alpha');
  await delay(32_000);
  const { status, status_detail: detail } = await shop.merchant.payment(payment.id);
  const told = await product.knex('alerts').whereNull('closed_at').pluck('kind');
  expect({ status, isTold: detail !== null || told.length > 0 }).toEqual({ status: 'pending', isTold: true });
}, 60_000);

it('the log names the reason of the failure', () => {
  const lines = fs.readFileSync(path.join(product.logs, 'worker.log'), 'utf8').split('\n');
  const failures = lines.filter((line) => line.includes('runOffers'));
  expect(failures.length).toBeGreaterThan(0);
  expect(failures[0]).toMatch(/No space left on device|53100/);
});
