import fs from 'node:fs';
import path from 'node:path';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { startTemporal, type Temporal } from '../../tools/stack/temporal.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { expiresIn, openShop, type Shop } from '../support/shop.ts';
import { recordsOf, testStack } from '../support/stack.ts';

/*
 * Temporal's database is deleted while 200 payments and a deployment are under way; api and worker go on running.
 */

let product: Product;
let shop: Shop;
let other: Shop;
let temporal: Temporal;
let databaseFile: string;
let startAgain: () => Promise<Temporal>;

beforeAll(async () => {
  const { dir } = testStack();
  const [port = 0] = await freePorts(1);
  databaseFile = path.join(dir, `lost-temporal-${port}.db`);
  startAgain = () =>
    startTemporal({
      port,
      databaseFile,
      logFile: path.join(dir, 'logs', `lost-temporal-${port}.log`),
      onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'Temporal', pid),
    });
  temporal = await startAgain();
  product = await createProduct({ temporalAddress: temporal.address });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  other = await openShop(product);
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  other?.close();
  await product?.stop();
  await temporal?.stop();
});

const many = (count: number, more: Parameters<Shop['create']>[1]): Promise<Payment[]> =>
  Promise.all(Array.from({ length: count }, () => shop.create('alpha', more)));

const areAll = async (payments: readonly Payment[], status: Payment['status']): Promise<void> => {
  const ids = payments.map(({ id }) => id);
  await eventually(
    async () => {
      const rows = await product.knex('payments').whereIn('id', ids).whereNot({ status }).select('status');
      if (rows.length > 0) throw new Error(`${rows.length} are not ${status}, but ${rows[0].status}`);
      return true;
    },
    60_000,
    250,
  );
};

it("all work under way when Temporal's data is lost ends as it would have without the loss", async () => {
  const url = product.dev.networks.alpha!.rpc;
  const offchain = { payment_method: 'bank_transfer', wallet_id: undefined } as const;
  const paid = await many(10, {});
  const unwanted = await many(5, {});
  const expiring = await many(90, expiresIn(25));
  const transfers = await many(90, { ...expiresIn(25), ...offchain });
  await areAll([...paid, ...unwanted], 'awaiting_payment');
  await rpc(url, 'evm_setIntervalMining', [0]);
  await other.merchant.deploy(other.wallet.id, product.dev.networks.alpha!.id);
  await eventually(() => product.knex('tx_intents').where({ purpose: 'create_diamond', state: 'assigned' }).first());
  // Their deals are wanted, and no block comes.
  expiring.push(...(await many(5, expiresIn(15))));
  for (const { id } of unwanted) await shop.merchant.cancel(id);
  await shop.merchant.retrySend(expiring.at(-1)!.id);
  await temporal.stop();
  // Their commands wait in the outbox.
  transfers.push(...(await many(5, { ...expiresIn(15), ...offchain })));
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(`${databaseFile}${suffix}`, { force: true });
  temporal = await startAgain();
  await rpc(url, 'anvil_mine', ['0x1']);
  await rpc(url, 'evm_setIntervalMining', [1]);
  await other.deployed('alpha');
  for (const payment of paid) await shop.pay('alpha', payment);
  await areAll(paid, 'completed');
  await areAll(unwanted, 'canceled');
  await areAll([...expiring, ...transfers], 'expired');
  await expectExactlyOnce(product);
  const alerts = () => product.knex('alerts').where({ kind: 'workflows_lost' });
  await eventually(async () => (await alerts()).every(({ closed_at }) => closed_at !== null));
  expect(await alerts()).toMatchObject([{ is_condition: true, closed_by: null }]);
});
