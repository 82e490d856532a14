import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import { devAccounts } from '../../dev/stack/accounts.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

let product: Product;
let shop: Shop;
beforeAll(async () => {
  product = await createProduct({ environment: { CARAT_LOG_LEVEL: 'debug' } });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks.alpha!.id);
}, 120_000);
afterAll(async () => {
  shop?.close();
  await product?.stop();
});

it('scan', async () => {
  const first = await shop.create('alpha');
  await shop.reached(first, 'awaiting_payment');
  const shown = await shop.merchant.widget(first);
  // every save fails for some time
  const holder = await product.knex.transaction();
  await holder.raw('LOCK TABLE offers IN SHARE MODE');
  const stuck = await shop.create('alpha');
  await delay(13_000);
  await holder.commit();
  await shop.reached(stuck, 'awaiting_payment');
  const other = await shop.merchant.widget(stuck);
  await shop.buyers.alpha!.pay(other);
  await shop.reached(stuck, 'completed');
  await shop.merchant.cancel(first.id);
  const offers = await product.knex('offers').select('*');
  const secrets = [devAccounts.signer.privateKey.slice(2), ...[shown, other].flatMap(({ contract }) => [contract.arguments[2], contract.arguments[3]].map((t) => String(t).slice(2))), ...offers.map(({ encrypted }) => encrypted.toString('hex'))];
  const client = await createTemporalClient(product.dev.temporal);
  const places: [string, string][] = fs.readdirSync(product.logs).map((f) => [f, fs.readFileSync(path.join(product.logs, f), 'utf8')]);
  const handles = new Set<string>();
  await eventually(async () => {
    for await (const w of client.workflow.list()) handles.add(w.workflowId);
    return [...handles].some((id) => id.includes('offers'));
  }, 20_000);
  for (const id of handles) {
    const history = await client.workflow.getHandle(id).fetchHistory().catch(() => null);
    if (history !== null) places.push([id, Buffer.from(temporal.api.history.v1.History.encode(history).finish()).toString('latin1')]);
    const d = await client.workflow.getHandle(id).describe().catch(() => null);
    if (d !== null) places.push([`describe ${id}`, JSON.stringify(d.raw, (_k, v) => (typeof v === 'bigint' ? String(v) : v))]);
  }
  for (const t of ['webhook_events', 'audit_log', 'payment_logs', 'outbox', 'alerts'])
    places.push([t, JSON.stringify(await product.knex(t).select('*'))]);
  const found = places.flatMap(([name, text]) => secrets.filter((s) => [s, Buffer.from(s, 'hex').toString('base64').slice(0, 30), Buffer.from(s, 'hex').toString('latin1').slice(0, 24)].some((f) => text.includes(f.slice(0, 60)))).map((s) => `${name}: ${s.slice(0, 12)}`));
  const failures = places.filter(([, text]) => text.includes('lock timeout')).map(([name]) => name);
  process.stderr.write(JSON.stringify({ places: places.map(([n, t]) => `${n} ${t.length}`), found, failures, secrets: secrets.length }) + '\n');
  expect(found).toEqual([]);
}, 180_000);
