import fs from 'node:fs';
import path from 'node:path';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { createCaratClient } from '../../client/client.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { demoCatalogue } from '../../tools/stack/prepare.ts';
import type { DevNetwork } from '../../tools/stack/settings.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { carat, type Outcome } from '../support/carat.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * The life of a network that is retired and taken up again, beside one that stays in use.
 */

const networks: readonly DevNetwork[] = [
  { name: 'alpha', eip155: 31_337, blockTime: 0.2, confirmations: 3, finality: 12 },
  { name: 'beta', eip155: 31_338, blockTime: 0.2, confirmations: 3, finality: 12 },
];

let product: Product;
let shop: Shop;
let proxy: Proxy;
let worker: RunningProcess;
let temporal: ReturnType<typeof createTemporalClient>;

beforeAll(async () => {
  // Its target is known once the chain runs.
  proxy = await startProxy('');
  product = await createProduct({
    networks,
    urlOf: (name, url) => {
      if (name !== 'alpha') return url;
      proxy.target = url;
      return proxy.url;
    },
  });
  temporal = createTemporalClient(product.dev.temporal);
  [, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await Promise.all(networks.map(({ name }) => shop.deployed(name)));
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await proxy?.close();
  await temporal?.connection.close();
});

/** Runs the operators' command on the product's file, with these values of alpha. */
const apply = async (alpha: Record<string, unknown>): Promise<Outcome> => {
  const file = path.join(path.dirname(product.logs), 'catalogue.yaml');
  const url = (name: string) => (name === 'alpha' ? proxy.url : product.chains[name]!.url);
  const known = networks.map((network) => ({
    ...network,
    id: product.dev.networks[network.name]!.id,
    url: url(network.name),
  }));
  const catalogue = demoCatalogue(known) as { networks: Record<string, unknown>[] };
  catalogue.networks[0] = { ...catalogue.networks[0], ...alpha };
  fs.writeFileSync(file, JSON.stringify(catalogue));
  const outcome = await carat(['catalogue', 'apply', file], { CARAT_DATABASE_URL: product.dev.database });
  if (outcome.code !== 0) throw new Error(outcome.err);
  return outcome;
};

const alphaId = () => product.dev.networks.alpha!.id;
const alpha = () => product.knex('networks').where({ id: alphaId() }).first();
const client = () =>
  createCaratClient({
    url: product.dev.api,
    apiKey: product.dev.admin.api_key,
    secret: product.dev.admin.secret,
  });

/** Whether the workflows of alpha run: its watcher, and the lanes of both of its keys. */
const running = async (): Promise<string[]> => {
  const keys = await product
    .knex('signer_accounts')
    .where({ network_id: alphaId() })
    .whereNot({ role: 'signer' })
    .pluck('address');
  const ids = [workflowIds.watchNetwork(alphaId()), ...keys.map((key: string) => workflowIds.lane(alphaId(), key))];
  return Promise.all(ids.map(async (id) => (await temporal.workflow.getHandle(id).describe()).status.name));
};

const ask = (method: string, ...params: unknown[]): Promise<unknown> => rpc(product.chains.alpha!.url, method, params);

/** Waits until a payment is seen in a block, and replaces that block by empty ones before it has its confirmations. */
const payAndReorganise = async (payment: Payment): Promise<void> => {
  await ask('evm_setIntervalMining', 0);
  const paying = shop.pay('alpha', payment);
  await eventually(async () => Number(((await ask('txpool_status')) as { pending: string }).pending) > 0);
  await ask('anvil_mine', '0x1');
  await paying;
  await shop.reached(payment, 'processing');
  await ask('anvil_reorg', 1, []);
  await ask('anvil_mine', '0x1');
  await shop.reached(payment, 'awaiting_payment');
  await ask('evm_setIntervalMining', 1);
};

it('a retired network takes nothing new, and earlier payments are created, paid and canceled', async () => {
  const [paid, dropped] = [await shop.create('alpha'), await shop.create('alpha')];
  await Promise.all([paid, dropped].map((payment) => shop.reached(payment, 'awaiting_payment')));
  await worker.stop();
  const pending = await shop.create('alpha');
  const { out } = await apply({ retired: true });
  expect(out).toContain('retired    alpha: 3 payments open; it is watched until nothing can be paid or reversed there');
  await expect(shop.create('alpha')).rejects.toThrow('The network alpha is retired and takes nothing new');
  expect((await apply({ retired: true })).out).toMatch(/^The catalogue matches the file\n/);

  worker = await product.startWorker();
  await shop.reached(pending, 'awaiting_payment');
  await payAndReorganise(paid);
  await client().cancelPayment(dropped.id);
  await shop.reached(dropped, 'canceled');
  for (const payment of [paid, pending]) await shop.pay('alpha', payment);
  await Promise.all([paid, pending].map((payment) => shop.reached(payment, 'completed')));
  const told = (await shop.merchant.logs(paid.id)).map(({ event_type }) => event_type);
  expect(told).toEqual(expect.arrayContaining(['payment_reorged', 'payment_confirmed']));
  await expectExactlyOnce(product);
});

it('once no payment can be paid or reversed, no process calls its endpoints, and the other network goes on', async () => {
  await eventually(async () => (await alpha()).rested_at, 45_000, 100);
  const { number } = await product.knex('watch_cursors').where({ network_id: alphaId() }).first();
  const { last } = await product
    .knex('payments')
    .where({ network_id: alphaId() })
    .max({ last: product.knex.raw('greatest(paid_block_number, cancel_block_number)') })
    .first<{ last: string }>();
  // Not a block too early.
  expect(Number(number) - Number(last)).toBeGreaterThanOrEqual(12);
  await eventually(async () => (await running()).every((status) => status === 'COMPLETED'), 30_000, 250);
  // Refused requests would not count.
  const asked = proxy.exchanges.length;
  const payment = await shop.create('beta');
  await shop.pay('beta', payment);
  await shop.reached(payment, 'completed');
  // A worker that starts anew does not ask them either.
  await worker.stop();
  worker = await product.startWorker();
  const later = await shop.create('beta');
  await shop.pay('beta', later);
  await shop.reached(later, 'completed');
  expect(proxy.exchanges).toHaveLength(asked);
  expect((await apply({ retired: true, rpc_urls: null })).out).toMatch(/^The catalogue matches the file\n/);
  expect((await apply({ retired: true })).out).not.toMatch(/retired {4}|warning/);
  expect(proxy.exchanges).toHaveLength(asked);
  proxy.mode = 'refuse';
  expect((await apply({ retired: true })).out).not.toContain('warning');
  const status = await client().getStatus();
  expect([status.network_count, status.network_list.map(({ name }) => name)]).toEqual([1, ['beta']]);
  expect(await product.knex('alerts').where({ network_id: alphaId(), closed_at: null })).toEqual([]);
});

it('a network taken up again is watched from its newest block on, and payments are made and paid there', async () => {
  const { number } = await product.knex('watch_cursors').where({ network_id: alphaId() }).first();
  proxy.mode = 'pass';
  const tip = async () => Number(await rpc(product.chains.alpha!.url, 'eth_blockNumber'));
  expect(await tip()).toBeGreaterThan(Number(number));
  const { out } = await apply({});
  expect(out).toContain(
    `resumed    alpha: it is watched from its newest block on; earlier blocks after ${number} are skipped`,
  );
  const payment = await shop.create('alpha');
  await shop.pay('alpha', payment);
  await shop.reached(payment, 'completed');
  expect(await running()).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
  const [oldest] = await product.knex('block_headers').where({ network_id: alphaId() }).orderBy('number');
  expect(Number(oldest.number)).toBeGreaterThan(Number(number));
  await eventually(async () => (await client().getStatus()).network_count === 2);
  await expectExactlyOnce(product);
});
