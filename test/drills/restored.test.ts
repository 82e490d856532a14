import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ethers } from 'ethers';
import pg from 'pg';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { root } from '../../tools/paths.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import { carat } from '../support/carat.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * A disk is lost. 200 payments of both deal modes, in every state, are backed up while Carat works; Carat goes on for a while; then
 * the database is restored to the backup, and the chain is not.
 */

let product: Product;
let created: Shop;
let offered: Shop;
let running: RunningProcess[] = [];
let dir: string;

const start = async (): Promise<void> => {
  running = await Promise.all([product.startApi(), product.startWorker()]);
};

const killAll = async (): Promise<void> => {
  for (const { pid } of running) process.kill(pid, 'SIGKILL');
  await Promise.all(running.map(({ exited }) => exited));
};

beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-restored-'));
  product = await createProduct();
  await start();
  [created, offered] = await Promise.all([openShop(product), openShop(product)]);
  await Promise.all([created.deployed('alpha'), offered.deployed('alpha')]);
  await offered.merchant.offerDeals(offered.wallet.id, product.dev.networks.alpha!.id);
});

afterAll(async () => {
  created?.close();
  offered?.close();
  await product?.stop();
  fs.rmSync(dir, { recursive: true, force: true });
});

const many = (shop: Shop, count: number, expiresIn = 3_600): Promise<Payment[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      shop.create('alpha', { expires_at: new Date(Date.now() + expiresIn * 1_000).toISOString() }),
    ),
  );

const areAll = async (payments: readonly Payment[], ...statuses: Payment['status'][]): Promise<void> => {
  const ids = payments.map(({ id }) => id);
  await eventually(
    async () => {
      const rows = await product.knex('payments').whereIn('id', ids).select('id', 'status', 'status_detail');
      const others = rows.filter(({ status }) => !statuses.includes(status as Payment['status']));
      if (others.length === 0 && rows.length === ids.length) return true;
      throw new Error(`${rows.length} of ${ids.length}, not ${statuses.join()}: ${JSON.stringify(others.slice(0, 3))}`);
    },
    90_000,
    250,
  );
};

const payAll = async (shop: Shop, payments: readonly Payment[]): Promise<void> => {
  for (const payment of payments) {
    const data = await eventually(async () => {
      const own = await shop.merchant.widget(payment);
      return own.payable && own;
    }, 60_000);
    await shop.buyers.alpha!.pay(data);
  }
};

const cancelAll = (shop: Shop, payments: readonly Payment[]): Promise<unknown> =>
  Promise.all(payments.map(({ id }) => shop.merchant.cancel(id)));

const env = () => ({ CARAT_DATABASE_URL: product.dev.database, CARAT_MASTER_KEY: product.secrets.masterKey });

/** The server with an empty database in place of the product's. */
const loseDatabase = async (): Promise<void> => {
  const url = new URL(product.dev.database);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
};

/** Restores, is killed half-way, and begins again. */
const restoreTwice = async (backup: string): Promise<void> => {
  const child = spawn(process.execPath, [path.join(root, 'cli/carat.mjs'), 'restore', backup], {
    env: { PATH: process.env.PATH, ...env() },
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes('loaded 25 of')) child.kill('SIGKILL');
  });
  expect(await exited).toEqual([null, 'SIGKILL']);
  // The server rolls back once it notices that its client is gone.
  await eventually(async () => {
    const outcome = await carat(['restore', backup], env());
    if (outcome.code !== 0) throw new Error(outcome.err.slice(-500));
    return true;
  }, 60_000);
};

const operator = () => product.knex('signer_accounts').where({ role: 'operator' }).first();
const alertsOf = (kind: string) => product.knex('alerts').where({ kind });

/** How often deals were paid, by deal id. */
const paidTimes = async (payments: readonly Payment[]): Promise<number[]> => {
  const provider = new ethers.JsonRpcProvider(product.dev.networks.alpha!.rpc, 31_337, { staticNetwork: true });
  const logs = await provider.getLogs({
    fromBlock: 0,
    topics: [contracts.deal.interface.getEvent('DealPaid')!.topicHash],
  });
  provider.destroy();
  return payments.map(({ deal_id: id }) => logs.filter(({ topics }) => BigInt(topics[1]!) === BigInt(id!)).length);
};

