import type { DeploymentStep, Payment } from '../../api/generated/openapi-types.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { release, releases } from '../../chain/pure/releases.ts';
import { views } from '../../chain/rpc/calls.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createCaratClient } from '../../client/client.ts';
import type { CaratOperations } from '../../client/operations.ts';
import { rpc as ask } from '../../tools/stack/chain.ts';
import { together } from '../api/support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { releaseNewest } from '../support/upgrade.ts';

/*
 * A diamond of the first release with a thousand live deals becomes one of the newest, while payments are created, paid,
 * canceled and expire. No block is mined meanwhile, so that the cut is on its way as long as the test wants.
 */

const LIVE = 1_000;
const DURING = 200;

let product: Product;
let shop: Shop;
let carat: CaratOperations;
let live: Payment[];

beforeAll(async () => {
  product = await createProduct({ release: releases[0] });
  await Promise.all([product.startApi(), product.startWorker()]);
  const { api: url, admin } = product.dev;
  carat = createCaratClient({ url, apiKey: admin.api_key, secret: admin.secret });
  shop = await openShop(product);
  await shop.deployed('alpha');
  live = await create(LIVE);
  await all(live, { status: 'awaiting_payment' }, 60_000);
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

const create = async (count: number): Promise<Payment[]> => {
  const created: Payment[] = [];
  const creators = Array.from({ length: 20 }, async () => {
    for (; count > 0;) {
      count -= 1;
      created.push(await shop.create('alpha'));
    }
  });
  await Promise.all(creators);
  return created;
};

/** Waits until all of them have these columns. */
const all = (payments: readonly Payment[], columns: Record<string, string | null>, ms = 30_000) =>
  eventually(
    async () => {
      const ids = payments.map(({ id }) => id);
      const [row] = await product.knex('payments').whereIn('id', ids).andWhere(columns).count<{ count: string }[]>();
      if (Number(row?.count) === ids.length) return true;
      throw new Error(`${row?.count} of ${ids.length} have ${JSON.stringify(columns)}`);
    },
    ms,
    100,
  );

const network = () => product.dev.networks.alpha!;
const diamond = () => product.knex('diamonds').where({ wallet_id: shop.wallet.id }).first();
const upgrader = () => product.knex('signer_accounts').where({ role: 'upgrader' });
const place = () => ({ node_id: product.dev.nodes.merchant!, network_id: network().id });
const update = async () => (await carat.updateDiamond(shop.wallet.id, place())) as DeploymentStep;

/** Long before the others, by the chain's clock, which is put forward when the time has come. */
const soon = async () => {
  const { timestamp } = (await ask(network().rpc, 'eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
  return { expires_at: new Date(Math.max(Date.now(), Number(timestamp) * 1_000) + 600_000).toISOString() };
};

/** The words of deals, as the chain has them. */
const words = async (payments: readonly Payment[]): Promise<unknown[]> => {
  const rows = await product
    .knex('payments')
    .whereIn(
      'id',
      payments.map(({ id }) => id),
    )
    .orderBy('id')
    .select<{ deal_id: string; diamond_address: string }[]>('deal_id', 'diamond_address');
  const call = { to: rows[0]!.diamond_address, interface: contracts.deal.interface, name: 'dealWords' };
  const rpc = createRpc({ urls: [network().rpc], eip155: network().eip155 });
  const [answer] = await views(rpc, [{ ...call, args: [rows.map(({ deal_id: id }) => BigInt(id))] }]);
  return [...(answer as string[])];
};

const setMining = (seconds: number) => ask(network().rpc, 'evm_setIntervalMining', [seconds]);
const inPool = async () => Number(((await ask(network().rpc, 'txpool_status', [])) as { pending: string }).pending);

it('an update leaves live deals unchanged, and lets payments, cancels, expiries and new payments go on', async () => {
  const [inFlight, canceledDuring, paidAfter, canceledAfter, ...untouched] = live as [
    ...[Payment, Payment, Payment, Payment],
    ...Payment[],
  ];
  const expiringLive = await shop.create('alpha', await soon());
  await shop.reached(expiringLive, 'awaiting_payment');
  const before = await words(untouched);
  expect(new Set(before).size).toBe(untouched.length);

  await releaseNewest(product, 'alpha');
  await upgrader().update({ status: 'paused' });
  await eventually(async () => (await carat.checkVersion(shop.wallet.id, place())).any_update_available);
  await together(8, update);
  await eventually(() => product.knex('tx_intents').where({ purpose: 'diamond_cut', state: 'queued' }).first());
  expect(await diamond()).toMatchObject({ updating: false });

  // No block comes from here on: the cut has its nonce, creates wait and say so, all else goes on.
  await setMining(0);
  await upgrader().update({ status: 'active' });
  await eventually(async () => (await diamond()).updating);
  const during = await create(DURING);
  const expiringHeld = await shop.create('alpha', await soon());
  await all([...during, expiringHeld], { status: 'pending', status_detail: 'diamond_updating' });
  const paying = shop.pay('alpha', inFlight);
  await shop.merchant.cancel(canceledDuring.id);
  await eventually(async () => (await inPool()) === 3);
  expect(await diamond()).toMatchObject({ status: 'active', updating: true });

  // One block takes the cut, the payment and the cancel, and two payments are too late for it.
  await ask(network().rpc, 'evm_increaseTime', [700]);
  await setMining(1);
  await paying;
  await shop.reached(inFlight, 'completed');
  await shop.reached(canceledDuring, 'canceled');
  for (const payment of [expiringLive, expiringHeld]) await shop.reached(payment, 'expired');

  // An update would begin another run if an inspection took too long.
  await eventually(async () => (await carat.listDeployments(shop.wallet.id)).items[0]?.status === 'completed');
  await all(during, { status: 'awaiting_payment', status_detail: null });
  expect(await diamond()).toMatchObject({ status: 'active', updating: false, release: release.version });
  expect(await words(untouched)).toEqual(before);
  const [cut] = await product
    .knex('tx_slots as s')
    .join('tx_intents as i', 'i.slot_id', 's.id')
    .where({ purpose: 'diamond_cut' });
  const paid = await product.knex('payments').where({ id: inFlight.id }).first();
  expect(paid.paid_block_number).toBe(cut.block_number);

  // Payments from before and from meanwhile are paid and canceled after it.
  await shop.merchant.cancel(canceledAfter.id);
  await shop.pay('alpha', paidAfter);
  await shop.pay('alpha', during[0]!);
  for (const payment of [paidAfter, during[0]!]) await shop.reached(payment, 'completed');
  await shop.reached(canceledAfter, 'canceled');
  expect(await shop.merchant.widget(untouched[0]!)).toMatchObject({ status: 'awaiting_payment' });
});

it('the update is one run with one transaction and no alert, and leaves nothing to do', async () => {
  const checked = await carat.checkVersion(shop.wallet.id, place());
  expect(checked.any_update_available).toBe(false);
  expect(await update()).toMatchObject({ step: 'activate', status: 'completed' });
  const [run, ...others] = (await carat.listDeployments(shop.wallet.id)).items;
  expect([run?.kind, ...others.map(({ kind }) => kind)]).toEqual(['update', 'deploy']);
  const transactions = run!.steps.flatMap(({ transactions: own }) => own);
  expect(transactions).toMatchObject([
    {
      purpose: 'diamond_cut',
      state: 'confirmed',
      outcome: 'effective',
      transaction_hash: expect.stringMatching(/^0x/),
    },
  ]);
  expect(await product.knex('alerts').where({ kind: 'cut_not_asked_for' })).toEqual([]);
  const held = await product.knex('payments').where({ status: 'expired' }).orderBy('id', 'desc').first();
  const told = (await shop.merchant.logs(held.id)).map(({ event_type: type }) => type);
  expect(told).toEqual(
    expect.arrayContaining(['payment_created', 'waiting_started', 'waiting_ended', 'payment_expired']),
  );
  await expectExactlyOnce(product);
});
