import type { Payment } from '../../api/generated/openapi-types.ts';
import { rpc } from '../../dev/stack/chain.ts';
import { startProxy, type Proxy, type WireAnswer, type WireRequest } from '../chain/support/proxy.ts';
import { startTestGeth } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * A geth as a provider sells it: batches of 10 requests (by geth itself); behind a proxy no more than 10 logs in an answer, and no
 * eth_getBlockReceipts.
 */

const MOST_LOGS = 10;

let product: Product;
let shop: Shop;
let proxy: Proxy;

/** How often each method was refused. */
const refusals: Record<string, number> = {};
const refused = (method: string, code: number, message: string): WireAnswer => {
  refusals[method] = (refusals[method] ?? 0) + 1;
  return { error: { code, message } };
};

beforeAll(async () => {
  product = await createProduct({
    networks: [{ name: 'alpha', eip155: 31_337, blockTime: 1, confirmations: 2, finality: 64 }],
    startChain: async ({ eip155 }) => {
      const geth = await startTestGeth(eip155, 'osaka', { flags: ['--rpc.batch-request-limit', '10'] });
      proxy = await startProxy(geth.url);
      return geth;
    },
    urlOf: () => proxy.url,
  });
  proxy.rewrite = async (request) => (await refusalOf(request)) ?? request;
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
}, 300_000);

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await proxy?.close();
});

const refusalOf = async ({ method, params }: WireRequest): Promise<WireAnswer | null> => {
  if (method === 'eth_getBlockReceipts')
    return refused(method, -32_601, 'the method eth_getBlockReceipts does not exist/is not available');
  if (method !== 'eth_getLogs') return null;
  const logs = (await rpc(product.dev.networks.alpha!.rpc, method, [...params]).catch(() => [])) as unknown[];
  return logs.length > MOST_LOGS ? refused(method, -32_005, `query returned more than ${MOST_LOGS} results`) : null;
};

const ready = (payments: readonly Payment[]): Promise<Payment[]> =>
  Promise.all(payments.map((payment) => shop.reached(payment, 'awaiting_payment')));

it('serves 150 payments at once on one diamond, of which some are paid and canceled, and nothing is refused for good', async () => {
  const payments: Payment[] = [];
  const creators = Array.from({ length: 10 }, async () => {
    for (let count = 0; count < 15; count += 1) payments.push(await shop.create('alpha'));
  });
  await Promise.all(creators);
  const [paid, canceled, ...others] = await ready(payments);
  await Promise.all([shop.pay('alpha', paid!), shop.merchant.cancel(canceled!.id)]);
  await shop.reached(paid!, 'completed');
  await shop.reached(canceled!, 'canceled');
  expect(others).toHaveLength(148);
  await expectExactlyOnce(product);
  expect(refusals).toMatchObject({ eth_getLogs: expect.any(Number), eth_getBlockReceipts: expect.any(Number) });
  const kinds = async () => product.knex('alerts').distinct('kind').pluck('kind');
  // That it has no receipts of whole blocks is told at the start of the worker.
  await eventually(async () => (await kinds()).length > 0);
  expect(await kinds()).toEqual(['endpoint_unfit']);
}, 120_000);
