import path from 'node:path';
import { Worker } from '@temporalio/worker';
import type { Payment, Wallet } from '../../api/generated/openapi-types.ts';
import { migrateDatabase, migrations } from '../../db/migrate.ts';
import { freePorts } from '../../tools/process/ports.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { rpc } from '../../tools/stack/chain.ts';
import type { DealMode } from '../../domain/payment.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import { faultsOf } from '../model/faults.ts';
import { allTold } from '../model/heard.ts';
import { problemsOf } from '../model/judge.ts';
import { startModelReceiver, type ModelReceiver } from '../model/receiver.ts';
import { storyProblems } from '../model/stories.ts';
import { atRest } from '../model/world.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { mineInTurn, type Mining } from '../support/mining.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { testStack } from '../support/stack.ts';
import { quietSdk, testBundle } from '../support/workflow-worker.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { unpackFormer, type Former } from './former.ts';
import { choose, createOrder, pay, reached, startLoad, type Load, type Place } from './load.ts';

/*
 * The version before and this one work beside each other on one database and one task queue, api and worker in either order, and back
 * again, while payments of both modes are in every state and customers keep coming. Whenever a process joins, the chain stands still, so
 * that each state is there at that moment, and stays.
 */

quietSdk();

const BLOCK_TIME = 0.2;

let former: Former;
let balancer: Balancer;
let receiver: ModelReceiver;
let product: Product;
let shop: Shop;
let place: Place;
let load: Load;
let mining: Mining;
let ports: { former: number; current: number };

const url = () => product.dev.networks.alpha!.rpc;
const mine = async (): Promise<void> => {
  mining = await mineInTurn(url(), BLOCK_TIME);
};

beforeAll(async () => {
  former = unpackFormer(path.join(testStack().dir, 'former'));
  balancer = await startBalancer();
  const [one = 0, other = 0] = await freePorts(2);
  ports = { former: one, current: other };
  const made = await createProduct({
    prepare: former.prepare,
    environment: { CARAT_PUBLIC_URL: balancer.url, CARAT_OFFER_WINDOW: '300', CARAT_SILENCE_SECONDS: '600' },
  });
  product = { ...made, dev: { ...made.dev, api: balancer.url } };
});

afterAll(async () => {
  await load?.stop();
  await mining?.stop();
  shop?.close();
  await place?.client.connection.close();
  await product?.stop();
  await receiver?.close();
  await balancer?.close();
});

/** The processes of each version that run. */
const running: Record<'former' | 'current', Record<'api' | 'worker', RunningProcess | null>> = {
  former: { api: null, worker: null },
  current: { api: null, worker: null },
};
type Version = keyof typeof running;

const balance = (): void => {
  const versions = (['former', 'current'] as const).filter((version) => running[version].api !== null);
  balancer.to(...versions.map((version) => ports[version]));
};

const join = async (version: Version, kind: 'api' | 'worker'): Promise<void> => {
  const folder = version === 'former' ? former.folder : undefined;
  running[version][kind] = await (kind === 'api'
    ? product.startApi(ports[version], folder)
    : product.startWorker({}, folder));
  balance();
};

const leave = async (version: Version, kind: 'api' | 'worker', isKilled = false): Promise<void> => {
  const leaving = running[version][kind]!;
  running[version][kind] = null;
  balance();
  if (isKilled) process.kill(leaving.pid, 'SIGKILL');
  await leaving.stop();
};

const openPlace = async (): Promise<void> => {
  shop = await openShop(product);
  await shop.deployed('alpha');
  const { id } = product.dev.networks.alpha!;
  const offered = await shop.merchant.createWallet('Offering');
  await eventually(async () => (await shop.merchant.deploy(offered.id, id)).status === 'completed', 45_000, 250);
  await shop.merchant.offerDeals(offered.id, id);
  receiver = await startModelReceiver();
  for (const { id: wallet } of [shop.wallet, offered]) await shop.merchant.createWebhook(wallet, id, receiver.origin);
  place = {
    product,
    shop,
    wallets: { created: shop.wallet, offered },
    receiver,
    client: createTemporalClient(product.dev.temporal),
    ask: (method, params) => rpc(url(), method, params),
  };
};

