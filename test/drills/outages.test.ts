import path from 'node:path';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { registryAddress } from '../../chain/pure/platform.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import type { VersionCheck } from '../../api/generated/openapi-types.ts';
import type { CaratError } from '../../client/carat-error.ts';
import { createCaratClient } from '../../client/client.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { freePorts } from '../../tools/process/ports.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { startTemporal, type Temporal } from '../../tools/stack/temporal.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { recordsOf, testStack } from '../support/stack.ts';

/*
 * Each part in turn is down, or the chain reorganises, while payments are created and paid.
 */

let product: Product;
let shop: Shop;
let worker: RunningProcess;
let temporal: Temporal;
let startAgain: () => Promise<Temporal>;

beforeAll(async () => {
  const { dir } = testStack();
  const [port = 0] = await freePorts(1);
  startAgain = () =>
    startTemporal({
      port,
      databaseFile: path.join(dir, `outages-temporal-${port}.db`),
      logFile: path.join(dir, 'logs', `outages-temporal-${port}.log`),
      onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'Temporal', pid),
    });
  temporal = await startAgain();
  product = await createProduct({ temporalAddress: temporal.address });
  [, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await temporal?.stop();
});

const chainUrl = (): string => product.dev.networks.alpha!.rpc;

/** Sends one call of root's or the guardian's to the registry. */
const tellRegistry = async (key: string, name: string, args: readonly unknown[]): Promise<void> => {
  const { eip155 } = product.dev.networks.alpha!;
  await sendCalls(createRpc({ urls: [chainUrl()], eip155 }), createKeySigner(key), eip155, [
    { what: name, to: registryAddress(devPlatform), data: contracts.registry.interface.encodeFunctionData(name, args) },
  ]);
};

const waitsFor = (id: string, detail: string) =>
  eventually(async () => (await shop.merchant.payment(id)).status_detail === detail, 30_000, 100);

/** Checks the diamond's version, without a second attempt; null for 503 with `Retry-After` in time. */
const checkVersion = async (): Promise<VersionCheck | null> => {
  const { api: url, admin, nodes, networks } = product.dev;
  let retryAfter: string | null = null;
  const carat = createCaratClient({
    url,
    apiKey: admin.api_key,
    secret: admin.secret,
    retries: { retries: 0 },
    timeoutMs: 11_000,
    fetch: async (...call) => {
      const answer = await fetch(...call);
      retryAfter = answer.headers.get('retry-after');
      return answer;
    },
  });
  const query = { node_id: nodes.merchant!, network_id: networks.alpha!.id };
  try {
    return await carat.checkVersion(shop.wallet.id, query);
  } catch (error) {
    expect([(error as CaratError).status, retryAfter]).toEqual([503, '5']);
    return null;
  }
};

const completes = async (...ids: Parameters<Shop['pay']>[1][]): Promise<void> => {
  for (const payment of ids) await shop.pay('alpha', payment);
  for (const payment of ids) await shop.reached(payment, 'completed');
  await expectExactlyOnce(product);
};

it('a payment posted while Temporal is stopped completes when Temporal is back', async () => {
  expect(await checkVersion()).toMatchObject({ any_update_available: false });
  await temporal.stop();
  const payment = await shop.create('alpha');
  expect(payment.status).toBe('pending');
  expect(await checkVersion()).toBeNull();
  temporal = await startAgain();
  await completes(payment);
  expect(await eventually(checkVersion)).toMatchObject({ any_update_available: false });
});

it('running lanes and watchers go on while Temporal is stopped', async () => {
  const [open, queued] = [await shop.create('alpha'), await shop.create('alpha')];
  const intent = () => product.knex('tx_intents').where({ payment_id: queued.id }).first();
  await eventually(intent);
  await temporal.stop();
  try {
    await completes(open, queued);
  } finally {
    temporal = await startAgain();
  }
});

it('a cancel and a retry posted while Temporal is stopped take effect when it is back', async () => {
  const [unwanted, slow] = [await shop.create('alpha'), await shop.create('alpha')];
  await shop.reached(unwanted, 'awaiting_payment');
  await worker.stop();
  const pending = await shop.create('alpha');
  const unsent = await shop.create('alpha');
  await temporal.stop();
  for (const { id } of [unwanted, unsent]) await shop.merchant.cancel(id);
  expect(await shop.merchant.retrySend(pending.id)).toMatchObject({ status: 'pending' });
  [temporal, worker] = [await startAgain(), await product.startWorker()];
  for (const payment of [unwanted, unsent]) await shop.reached(payment, 'canceled');
  expect(await shop.merchant.payment(unsent.id)).toMatchObject({ status_detail: 'canceled_before_creation' });
  // It was never sent: no transaction was spent on it.
  const intents = await product.knex('tx_intents').where({ payment_id: unsent.id });
  expect(intents.filter(({ slot_id }) => slot_id !== null)).toEqual([]);
  await completes(pending, slow);
});

it('a payment posted while no worker runs completes when a worker is back', async () => {
  await worker.stop();
  const payment = await shop.create('alpha');
  worker = await product.startWorker();
  await completes(payment);
});

