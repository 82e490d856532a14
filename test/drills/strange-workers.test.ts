import { pathToFileURL } from 'node:url';
import { root } from '../../tools/paths.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { expiresIn, openShop, type Shop } from '../support/shop.ts';

/*
 * Workers that are alive, but wrong: their clock is off, or they are frozen while they hold leases.
 */

let product: Product;
let shop: Shop;

beforeAll(async () => {
  product = await createProduct();
  await product.startApi();
  shop = await openShop(product);
  await shop.merchant.deploy(shop.wallet.id, product.dev.networks.alpha!.id);
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

const withClock = (shiftMs: number) =>
  product.startWorker({
    NODE_OPTIONS: `--import=${pathToFileURL(`${root}/test/support/shifted-clock.mjs`).href}`,
    CLOCK_SHIFT_MS: String(shiftMs),
  });

/** A shop whose deals are offered. */
const offering = async (): Promise<Shop> => {
  const opened = await openShop(product);
  opened.close();
  await opened.deployed('alpha');
  await opened.merchant.offerDeals(opened.wallet.id, product.dev.networks.alpha!.id);
  return opened;
};

/** How often the deal of a payment was sent. */
const sendsOf = async ({ id }: { id: string }): Promise<number> => {
  const { rows } = await product.knex.raw<{ rows: { sends: number }[] }>(
    `SELECT sum(a.sends)::int AS sends FROM tx_intents i JOIN tx_attempts a USING (slot_id) WHERE i.payment_id = ?`,
    [id],
  );
  return rows[0]!.sends;
};

/** How often the leases of alpha's watcher and of its lanes were taken. */
const fences = async (): Promise<number[]> => {
  const { rows } = await product.knex.raw<{ rows: { watcher: number; lanes: number }[] }>(
    `SELECT c.fence::int AS watcher, (SELECT sum(fence)::int FROM signer_accounts WHERE network_id = c.network_id) AS lanes
     FROM watch_cursors c WHERE c.network_id = ?`,
    [product.dev.networks.alpha!.id],
  );
  return [rows[0]!.watcher, rows[0]!.lanes];
};

it.each([
  ['fast', 600_000],
  ['slow', -600_000],
])('a worker whose clock is ten minutes %s serves payments like any other', async (_how, shiftMs) => {
  const worker = await withClock(shiftMs);
  await shop.deployed('alpha');
  const url = product.dev.networks.alpha!.rpc;
  await rpc(url, 'evm_setIntervalMining', [0]);
  const payment = await shop.create('alpha');
  const other = await eventually(() => sendsOf(payment)).then(() => shop.create('alpha'));
  // While the endpoint has it, it is not sent again, and as soon as the endpoint has lost it, it is.
  await eventually(() => sendsOf(other));
  expect(await sendsOf(payment)).toBe(1);
  await rpc(url, 'anvil_dropAllTransactions', []);
  await eventually(async () => (await sendsOf(payment)) > 1);
  await rpc(url, 'evm_setIntervalMining', [1]);
  for (const one of [payment, other]) await shop.pay('alpha', one);
  for (const one of [payment, other]) await shop.reached(one, 'completed');
  const expiring = [
    await shop.create('alpha', expiresIn(8)),
    await shop.create('alpha', { ...expiresIn(8), payment_method: 'bank_transfer', wallet_id: undefined }),
  ];
  for (const one of expiring) await shop.reached(one, 'expired');
  const offered = await (await offering()).create('alpha');
  await shop.pay('alpha', offered);
  await shop.reached(offered, 'completed');
  await worker.stop();
});

it('the work of a frozen worker is taken over in seconds', async () => {
  const frozen = await product.startWorker();
  const before = await shop.create('alpha');
  await shop.reached(before, 'awaiting_payment');
  // It waits inside the transaction that holds the watcher's lease, is frozen there, and then gets its lock.
  const lock = await product.knex.transaction();
  await lock.raw('LOCK TABLE block_headers IN EXCLUSIVE MODE');
  await eventually(async () => {
    const { rows } = await product.knex.raw<{ rows: unknown[] }>(
      `SELECT 1 FROM pg_locks WHERE relation = 'block_headers'::regclass AND NOT granted`,
    );
    return rows.length > 0;
  });
  process.kill(frozen.pid, 'SIGSTOP');
  try {
    await lock.rollback();
    const held = await fences();
    await product.startWorker();
    // No transaction stands for longer than five seconds: then both leases go to the other worker.
    await eventually(async () => (await fences()).every((fence, index) => fence > held[index]!), 15_000);
    const payment = await shop.create('alpha');
    await shop.pay('alpha', payment);
    await shop.reached(payment, 'completed');
  } finally {
    process.kill(frozen.pid, 'SIGCONT');
  }
  // It goes on, finds that it has lost everything, and spoils nothing.
  const after = await shop.create('alpha');
  await shop.pay('alpha', after);
  await shop.reached(after, 'completed');
  await expectExactlyOnce(product);
});