/** A payment that keeps its status while the chain stands still. */
interface Held {
  readonly payment: { readonly id: string };
  readonly status: Payment['status'];
  readonly isUnfollowed?: boolean;
}

const modes: readonly DealMode[] = ['created', 'offered'];
/** Those of orders are left out. */
const held: Held[] = [];

/** Wallets whose diamonds are deployed across a step of the upgrade. */
const deployed: Wallet[] = [];

/** Asks for a diamond, whose transaction finds no block. */
const deploy = async (): Promise<void> => {
  const wallet = await shop.merchant.createWallet(`Shop ${deployed.length}`);
  deployed.push(wallet);
  await shop.merchant.deploy(wallet.id, product.dev.networks.alpha!.id);
  const assigned = { purpose: 'create_diamond', state: 'assigned' };
  await eventually(() => product.knex('tx_intents').where(assigned).first(), 30_000);
};

const create = (mode: DealMode): Promise<Payment> => shop.create('alpha', { wallet_id: place.wallets[mode].id });

/** Stops the chain with payments of both modes in every open state that the mode has. */
const freeze = async (): Promise<readonly Held[]> => {
  const ready = await Promise.all(
    modes.flatMap((mode) => [0, 1, 2].map(async () => reached(place, await create(mode), 'awaiting_payment'))),
  );
  const [[awaits, pays, cancels], [awaitsOffered, paysOffered, cancelsOffered]] = [
    ready.slice(0, 3),
    ready.slice(3),
  ] as [[Payment, Payment, Payment], [Payment, Payment, Payment]];
  const order = await createOrder(place);
  await reached(place, await choose(place, order, 0), 'awaiting_payment');
  await mining.stop();
  for (const payment of [pays, paysOffered]) await pay(place, await shop.merchant.widget(payment));
  await rpc(url(), 'evm_mine');
  await deploy();
  for (const payment of [cancels, cancelsOffered]) {
    await shop.merchant.widget(payment);
    await shop.merchant.cancel(payment.id, true);
  }
  const now: Held[] = [
    { payment: await create('created'), status: 'pending' },
    ...[awaits, awaitsOffered].map((payment): Held => ({ payment, status: 'awaiting_payment' })),
    ...[pays, paysOffered].map((payment): Held => ({ payment, status: 'processing' })),
    ...[cancels, cancelsOffered].map((payment): Held => ({ payment, status: 'canceling' })),
  ];
  held.push(...now);
  // An offered deal is pending only while something keeps it from being offered, here the payment of the choice before. It has no
  // workflow as long as it waits for that.
  const all: Held[] = [...now, { payment: await choose(place, order, 1), status: 'pending', isUnfollowed: true }];
  await expectHeld(all);
  return all;
};

/** Running workflows that Temporal finds by a status, by the payments that they follow. */
const foundBy = async (status: string): Promise<Set<string>> => {
  const query = `TaskQueue = '${product.taskQueue}' AND ExecutionStatus = 'Running' AND PaymentStatuses = '${status}'`;
  const found = new Set<string>();
  for await (const { typedSearchAttributes } of place.client.workflow.list({ query }))
    for (const id of typedSearchAttributes.get(searchAttributes.paymentIds) ?? []) found.add(id);
  return found;
};

/** The payments have their statuses, by the API and by the statuses of their workflows. */
const expectHeld = async (payments: readonly Held[]): Promise<void> => {
  for (const { payment, status } of payments) expect((await reached(place, payment, status)).status).toBe(status);
  await eventually(async () => {
    for (const status of new Set(payments.map((own) => own.status))) {
      const found = await foundBy(status);
      const wanted = payments.filter((own) => own.status === status && own.isUnfollowed !== true);
      const lost = wanted.filter(({ payment: { id } }) => !found.has(id));
      if (lost.length > 0) throw new Error(`${lost.length} of ${status} are not found: ${lost[0]!.payment.id}`);
    }
    return true;
  });
};

/** The step happens while every state is there, and these states stay. */
const during = async (step: () => Promise<void>): Promise<void> => {
  const now = await freeze();
  await step();
  await expectHeld(now);
  await mine();
};

