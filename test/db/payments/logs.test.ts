import knexFactory, { type Knex } from 'knex';
import { createLaneStore } from '../../../db/lane/store.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { listPaymentLogs, type PaymentLogModel } from '../../../db/payments/read.ts';
import type { PageRequest } from '../../../db/query/page.ts';
import { readPage } from '../../support/pages.ts';
import { transition } from '../../../db/payments/transition.ts';
import { createWatchStore } from '../../../db/watcher/store.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type PaymentRow, type World } from '../../support/fixtures.ts';

let knex: Knex;
let world: World;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url });
});

afterAll(() => knex.destroy());

beforeEach(async () => {
  world = await createWorld(knex, { confirmations: 1 });
});

const log = async (payment: PaymentRow, request = { page: 1, perPage: 100 }): Promise<PaymentLogModel[]> =>
  (await readPage(listPaymentLogs(knex, world.nodeId, payment.id, request))).items;

/** Oldest first. */
const story = async (payment: PaymentRow): Promise<string[]> =>
  (await log(payment))
    .toReversed()
    .map(({ event_type, sequence, data }) => [event_type, sequence ?? data.reason ?? data.purpose].join(' '));

const signals = async (payment: PaymentRow): Promise<unknown[]> =>
  (await knex('outbox').where({ payment_id: payment.id, topic: 'payment_signal' }).orderBy('id')).map(
    ({ payload }: { payload: Record<string, unknown> }) => [
      payload.event_type,
      payload.sequence,
      payload.status_detail,
    ],
  );

it('the log has each waiting state as it begins and ends, and the followers get it', async () => {
  const store = createLaneStore(knex);
  const lease = await store.acquire(world.operatorAccountId);
  const payment = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [payment.id]);
  const [intent] = await store.queued(lease, 1);
  for (const reason of ['operator_underfunded', 'operator_underfunded', 'fees_above_ceiling'] as const) {
    await store.recordWaiting(lease, [intent!.id], reason);
  }
  await store.assign(lease, 0, [{ to: hex(20), intents: [intent!], gasLimit: 1n, encode: () => '0x' }]);
  expect(await story(payment)).toEqual([
    'payment_created 1',
    'waiting_started operator_underfunded',
    'waiting_ended operator_underfunded',
    'waiting_started fees_above_ceiling',
    'waiting_ended fees_above_ceiling',
  ]);
  expect(await signals(payment)).toEqual([
    ['waiting_started', null, 'operator_underfunded'],
    ['waiting_started', null, 'fees_above_ceiling'],
    ['waiting_ended', null, null],
  ]);
});

it('the log has the reason for which a cancel waits', async () => {
  const store = createLaneStore(knex);
  const lease = await store.acquire(world.operatorAccountId);
  const payment = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [payment.id]);
  const assign = async (): Promise<void> => {
    const intents = await store.queued(lease, 1);
    await store.assign(lease, 0, [{ to: hex(20), intents, gasLimit: 1n, encode: () => '0x' }]);
  };
  await assign();
  const where = 'p.id = :id';
  const bindings = { id: payment.id };
  await transition(knex, { name: 'deal_confirmed', where, bindings, actor: { type: 'chain' } });
  await knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: world.nodeId }));
  await decideCancel(knex, payment.id);
  const [cancel] = await store.queued(lease, 1);
  await store.recordWaiting(lease, [cancel!.id], 'network_unreachable');
  expect(await knex('payments').where(bindings).first()).toMatchObject({ status_detail: 'network_unreachable' });
  await assign();
  expect((await story(payment)).slice(-3)).toEqual([
    'cancel_requested 3',
    'waiting_started network_unreachable',
    'waiting_ended network_unreachable',
  ]);
});

it('a transition ends the waiting state in the log', async () => {
  const payment = await createPaymentRow(knex, world);
  await knex('payments').where({ id: payment.id }).update({ status_detail: 'diamond_missing' });
  await transition(knex, {
    name: 'deal_confirmed',
    where: 'p.id = :id',
    bindings: { id: payment.id },
    actor: { type: 'chain' },
    data: `'{}'::jsonb`,
  });
  expect((await story(payment)).slice(-2)).toEqual(['waiting_ended diamond_missing', 'deal_confirmed 2']);
  expect(await signals(payment)).toEqual([
    ['waiting_started', null, 'diamond_missing'],
    ['deal_confirmed', 2, null],
  ]);
});

it('the log has every transaction of a slot, written once for all its payments, in pages that count everything', async () => {
  const store = createLaneStore(knex);
  const watch = createWatchStore(knex);
  const lease = await store.acquire(world.operatorAccountId);
  const payments = [await createPaymentRow(knex, world), await createPaymentRow(knex, world)];
  const ids = payments.map(({ id }) => id);
  await insertDealIntents(knex, ids);
  const intents = await store.queued(lease, 2);
  const [slot] = await store.assign(lease, 7, [{ to: hex(20), intents, gasLimit: 9n, encode: () => '0x' }]);
  const slotId = slot!.id;
  const hashes = [hex(32), hex(32)];
  for (const [index, txHash] of hashes.entries()) {
    const fees = { maxFeePerGas: 2n ** 60n, maxPriorityFeePerGas: 1n };
    await store.saveAttempts(lease, [{ slotId, seq: index + 1, txHash, raw: '0x', gasLimit: 9n, ...fees }]);
    const error = index === 0 ? null : 'https://rpc.example/key refuses it';
    await store.recordSends(lease, [{ slotId, seq: index + 1, error }]);
    // Again, as it does every few blocks.
    await store.recordSends(lease, [{ slotId, seq: index + 1, error }]);
  }
  const watchLease = await watch.acquire(world.networkId);
  const header = (number: number, hash: string) => ({ number, hash, parentHash: hex(32), timestamp: 1 });
  const commit = { events: [], alerts: [] };
  const blocks = [hex(32), hex(32)];
  await watch.commit(watchLease, { ...commit, rewindTo: null, headers: [header(1, hex(32))], confirmedNumber: 1 });
  for (const blockHash of blocks) {
    await watch.commit(watchLease, { ...commit, rewindTo: 1, headers: [header(2, blockHash)], confirmedNumber: 1 });
    await store.recordMined(lease, [
      { slotId, txHash: hashes[1]!, blockNumber: 2, blockHash, receiptStatus: 1, gasUsed: 8n, ...noWait },
    ]);
  }
  for (const payment of payments) {
    expect(await story(payment)).toEqual([
      'payment_created 1',
      ...['sent', 'bumped', 'mined', 'reorged', 'mined'].map((what) => `transaction_${what} create_deal`),
    ]);
  }
  expect(await knex('tx_slot_logs').where({ slot_id: slotId })).toHaveLength(5);

  const [payment] = payments;
  const all = await log(payment!);
  expect(all[3]).toMatchObject({
    message: null,
    actor_type: 'system',
    data: { transaction_hash: hashes[1], nonce: 7, max_fee_per_gas: (2n ** 60n).toString() },
  });
  expect(all[0]!.data).toMatchObject({ block_number: 2, block_hash: blocks[1], succeeded: true });
  expect(JSON.stringify(all)).not.toContain('example');

  const list = (request: PageRequest) => readPage(listPaymentLogs(knex, world.nodeId, payment!.id, request));
  const first = await list({ page: 1, perPage: 4 });
  const rest = await list({ page: 2, perPage: 4, after: first.next! });
  expect([first.total, rest.total, rest.next]).toEqual([6, 6, null]);
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
});

const noWait = { effectiveGasPrice: 7n, waiting: {}, allWait: null };
