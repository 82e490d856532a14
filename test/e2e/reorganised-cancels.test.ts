import type { Payment } from '../../api/generated/openapi-types.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { mineInTurn, type Mining } from '../support/mining.ts';
import { createProduct, fastNetworks, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * The newest blocks are exchanged again and again, always less deep than the confirmations, while payments are canceled. Every exchange
 * drops the transactions of the lost blocks.
 */

const [network] = fastNetworks;
const DEPTH = network!.confirmations - 1;

let product: Product;
let shop: Shop;
let mining: Mining;
/** The newest blocks are exchanged whenever so many have been mined; 0 exchanges none. */
let every = 0;
let mined = 0;

beforeAll(async () => {
  product = await createProduct({ environment: { CARAT_SILENCE_SECONDS: '10' } });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  mining = await mineInTurn(product.dev.networks.alpha!.rpc, network!.blockTime, async (reorganise) => {
    mined += 1;
    if (every > 0 && mined % every === 0) await reorganise(DEPTH);
  });
});

afterAll(async () => {
  await mining?.stop();
  shop?.close();
  await product?.stop();
});

const awaiting = async (count: number): Promise<Payment[]> => {
  const payments = await Promise.all(Array.from({ length: count }, () => shop.create('alpha')));
  for (const payment of payments) await shop.reached(payment, 'awaiting_payment');
  return payments;
};

/** How often blocks with the cancel of a payment were lost. */
const losses = async ({ id }: Payment): Promise<number> =>
  (await shop.merchant.logs(id)).filter(
    ({ event_type, data }) => event_type === 'transaction_reorged' && data.purpose === 'cancel_deal',
  ).length;

it('cancels are confirmed while the last two of every three blocks are replaced', async () => {
  const payments = await awaiting(5);
  every = DEPTH + 1;
  for (const { id } of payments) {
    const from = mined;
    await shop.merchant.cancel(id);
    // One after another, so that they do not share a transaction.
    await eventually(() => mined > from + 1);
  }
  for (const payment of payments) await shop.reached(payment, 'canceled');
  every = 0;
  await expectExactlyOnce(product);
});

it('a cancel whose blocks get no confirmations is sent again until one does; its log and an alert of the chain record each loss', async () => {
  const [payment] = await awaiting(1);
  every = DEPTH;
  await shop.merchant.cancel(payment!.id);
  await eventually(async () => (await losses(payment!)) >= 5, 45_000, 100);
  expect(await shop.merchant.payment(payment!.id)).toMatchObject({ status: 'canceling' });
  const alert = () => product.knex('alerts').where({ kind: 'network_still' }).first();
  const { message } = await eventually(alert, 30_000, 100);
  expect(message).toBe(
    'alpha has reorganised away every block of a transaction for 10 seconds, and something waits for one',
  );
  every = 0;
  await shop.reached(payment!, 'canceled');
  await eventually(async () => (await alert()).closed_at !== null, 30_000, 100);
  await expectExactlyOnce(product);
});