it('a contract step removes nothing that the version before needs', () => {
  const levels = migrations.flatMap(({ effect }) => (effect?.kind === 'contract' ? [effect.level] : []));
  expect(levels.filter((level) => level > former.level)).toEqual([]);
  expect(former.level).toBeGreaterThan(0);
});

it('payments of both modes in every state survive each step of an upgrade, in either order, and back', async () => {
  await Promise.all([join('former', 'api'), join('former', 'worker')]);
  await openPlace();
  await mine();
  load = startLoad(place);
  await during(async () => void (await migrateDatabase(product.dev.database)));
  // Worker first, and back: the worker first again.
  await during(() => join('current', 'worker'));
  await leave('former', 'worker');
  await during(() => join('current', 'api'));
  await leave('former', 'api');
  await during(() => join('former', 'worker'));
  await leave('current', 'worker', true);
  await during(() => join('former', 'api'));
  await leave('current', 'api');
  // Only the version before is left, on the newer schema, which its own `migrate` refuses.
  const refused = await former.carat(['migrate'], { CARAT_DATABASE_URL: product.dev.database });
  expect(refused.code).toBe(1);
  // Api first.
  await during(() => join('current', 'api'));
  await leave('former', 'api');
  await during(() => join('current', 'worker'));
  await leave('former', 'worker');
  await load.stop();
  expect(load.problems).toEqual([]);
  expect(await faultsOf(place)).toEqual([]);
});

it('each payment ends once, as on the chain, and so does its workflow', async () => {
  const { knex } = product;
  await rpc(url(), 'evm_increaseTime', [4_000]);
  await eventually(
    async () => {
      const open = await knex('payments').whereNull('terminal_at').select('id', 'status', 'status_detail');
      if (open.length === 0) return true;
      throw new Error(`${open.length} are open, ${open[0].id} is ${open[0].status} (${open[0].status_detail})`);
    },
    60_000,
    200,
  );
  await atRest(place);
  // The last deployment may have begun just before the last version left.
  const wallets = deployed.map(({ id }) => id);
  await eventually(
    async () => {
      const states = await knex('diamonds').whereIn('wallet_id', wallets).pluck('status');
      if (states.length === wallets.length && states.every((status) => status === 'active')) return true;
      throw new Error(`diamonds are ${states.join(', ')}`);
    },
    60_000,
    200,
  );
  const ids = [...load.payments, ...held.map(({ payment }) => payment)].map(({ id }) => id);
  const web3 = await knex('payments').whereIn('id', ids).where({ payment_method: 'web3' }).pluck('id');
  await allTold(place, web3);
  expect(await problemsOf(place, ids, 0)).toEqual([]);
  expect(await storyProblems(place, ids)).toEqual([]);
  await expectExactlyOnce(product);
  expect(await knex('alerts').select('kind', 'message')).toEqual([]);
  expect(new Set(balancer.counts.keys())).toEqual(new Set(Object.values(ports)));
  const ends = await knex('payments').where({ payment_method: 'web3' }).distinct('deal_mode', 'status');
  expect(ends.map(({ deal_mode: mode, status }) => `${mode} ${status}`).toSorted()).toEqual(
    modes.flatMap((mode) => ['canceled', 'completed', 'expired'].map((status) => `${mode} ${status}`)),
  );
});

it('the workflows of each version, started by either, replay with the code of the other', async () => {
  const { workflow } = place.client;
  // One of each course, because hundreds have the same.
  const courses = new Map<string, { workflowId: string; history: Awaited<ReturnType<typeof fetch>> }>();
  const fetch = (id: string, runId: string) => workflow.getHandle(id, runId).fetchHistory();
  for await (const { workflowId, runId, type } of workflow.list({ query: `TaskQueue = '${product.taskQueue}'` })) {
    const history = await fetch(workflowId, runId);
    const course = (history.events ?? []).map(({ eventType }) => eventType);
    courses.set([type, ...course].join(), { workflowId, history });
  }
  const types = new Set([...courses.keys()].map((course) => course.split(',')[0]));
  expect(types.size).toBeGreaterThanOrEqual(9);
  const histories = [...courses.values()];
  for (const codePath of [await former.bundle(), await testBundle()]) {
    const problems: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories))
      if (error !== undefined) problems.push(`${workflowId}: ${error.message}`);
    expect(problems).toEqual([]);
  }
});