it('a payment posted while the RPC node hangs completes when it answers again', async () => {
  const { pid } = product.chains.alpha!;
  process.kill(pid, 'SIGSTOP');
  const payment = await shop.create('alpha');
  try {
    const [checked] = await Promise.all([checkVersion(), waitsFor(payment.id, 'network_unreachable')]);
    expect(checked).toBeNull();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await completes(payment);
});

it('payments posted while database connections are cut again and again complete, each once', async () => {
  let isOver = false;
  const cutting = (async (): Promise<void> => {
    while (!isOver) {
      await product.knex.raw(
        `SELECT pg_terminate_backend(pid), pg_sleep(0.2) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name IN ('carat-api', 'carat-worker')`,
      );
    }
  })();
  const payments: Parameters<Shop['pay']>[1][] = [];
  try {
    for (let index = 0; index < 10; index += 1) {
      const request = shop.request('alpha');
      payments.push(await eventually(() => shop.merchant.createPayment(request)));
    }
  } finally {
    isOver = true;
    await cutting;
  }
  await completes(...payments);
});

it.each([1, 2])(
  'a reorganisation of depth %i around deal and payment leaves one deal, and the payment completes',
  async (depth) => {
    const payment = await shop.create('alpha');
    const seen = async (column: string): Promise<void> => {
      await eventually(async () => {
        const row = await product.knex('payments').where({ id: payment.id }).first();
        return row[column] !== null;
      });
    };
    await seen('deal_block_number');
    await rpc(chainUrl(), 'anvil_reorg', [depth, []]);
    await shop.reached(payment, 'awaiting_payment');
    const paying = shop.buyers.alpha!.pay(await shop.merchant.widget(payment));
    await seen('paid_block_number');
    const raw = await rpc(chainUrl(), 'eth_getRawTransactionByHash', [await paying]);
    await rpc(chainUrl(), 'anvil_reorg', [depth, []]);
    // anvil forgets removed transactions; a buyer's wallet sends them again.
    await rpc(chainUrl(), 'eth_sendRawTransaction', [raw]).catch(() => undefined);
    await shop.reached(payment, 'completed');
    await expectExactlyOnce(product);
  },
);

it.each([1, 2])('a cancel whose block is reorganised away, %i deep, is sent again', async (depth) => {
  const payment = await shop.create('alpha');
  await shop.reached(payment, 'awaiting_payment');
  await shop.merchant.cancel(payment.id);
  await eventually(async () => {
    const { cancel_block_number: block, status } = await product.knex('payments').where({ id: payment.id }).first();
    return block !== null && status === 'canceling';
  });
  await rpc(chainUrl(), 'anvil_reorg', [depth, []]);
  await shop.reached(payment, 'canceled');
  await expectExactlyOnce(product);
});

it('a cancel that lost against its buyer goes on once the payment is reorganised away', async () => {
  const payment = await shop.create('alpha');
  await shop.reached(payment, 'awaiting_payment');
  await worker.stop();
  await shop.merchant.cancel(payment.id);
  await shop.buyers.alpha!.pay(await shop.merchant.widget(payment));
  await rpc(chainUrl(), 'evm_setIntervalMining', [0]);
  const { paid_block_number: none } = await product.knex('payments').where({ id: payment.id }).first();
  expect(none).toBeNull();
  worker = await product.startWorker();
  await shop.reached(payment, 'processing');
  await rpc(chainUrl(), 'anvil_reorg', [2, []]);
  await rpc(chainUrl(), 'anvil_mine', ['0x1']);
  await shop.reached(payment, 'canceling');
  await rpc(chainUrl(), 'evm_setIntervalMining', [1]);
  await shop.reached(payment, 'canceled');
  const story = (await shop.merchant.logs(payment.id)).filter(({ sequence }) => sequence !== null);
  expect(story.map(({ event_type }) => event_type).slice(2)).toEqual([
    'cancel_requested',
    'cancel_lost_race',
    'payment_reorged',
    'cancel_confirmed',
  ]);
  await expectExactlyOnce(product);
});

it("work waits until the end of a guardian's pause", async () => {
  await tellRegistry(devAccounts.guardian.privateKey, 'setPaused', [true]);
  const payment = await shop.create('alpha');
  await waitsFor(payment.id, 'network_paused');
  await tellRegistry(devAccounts.root.privateKey, 'setPaused', [false]);
  await completes(payment);
  expect(await product.knex('payments').where({ id: payment.id }).first()).toMatchObject({ retries_used: 0 });
});

it('work waits until an operator without coins has coins', async () => {
  const { address } = devAccounts.operator;
  await rpc(chainUrl(), 'anvil_setBalance', [address, '0x0']);
  const payment = await shop.create('alpha');
  await waitsFor(payment.id, 'operator_underfunded');
  await rpc(chainUrl(), 'anvil_setBalance', [address, '0x56bc75e2d63100000']);
  await completes(payment);
});

it('50 simultaneous requests with one external_id make one payment, and all others get its id', async () => {
  const request = shop.request('alpha');
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => shop.merchant.createPayment(request)));
  const created = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  expect(created).toHaveLength(1);
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as CaratError] : []));
  expect(refused.map(({ status, code, body }) => ({ status, code, body }))).toMatchObject(
    refused.map(() => ({ status: 409, code: 'payment_exists', body: { existing_id: created[0]!.id } })),
  );
  await completes(created[0]!);
});