it('after a restore no known payment is doubled or counted twice, and the lane goes on by itself once', async () => {
  const [done, wanted, unwanted, open, expiring] = await Promise.all([
    many(created, 20),
    many(offered, 15),
    many(created, 10),
    many(created, 50),
    many(created, 5, 40),
  ]);
  const [offers, refused, lapsing] = await Promise.all([many(offered, 30), many(offered, 10), many(offered, 5, 40)]);
  await areAll([...done, ...unwanted, ...open], 'awaiting_payment');
  await payAll(created, done);
  await payAll(offered, wanted);
  await Promise.all([cancelAll(created, unwanted), cancelAll(offered, refused)]);
  await areAll([...done, ...wanted], 'completed');
  await areAll(refused, 'canceled');
  // Some are in the middle of everything.
  const paying = payAll(created, open.slice(0, 15));
  const fresh = await Promise.all([many(created, 35), many(offered, 20)]);
  const known = [done, wanted, unwanted, open, expiring, offers, refused, lapsing, ...fresh].flat();
  expect(known).toHaveLength(200);
  const backup = path.join(dir, 'backup');
  expect(await carat(['backup', backup], env())).toMatchObject({ code: 0 });

  await paying;
  const [lost, lostOffers] = await Promise.all([many(created, 15), many(offered, 10)]);
  await areAll([...lost, ...fresh[0]], 'awaiting_payment');
  await payAll(created, [...open.slice(15, 30), ...lost.slice(0, 5)]);
  await payAll(offered, [...offers.slice(0, 10), ...lostOffers.slice(0, 5)]);
  const withdrawn = open.slice(30, 40);
  await cancelAll(created, withdrawn);
  await areAll([...lost.slice(0, 5), ...lostOffers.slice(0, 5)], 'completed');
  await areAll(withdrawn, 'canceled');
  await killAll();

  await loseDatabase();
  await restoreTwice(backup);
  expect(await product.knex('payments')).toHaveLength(200);
  await start();
  await eventually(async () => (await product.knex('restored_lanes').whereNull('outcome')).length === 0, 60_000);
  expect(await alertsOf('lane_paused')).toEqual([]);

  await areAll([...done, ...wanted, ...open.slice(0, 30), ...offers.slice(0, 10)], 'completed');
  await areAll([...unwanted, ...withdrawn, ...refused], 'canceled');
  await areAll([...expiring, ...lapsing], 'expired');
  await payAll(created, [...open.slice(40), ...fresh[0].slice(0, 5)]);
  await areAll([...open.slice(40), ...fresh[0].slice(0, 5)], 'completed');
  await areAll(fresh[0].slice(5), 'awaiting_payment');
  const later = await many(created, 5);
  await areAll(later, 'awaiting_payment');
  // It is unknown whether a buyer has its offer.
  await offered.merchant.cancel(offers.at(-1)!.id);
  await areAll(offers.slice(-1), 'canceling');

  expect(await alertsOf('lane_paused')).toEqual([]);
  expect(await alertsOf('lane_resumed')).toHaveLength(1);
  expect((await operator()).status).toBe('active');
  const outcomes = await product.knex('restored_lanes').orderBy('outcome').pluck('outcome');
  expect(outcomes).toEqual(['resumed', 'unneeded']);
  await expectExactlyOnce(product);
  expect(await paidTimes([...open.slice(0, 30), ...offers.slice(0, 10)])).toEqual(Array.from({ length: 40 }, () => 1));

  const shown = await carat(['restored', '--show', '--json'], env());
  const { deals } = JSON.parse(shown.out) as { deals: { deal_id: string; events: { event: string }[] }[] };
  const seen = new Map(deals.map(({ deal_id, events }) => [deal_id, events.map(({ event }) => event)]));
  const expected = (payments: readonly Payment[], ...events: string[]) =>
    payments.map(({ deal_id }): [string, string[]] => [String(deal_id), events]);
  expect(seen).toEqual(
    new Map([
      ...expected(lost.slice(0, 5), 'created', 'paid'),
      ...expected(lost.slice(5), 'created'),
      ...expected(lostOffers.slice(0, 5), 'paid'),
    ]),
  );

  // The mark is used up.
  const provider = new ethers.JsonRpcProvider(product.dev.networks.alpha!.rpc, 31_337, { staticNetwork: true });
  const thief = new ethers.Wallet(devAccounts.operator.privateKey, provider);
  await (await thief.sendTransaction({ to: devAccounts.buyer.address, value: 1n })).wait();
  provider.destroy();
  await many(created, 1);
  await eventually(async () => (await operator()).status === 'paused', 45_000);
  expect(await alertsOf('lane_resumed')).toHaveLength(1);
});
