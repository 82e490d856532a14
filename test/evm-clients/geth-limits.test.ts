import type { Payment } from '../../api/generated/openapi-types.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { rpc } from '../../tools/stack/chain.ts';
import type { RawLog } from '../../chain/pure/deal-state.ts';
import { startProxy, type Proxy, type WireAnswer, type WireRequest } from '../chain/support/proxy.ts';
import { startTestGeth } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * A geth as a provider sells it: batches of 10 requests (by geth itself); behind a proxy no more than 10 logs in an answer, ranges of 8
 * blocks and states of 16, and no eth_getBlockReceipts.
 */

const MOST_LOGS = 10;
const MOST_BLOCKS = 8;
const MOST_STATES = 16;

let product: Product;
let shop: Shop;
let proxy: Proxy;
let worker: RunningProcess;

/** How often each thing was refused. */
const refusals: Record<string, number> = {};
const refused = (what: string, code: number, message: string): WireAnswer => {
  refusals[what] = (refusals[what] ?? 0) + 1;
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
  [, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await proxy?.close();
});

const ask = (method: string, params: readonly unknown[] = []): Promise<unknown> =>
  rpc(product.dev.networks.alpha!.rpc, method, [...params]);
const tip = async (): Promise<number> => Number(await ask('eth_blockNumber'));

const refusalOf = async (request: WireRequest): Promise<WireAnswer | null> => {
  if (request.method === 'eth_getBlockReceipts')
    return refused('receipts', -32_601, 'the method eth_getBlockReceipts does not exist/is not available');
  if (request.method === 'eth_getLogs') return refusalOfLogs(request);
  return request.method === 'eth_call' ? refusalOfState(request) : null;
};

const refusalOfLogs = async ({ method, params }: WireRequest): Promise<WireAnswer | null> => {
  const { fromBlock, toBlock } = params[0] as { fromBlock?: string; toBlock?: string };
  if (Number(toBlock ?? 0) - Number(fromBlock ?? 0) >= MOST_BLOCKS)
    return refused('range', -32_005, `exceed maximum block range: ${MOST_BLOCKS}`);
  const logs = (await ask(method, params).catch(() => [])) as unknown[];
  return logs.length > MOST_LOGS ? refused('logs', -32_005, `query returned more than ${MOST_LOGS} results`) : null;
};

const refusalOfState = async ({ params }: WireRequest): Promise<WireAnswer | null> => {
  const { blockHash } = (params[1] ?? {}) as { blockHash?: string };
  if (blockHash === undefined) return null;
  const block = (await ask('eth_getBlockByHash', [blockHash, false])) as { number: string; stateRoot: string } | null;
  if (block === null || Number(block.number) > (await tip()) - MOST_STATES) return null;
  return refused('state', -32_000, `missing trie node ${block.stateRoot.slice(2)} (path ) state is not available`);
};

const ready = (payments: readonly Payment[]): Promise<Payment[]> =>
  Promise.all(payments.map((payment) => shop.reached(payment, 'awaiting_payment')));

it("150 payments at once on one diamond, some of them paid and canceled, get through geth's limits", async () => {
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
  expect(refusals).toMatchObject({ logs: expect.any(Number), receipts: expect.any(Number) });
  const kinds = async () => product.knex('alerts').distinct('kind').pluck('kind');
  // The start of the worker reports that the endpoint has no receipts of whole blocks.
  await eventually(async () => (await kinds()).length > 0);
  expect(await kinds()).toEqual(['endpoint_unfit']);
});

it('payments are followed over blocks whose states geth has dropped, and an omitted log is found in ranges that geth serves', async () => {
  // Without a log of its payment, a deal's word is read at its expiry.
  const create = async () => {
    const payment = await shop.create('alpha', { expires_at: new Date(Date.now() + 40_000).toISOString() });
    return shop.reached(payment, 'awaiting_payment');
  };
  const [found, unfound] = [await create(), await create()];
  await worker.stop();
  const pay = async (payment: Payment) => shop.buyers.alpha!.pay(await shop.merchant.widget(payment));
  const [hash, lost] = [await pay(found), await pay(unfound)];
  const { blockHash } = (await ask('eth_getTransactionReceipt', [hash])) as { blockHash: string };
  const from = await tip();
  await eventually(async () => (await tip()) > from + MOST_STATES + MOST_BLOCKS, 60_000, 200);
  proxy.tamper = ({ method, params }, result) => {
    if (method !== 'eth_getLogs') return result;
    const isOfBlock = (params[0] as { blockHash?: string }).blockHash === blockHash;
    return isOfBlock ? [] : (result as RawLog[]).filter(({ transactionHash }) => transactionHash !== lost);
  };
  await product.startWorker();
  expect(await shop.reached(found, 'completed')).toMatchObject({ transaction_hash: hash });
  // No endpoint has the state of its block, by which the receipts would be found.
  expect(await shop.reached(unfound, 'completed')).toMatchObject({ transaction_hash: null });
  await expectExactlyOnce(product);
  expect(refusals).toMatchObject({ range: expect.any(Number), state: expect.any(Number) });
  // Whether it stood still for as long as the api waits for a worker, or for Temporal's answer to one, is chance.
  const chance = ['workers_gone', 'temporal_unreachable'];
  const told = product.knex('alerts').whereNotIn('kind', chance).distinct('kind').orderBy('kind');
  expect(await told.pluck('kind')).toEqual(['endpoint_unfit', 'paid_without_log']);
});
