import type { DeploymentStep, Payment } from '../../api/generated/openapi-types.ts';
import { releaseOf } from '../../chain/pure/releases.ts';
import type { CaratError } from '../../client/carat-error.ts';
import { createCaratClient } from '../../client/client.ts';
import type { CaratOperations } from '../../client/operations.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { setWindow } from '../../db/offers/record.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { releaseNewest } from '../support/upgrade.ts';

/*
 * A diamond of the release before offers, with open created deals, is updated, and its wallet offers its deals from then on. Some of
 * both kinds are paid, some canceled, and the others expire.
 */

const OPEN = 200;

let product: Product;
let shop: Shop;
let carat: CaratOperations;

beforeAll(async () => {
  product = await createProduct({ release: releaseOf('1.2.0')! });
  await Promise.all([product.startApi(), product.startWorker()]);
  const { api: url, admin } = product.dev;
  carat = createCaratClient({ url, apiKey: admin.api_key, secret: admin.secret });
  shop = await openShop(product);
  await shop.deployed('alpha');
  await setWindow(product.knex, 10);
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

const create = async (count: number): Promise<Payment[]> => {
  // The chain's clock is put forward when the others have ended.
  const expires_at = new Date(Date.now() + 500_000).toISOString();
  const payments: Payment[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let made = 0; made < count / 20; made += 1) payments.push(await shop.create('alpha', { expires_at }));
    }),
  );
  return payments;
};

const all = (payments: readonly Payment[], status: string, ms = 60_000): Promise<boolean> =>
  eventually(
    async () => {
      const rows = await product
        .knex('payments')
        .whereIn(
          'id',
          payments.map(({ id }) => id),
        )
        .whereNot({ status })
        .select('status', 'status_detail');
      if (rows.length > 0) throw new Error(`${rows.length} are ${rows[0].status} (${rows[0].status_detail})`);
      return true;
    },
    ms,
    100,
  );

/** The first ten are paid; cancels the next ten, some of them on the chain. */
const settle = async (payments: readonly Payment[]): Promise<void> => {
  const [paid, canceled] = [payments.slice(0, 10), payments.slice(10, 20)];
  for (const payment of canceled.slice(0, 6)) await shop.merchant.widget(payment);
  for (const [index, { id }] of canceled.entries()) await shop.merchant.cancel(id, index < 3);
  await all(paid, 'completed');
  await all(canceled, 'canceled');
};

it(`a diamond with ${OPEN} open deals takes offers after its update, and deals of both kinds end as on the chain`, async () => {
  const { id: network_id } = product.dev.networks.alpha!;
  const created = await create(OPEN);
  await all(created, 'awaiting_payment');
  const early = await shop.merchant.offerDeals(shop.wallet.id, network_id).catch((error: unknown) => error);
  expect((early as CaratError).code).toBe('deal_mode_unavailable');
  await releaseNewest(product, 'alpha');
  const place = { node_id: product.dev.nodes.merchant!, network_id };
  await eventually(async () => (await carat.checkVersion(shop.wallet.id, place)).any_update_available);
  await eventually(
    async () => ((await carat.updateDiamond(shop.wallet.id, place)) as DeploymentStep).status === 'completed',
    45_000,
    250,
  );
  await shop.merchant.offerDeals(shop.wallet.id, network_id);
  const offered = await create(OPEN);
  await Promise.all([all(created, 'awaiting_payment'), all(offered, 'awaiting_payment')]);
  // One after the other: one buyer pays all of them.
  for (const payment of [...created.slice(0, 10), ...offered.slice(0, 10)]) await shop.pay('alpha', payment);
  await Promise.all([settle(created), settle(offered)]);
  await rpc(product.dev.networks.alpha!.rpc, 'evm_increaseTime', [600]);
  await all([...created.slice(20), ...offered.slice(20)], 'expired');
  const modes = await product.knex('payments').groupBy('deal_mode').orderBy('deal_mode').select('deal_mode').count();
  expect(modes).toEqual([
    { deal_mode: 'created', count: String(OPEN) },
    { deal_mode: 'offered', count: String(OPEN) },
  ]);
  await expectExactlyOnce(product);
});
