import { Transaction } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { batcherAddress } from '../../chain/pure/platform.ts';
import { quantity } from '../../chain/rpc/calls.ts';
import { CaratError } from '../../client/carat-error.ts';
import { devPlatform } from '../../tools/stack/accounts.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * A node takes transactions with deals and passes on only those that are good enough, and the lane, which thinks that blocks are
 * slow, waits long before it raises fees by itself. The merchant asks.
 */

let product: Product;
let shop: Shop;
let node: Proxy;
let seen: Transaction[] = [];
let isGoodEnough: (tx: Transaction, first: Transaction) => boolean = () => true;

beforeAll(async () => {
  node = await startProxy('');
  const batcher = batcherAddress(devPlatform);
  node.rewrite = (request) => {
    if (request.method !== 'eth_sendRawTransaction') return request;
    const tx = Transaction.from(request.params[0] as string);
    if (tx.to?.toLowerCase() !== batcher) return request;
    seen.push(tx);
    return isGoodEnough(tx, seen[0]!) ? request : { result: tx.hash };
  };
  product = await createProduct({
    urlOf: (_, url) => {
      node.target = url;
      return node.url;
    },
  });
  await product.knex('networks').update({ block_time_ms: 3_000 });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await node?.close();
});

const storyOf = async ({ id }: Payment): Promise<string[]> =>
  (await shop.merchant.logs(id)).map(({ event_type }) => event_type);

/** A payment whose transaction was sent and is not passed on. */
const stuck = async (policy: typeof isGoodEnough): Promise<Payment> => {
  seen = [];
  isGoodEnough = policy;
  const payment = await shop.create('alpha');
  // The node has it before the lane has noted that it was sent.
  await eventually(async () => (await storyOf(payment)).includes('transaction_sent'));
  expect((await shop.merchant.payment(payment.id)).status).toBe('pending');
  return payment;
};

/** The log entries between the first transaction and the last. */
const expectRaisedOnce = async (payment: Payment): Promise<void> => {
  // The watcher may see the deal before the lane sees its transaction mined.
  const [slot, ...others] = await eventually(async () => {
    const slots = await product
      .knex('tx_slots')
      .whereIn('id', product.knex('tx_intents').where({ payment_id: payment.id }).select('slot_id'));
    return slots.every(({ tx_hash }) => tx_hash !== null) ? slots : null;
  });
  expect(others).toEqual([]);
  const attempts = await product.knex('tx_attempts').where({ slot_id: slot.id }).orderBy('seq');
  expect([attempts.length, slot.tx_hash, slot.nudged_at]).toEqual([2, attempts[1].tx_hash, null]);
  expect(new Set(seen.map(({ nonce }) => nonce))).toEqual(new Set([Number(slot.nonce)]));
  const story = await storyOf(payment);
  const wanted = ['transaction_sent', 'retry_requested', 'transaction_bumped'];
  expect(story.filter((event) => (wanted as string[]).includes(event))).toEqual(wanted);
};

it("a payment stuck by too low a fee is mined at the merchant's request, with the same nonce", async () => {
  const payment = await stuck((tx, first) => tx.maxPriorityFeePerGas! * 8n >= first.maxPriorityFeePerGas! * 9n);
  expect(await shop.merchant.retrySend(payment.id)).toMatchObject({ id: payment.id, status: 'pending' });
  await shop.reached(payment, 'awaiting_payment');
  await expectRaisedOnce(payment);
});

it("a payment stuck by too little gas is mined at the merchant's request, with the same nonce", async () => {
  const payment = await stuck((tx, first) => tx.gasLimit >= first.gasLimit * 2n);
  node.tamper = ({ method }, result) =>
    method === 'eth_estimateGas' ? quantity(BigInt(result as string) * 3n) : result;
  await shop.merchant.retrySend(payment.id);
  await shop.reached(payment, 'awaiting_payment');
  await expectRaisedOnce(payment);
});

it('retries of a payment that is not stuck change nothing', async () => {
  node.tamper = null;
  seen = [];
  isGoodEnough = () => true;
  const payment = await shop.create('alpha');
  for (let times = 0; times < 3; times += 1) {
    // Once it can be paid there is nothing to be sent.
    await shop.merchant.retrySend(payment.id).catch((error: unknown) => {
      if (!(error instanceof CaratError) || error.code !== 'payment_not_retryable') throw error;
    });
  }
  await shop.pay('alpha', payment);
  await shop.reached(payment, 'completed');
  await expectExactlyOnce(product);
});
