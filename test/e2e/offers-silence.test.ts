import { contracts } from '../../chain/pure/contracts.ts';
import { startProxy, type Proxy, type WireRequest } from '../chain/support/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * Two endpoints, both of which must agree, contradict each other about the roles of signers alone.
 */

let product: Product;
let shop: Shop;
let endpoints: Proxy[];

beforeAll(async () => {
  product = await createProduct();
  const { rpc } = product.dev.networks.alpha!;
  endpoints = await Promise.all([startProxy(rpc), startProxy(rpc)]);
  const rpc_urls = endpoints.map(({ url }) => url);
  await product.knex('networks').update({ rpc_urls, quorum: 2 });
  await product.startApi();
  shop = await openShop(product);
}, 120_000);

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await Promise.all((endpoints ?? []).map((endpoint) => endpoint.close()));
});

const roleState = contracts.registry.interface.getFunction('roleState')!.selector;
const asksForRole = ({ method, params }: WireRequest): boolean =>
  method === 'eth_call' && (params[0] as { data?: string }).data?.startsWith(roleState) === true;

it('operators hear that nothing is offered, because the roles of signers cannot be read', async () => {
  const worker = await product.startWorker();
  await shop.deployed('alpha');
  await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks.alpha!.id);
  const before = await shop.create('alpha');
  await shop.reached(before, 'awaiting_payment');
  await worker.stop();
  endpoints[0]!.tamper = (request, result) => (asksForRole(request) ? `0x${'00'.repeat(64)}` : result);
  await product.startWorker();
  const payment = await shop.create('alpha');
  await eventually(
    async () => (await shop.merchant.payment(payment.id)).status_detail === 'network_unreachable',
    45_000,
    250,
  );
  // docs/operations/follow-a-payment.md has an alert of the same name for this reason.
  await eventually(async () => (await product.knex('alerts').where({ closed_at: null })).length > 0, 45_000, 250);
}, 150_000);
