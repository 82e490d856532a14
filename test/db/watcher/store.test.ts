import { randomUUID } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { createLaneStore } from '../../../db/lane/store.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { createWatchStore } from '../../../db/watcher/store.ts';
import type { DealEvent, DealVerdict } from '../../../domain/deal.ts';
import type { WaitingDetail } from '../../../domain/payment.ts';
import { LeaseLostError, type Lease } from '../../../domain/ports/lease.ts';
import type { BlockHeader, WatchStore } from '../../../domain/ports/watcher.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type PaymentRow, type World } from '../../support/fixtures.ts';
import { createWebhookRow } from '../../support/webhooks.ts';

let knex: Knex;
let store: WatchStore;
let world: World;
let lease: Lease;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url });
  store = createWatchStore(knex);
});

afterAll(() => knex.destroy());

beforeEach(async () => {
  world = await createWorld(knex);
  lease = await store.acquire(world.networkId);
});

/** A run of headers after `parent`, each with a hash of its own. */
const chainOf = (from: number, count: number, parentHash = hex(32), timestamp = 1_000_000): BlockHeader[] => {
  const headers: BlockHeader[] = [];
  for (let number = from; number < from + count; number += 1) {
    headers.push({
      number,
      hash: hex(32),
      parentHash: headers.at(-1)?.hash ?? parentHash,
      timestamp: timestamp + number,
    });
  }
  return headers;
};

const eventOf = (
  kind: DealEvent['kind'],
  payment: PaymentRow,
  header: BlockHeader,
  more: Partial<DealEvent> = {},
): DealEvent => ({
  kind,
  diamond: world.diamondAddress,
  dealId: payment.dealId,
  termsHash: kind === 'cancelled' ? null : payment.termsHash,
  transactionHash: hex(32),
  logIndex: 0,
  blockNumber: header.number,
  blockHash: header.hash,
  payer: kind === 'paid' ? hex(20) : null,
  token: null,
  payee: null,
  amount: null,
  ...more,
});

const commit = (headers: BlockHeader[], events: DealEvent[] = [], rewindTo: number | null = null) =>
  store.commit(lease, { rewindTo, headers, events, alerts: [], confirmedNumber: headers.at(-1)!.number - 2 });

const judge = async (judged: BlockHeader, verdicts: [PaymentRow, DealVerdict][], sought: DealEvent[] = []) => {
  const due = await store.candidates(lease, judged, { after: null, limit: 100 });
  const told = { created: false, paid: false, cancelled: false, conflict: false };
  const decided = verdicts.map(([{ id: paymentId, dealId, termsHash }, verdict]) => {
    const other = {
      paymentId,
      diamond: world.diamondAddress,
      dealId,
      termsHash,
      isActive: true,
      mayLackDiamond: false,
      isOffered: false,
      told,
      isUnproved: false,
      paidBlock: null,
    };
    return { candidate: due.find((candidate) => candidate.paymentId === paymentId) ?? other, verdict };
  });
  return store.judge(lease, { judged, sought, decided, dates: [] });
};

const due = async (judged: BlockHeader): Promise<string[]> =>
  (await store.candidates(lease, judged, { after: null, limit: 100 })).map(({ paymentId }) => paymentId);

const status = async (payment: PaymentRow): Promise<string> =>
  (await knex('payments').where({ id: payment.id }).first()).status;

const logTypes = async (payment: PaymentRow): Promise<string[]> =>
  knex('payment_logs').where({ payment_id: payment.id }).orderBy('sequence').pluck('event_type');

describe('a payment in the blocks of its network', () => {
  it('becomes ready at N confirmations, is detected at once and completes at N confirmations', async () => {
    const payment = await createPaymentRow(knex, world);
    await insertDealIntents(knex, [payment.id]);
    const blocks = chainOf(1, 8);
    await commit([blocks[0]!], [eventOf('created', payment, blocks[0]!)]);
    await commit([blocks[1]!]);
    await commit([blocks[2]!]);
    expect(await due(blocks[0]!)).toEqual([payment.id]);
    expect(await status(payment)).toBe('pending');
    await judge(blocks[0]!, [[payment, 'open']]);
    expect(await status(payment)).toBe('awaiting_payment');
    await commit([blocks[3]!], [eventOf('paid', payment, blocks[3]!)]);
    expect(await status(payment)).toBe('processing');
    await commit([blocks[4]!]);
    expect(await due(blocks[2]!)).toEqual([]);
    await commit([blocks[5]!]);
    expect(await due(blocks[3]!)).toEqual([payment.id]);
    await judge(blocks[3]!, [[payment, 'paid']]);
    expect(await due(blocks[3]!)).toEqual([]);
    expect(await status(payment)).toBe('completed');
    expect(await logTypes(payment)).toEqual([
      'payment_created',
      // no create of the lane's has a nonce here
      'payment_anomaly',
      'deal_confirmed',
      'payment_detected',
      'payment_confirmed',
    ]);
    const signals = await knex('outbox').where({ payment_id: payment.id, topic: 'payment_signal' }).orderBy('id');
    expect(signals.map((row) => row.payload.status)).toEqual([
      'pending',
      'awaiting_payment',
      'processing',
      'completed',
    ]);
    expect(signals[3].payload).toMatchObject({ sequence: 5, block_number: 4, block_hash: blocks[3]!.hash });
    const intents = await knex('tx_intents').where({ payment_id: payment.id });
    expect(intents.map((intent) => intent.state)).toEqual(['withdrawn']);
  });

  it('gives merchants, and all workflows that follow, an anomaly once, and only when enough endpoints report it', async () => {
    const payment = await createPaymentRow(knex, world);
    await knex('payment_followers').insert({ payment_id: payment.id, workflow_id: 'beside' });
    const blocks = chainOf(1, 4);
    const cancelled = eventOf('cancelled', payment, blocks[0]!);
    await commit(blocks.slice(0, 2), [{ ...cancelled, transactionHash: null }]);
    expect(await logTypes(payment)).toEqual(['payment_created']);
    await commit(blocks.slice(2, 3), [cancelled]);
    await commit(blocks.slice(3), [cancelled]);
    expect(await logTypes(payment)).toEqual(['payment_created', 'payment_anomaly']);
    const { data } = await knex('payment_logs')
      .where({ payment_id: payment.id, event_type: 'payment_anomaly' })
      .first();
    expect(data).toEqual({
      kind: 'cancel_not_asked_for',
      transaction_hash: cancelled.transactionHash,
      block_number: 1,
      block_hash: blocks[0]!.hash,
      log_index: 0,
    });
    const told = await knex('outbox').where({ payment_id: payment.id, topic: 'payment_signal' }).orderBy('workflow_id');
    expect(told.map(({ workflow_id, payload: { sequence } }) => [workflow_id, sequence])).toEqual([
      ['beside', 2],
      [null, 2],
    ]);
  });

  it('writes every skipped state in order when it is first seen deep in the chain', async () => {
    const payment = await createPaymentRow(knex, world);
    const blocks = chainOf(1, 10);
    await commit(blocks);
    await judge(
      blocks[7]!,
      [[payment, 'paid']],
      [eventOf('created', payment, blocks[0]!), eventOf('paid', payment, blocks[1]!)],
    );
    expect(await logTypes(payment)).toEqual([
      'payment_created',
      // no create of the lane's has a nonce here
      'payment_anomaly',
      'deal_confirmed',
      'payment_detected',
      'payment_confirmed',
    ]);
    expect(await status(payment)).toBe('completed');
  });

  it('goes back to awaiting_payment when the block of the payment is reorganised away', async () => {
    const payment = await createPaymentRow(knex, world);
    const blocks = chainOf(1, 5);
    await commit(blocks.slice(0, 4), [eventOf('created', payment, blocks[0]!)]);
    await judge(blocks[1]!, [[payment, 'open']]);
    await commit(blocks.slice(4), [eventOf('paid', payment, blocks[4]!)]);
    expect(await status(payment)).toBe('processing');
    const other = chainOf(5, 2, blocks[3]!.hash);
    await commit(other, [eventOf('paid', payment, other[1]!)], 4);
    expect(await status(payment)).toBe('processing');
    expect(await logTypes(payment)).toEqual([
      'payment_created',
      // no create of the lane's has a nonce here
      'payment_anomaly',
      'deal_confirmed',
      'payment_detected',
      'payment_reorged',
      'payment_detected',
    ]);
    const reorged = await knex('payment_logs').where({ payment_id: payment.id, event_type: 'payment_reorged' }).first();
    expect(reorged).toMatchObject({
      status: 'awaiting_payment',
      data: { block_hash: blocks[4]!.hash, block_number: 5 },
    });
  });

  it('goes back to pending when its deal remains, but is not confirmed yet', async () => {
    const payment = await createPaymentRow(knex, world);
    const blocks = chainOf(1, 4);
    await commit(blocks, [eventOf('created', payment, blocks[2]!), eventOf('paid', payment, blocks[3]!)]);
    await commit(chainOf(4, 1, blocks[2]!.hash), [], 3);
    expect(await knex('payments').where({ id: payment.id }).first()).toMatchObject({
      status: 'pending',
      deal_block_number: '3',
      paid_block_number: null,
    });
  });

  it('goes back to pending when deal and payment are reorganised away, and its deal is requested again', async () => {
    const payment = await createPaymentRow(knex, world);
    await insertDealIntents(knex, [payment.id]);
    const blocks = chainOf(1, 3);
    await commit(blocks, [eventOf('created', payment, blocks[1]!), eventOf('paid', payment, blocks[2]!)]);
    expect(await status(payment)).toBe('processing');
    await commit(chainOf(2, 2, blocks[0]!.hash), [], 1);
    expect(await status(payment)).toBe('pending');
    const row = await knex('payments').where({ id: payment.id }).first();
    expect(row).toMatchObject({ deal_tx_hash: null, paid_tx_hash: null, payer_address: null });
    // It was withdrawn when the payment was seen.
    const intents = await knex('tx_intents').where({ payment_id: payment.id }).orderBy('id');
    expect(intents.map(({ state }) => state)).toEqual(['withdrawn', 'queued']);
  });

  it('ignores a deal and a payment with other terms and raises an alert', async () => {
    const payment = await createPaymentRow(knex, world);
    const blocks = chainOf(1, 6);
    const thief = { termsHash: hex(32) };
    await commit(blocks, [
      eventOf('created', payment, blocks[0]!, thief),
      eventOf('paid', payment, blocks[0]!, { ...thief, logIndex: 1 }),
    ]);
    expect(await status(payment)).toBe('pending');
    expect(await knex('alerts').where({ payment_id: payment.id }).pluck('kind')).toEqual([
      'deal_unknown',
      'deal_unknown',
    ]);
  });

  it('is canceled with an alert when an operator key cancels it without a request', async () => {
    const payment = await createPaymentRow(knex, world);
    const blocks = chainOf(1, 8);
    await commit(blocks.slice(0, 3), [eventOf('created', payment, blocks[0]!)]);
    await judge(blocks[0]!, [[payment, 'open']]);
    await commit(blocks.slice(3), [eventOf('cancelled', payment, blocks[3]!)]);
    await judge(blocks[3]!, [[payment, 'cancelled']]);
    expect(await knex('payments').where({ id: payment.id }).first()).toMatchObject({
      status: 'canceled',
      status_detail: 'canceled_foreign',
    });
    expect(await knex('alerts').where({ payment_id: payment.id }).pluck('kind')).toContain('cancel_not_asked_for');
  });
});

/** What a reorganisation deeper than the confirmations removes. */
describe('a confirmed deal', () => {
  const row = ({ id }: PaymentRow) => knex('payments').where({ id }).first();

  /** Buyers could pay it. */
  const ready = async (blocks: readonly BlockHeader[], options: { expiresUnix?: number } = {}): Promise<PaymentRow> => {
    const payment = await createPaymentRow(knex, world, options);
    await commit(blocks.slice(0, 4), [eventOf('created', payment, blocks[1]!)]);
    await judge(blocks[1]!, [[payment, 'open']]);
    expect(await status(payment)).toBe('awaiting_payment');
    return payment;
  };

  it('is pending again when it is absent at a confirmed block of the new chain', async () => {
    const blocks = chainOf(1, 4);
    const payment = await ready(blocks);
    const webhookId = await createWebhookRow(knex, world, 'https://shop.example', { events: ['payment.reorged'] });
    const others = chainOf(2, 5, blocks[0]!.hash);
    await commit(others, [], 1);
    expect(await row(payment)).toMatchObject({ status: 'awaiting_payment', deal_block_number: null });
    expect(await due(others[1]!)).toEqual([payment.id]);
    await judge(others[1]!, [[payment, 'absent']]);
    expect(await row(payment)).toMatchObject({ status: 'pending', status_detail: null, terminal_at: null });
    const log = await knex('payment_logs').where({ payment_id: payment.id, event_type: 'deal_reorged' }).first();
    expect(log).toMatchObject({
      sequence: 4,
      status: 'pending',
      actor_type: 'chain',
      data: { block_number: 3, block_hash: others[1]!.hash },
    });
    const told = await knex('webhook_deliveries as d').join('webhook_events as e', 'e.id', 'd.event_id');
    expect(told.filter(({ webhook_id }) => webhook_id === webhookId)).toMatchObject([
      { type: 'payment.reorged', sequence: 4, snapshot: { status: 'pending' } },
    ]);
    const signals = await knex('outbox').where({ payment_id: payment.id, topic: 'payment_signal' }).orderBy('id');
    expect(signals.at(-1).payload).toMatchObject({ sequence: 4, event_type: 'deal_reorged', status: 'pending' });
    const intents = await knex('tx_intents').where({ payment_id: payment.id });
    expect(intents.map(({ purpose, state }) => [purpose, state])).toEqual([['create_deal', 'queued']]);
    // Once: the next judgement finds it pending.
    await judge(others[2]!, [[payment, 'absent']]);
    expect(await row(payment)).toMatchObject({ status: 'pending', sequence: 4, create_generation: 2 });
  });

  it('is judged and pending even if a later, unconfirmed block has it', async () => {
    const blocks = chainOf(1, 4);
    const payment = await ready(blocks);
    const others = chainOf(2, 5, blocks[0]!.hash);
    await commit(others, [eventOf('created', payment, others[3]!)], 1);
    expect(await due(others[1]!)).toEqual([payment.id]);
    await judge(others[1]!, [[payment, 'absent']]);
    expect(await row(payment)).toMatchObject({ status: 'pending', deal_block_number: '5' });
  });

  it('keeps its status while its word is unknown, and where the chain has it after all', async () => {
    const blocks = chainOf(1, 4);
    const payment = await ready(blocks);
    const others = chainOf(2, 5, blocks[0]!.hash);
    await commit(others, [], 1);
    await judge(others[1]!, []);
    expect(await status(payment)).toBe('awaiting_payment');
    await judge(others[2]!, [[payment, 'open']]);
    expect(await row(payment)).toMatchObject({ status: 'awaiting_payment', sequence: 3 });
  });

  it('expires without being pending first where its time has ended by then', async () => {
    const blocks = chainOf(1, 4);
    const others = chainOf(2, 5, blocks[0]!.hash);
    const payment = await ready(blocks, { expiresUnix: others[2]!.timestamp });
    await commit(others, [], 1);
    await judge(others[2]!, [[payment, 'absent']]);
    expect((await logTypes(payment)).slice(3)).toEqual(['payment_expired']);
  });

  it('that is being canceled keeps its status, and has a live cancel', async () => {
    const blocks = chainOf(1, 4);
    const payment = await ready(blocks);
    await knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: 'somebody' }));
    await decideCancel(knex, payment.id);
    const others = chainOf(2, 5, blocks[0]!.hash);
    await commit(others, [], 1);
    await judge(others[1]!, [[payment, 'absent']]);
    expect(await status(payment)).toBe('canceling');
    const cancels = await knex('tx_intents').where({ payment_id: payment.id, purpose: 'cancel_deal' });
    expect(cancels).toMatchObject([{ state: 'queued' }]);
  });
});

describe('a payment that has ended when a reorganisation removes it', () => {
  const row = ({ id }: PaymentRow) => knex('payments').where({ id }).first();
  const alertsOf = ({ id }: PaymentRow): Promise<string[]> =>
    knex('alerts').where({ payment_id: id }).orderBy('id').pluck('kind');

  /** In the second of these blocks. */
  const completed = async (blocks: readonly BlockHeader[], paid: Partial<DealEvent> = {}): Promise<PaymentRow> => {
    const payment = await createPaymentRow(knex, world);
    const events = [eventOf('created', payment, blocks[0]!), eventOf('paid', payment, blocks[1]!, paid)];
    await commit(blocks.slice(0, 4), events);
    await judge(blocks[1]!, [[payment, 'paid']]);
    expect(await status(payment)).toBe('completed');
    return payment;
  };

  it('is reported each time it goes and comes back, even by the same block, and keeps its status', async () => {
    const blocks = chainOf(1, 4);
    const payment = await completed(blocks);
    const { paid_tx_hash: transactionHash } = await row(payment);
    const others = chainOf(2, 3, blocks[0]!.hash);
    const there = eventOf('paid', payment, blocks[1]!, { transactionHash });
    for (let round = 0; round < 2; round += 1) {
      await commit(others, [], 1);
      expect(await row(payment)).toMatchObject({ status: 'completed', reversed_at: expect.any(Date) });
      await commit(blocks.slice(1), [there], 1);
      expect(await row(payment)).toMatchObject({ paid_block_hash: blocks[1]!.hash, reversed_at: null });
      // The same log is read once more.
      await commit(chainOf(5, 1, blocks[3]!.hash), [there], 4);
    }
    await commit(others, [], 1);
    // Nothing is left to remove.
    await commit(chainOf(3, 3, others[0]!.hash), [], 2);
    const news = ['payment_reversed', 'payment_anomaly'];
    expect((await logTypes(payment)).slice(4)).toEqual([...news, ...news, 'payment_reversed']);
    const anomaly = await knex('payment_logs')
      .where({ payment_id: payment.id, event_type: 'payment_anomaly', sequence: 6 })
      .first();
    expect(anomaly).toMatchObject({ status: 'completed', data: { kind: 'payment_returned', block_number: 2 } });
    expect((await alertsOf(payment)).slice(1)).toEqual([
      'payment_reversed',
      'payment_returned',
      'payment_reversed',
      'payment_returned',
      'payment_reversed',
    ]);
    expect(await row(payment)).toMatchObject({ status: 'completed', paid_tx_hash: transactionHash, sequence: 9 });
  });

  it('is reported with the time of the report: in its log, to its workflow and to its webhooks', async () => {
    await createWebhookRow(knex, world, 'https://shop.invalid');
    const blocks = chainOf(1, 4);
    const payment = await completed(blocks);
    const of = { payment_id: payment.id };
    const ended = await row(payment);
    await knex('payments')
      .where({ id: payment.id })
      .update({ updated_at: knex.raw("updated_at - interval '1 hour'") });
    await commit(chainOf(2, 3, blocks[0]!.hash), [], 1);
    const { updated_at: at, sequence } = await row(payment);
    expect([sequence, at >= ended.updated_at]).toEqual([ended.sequence + 1, true]);
    expect(
      await knex('payment_logs')
        .where({ ...of, sequence })
        .pluck('created_at'),
    ).toEqual([at]);
    expect(
      await knex('webhook_events')
        .where({ ...of, sequence })
        .pluck('created_at'),
    ).toEqual([at]);
    const signal = await knex('outbox')
      .where({ ...of, topic: 'payment_signal' })
      .orderBy('id', 'desc')
      .first();
    expect(signal.payload).toMatchObject({ event_type: 'payment_reversed', sequence, at: at.toISOString() });
  });

  it('is followed into another block, with the transaction there', async () => {
    const blocks = chainOf(1, 4);
    const payment = await completed(blocks);
    const others = chainOf(2, 4, blocks[0]!.hash);
    const event = eventOf('paid', payment, others[2]!);
    await commit(others, [event], 1);
    expect(await row(payment)).toMatchObject({
      status: 'completed',
      paid_tx_hash: event.transactionHash,
      paid_block_number: '4',
      paid_block_hash: others[2]!.hash,
      payer_address: event.payer,
      reversed_at: null,
    });
  });

  it('is back by its word, and not by a log that too few endpoints report', async () => {
    const blocks = chainOf(1, 4);
    const payment = await completed(blocks);
    const others = chainOf(2, 6, blocks[0]!.hash);
    await commit(others, [eventOf('paid', payment, others[0]!, { transactionHash: null })], 1);
    expect((await logTypes(payment)).at(-1)).toBe('payment_reversed');
    expect(await due(others[0]!)).toEqual([payment.id]);
    await judge(others[0]!, [[payment, 'open']]);
    expect((await logTypes(payment)).at(-1)).toBe('payment_reversed');
    await judge(others[1]!, [[payment, 'paid']]);
    expect((await logTypes(payment)).slice(-2)).toEqual(['payment_reversed', 'payment_anomaly']);
    expect(await row(payment)).toMatchObject({ status: 'completed', paid_tx_hash: null, reversed_at: null });
    expect((await alertsOf(payment)).slice(-2)).toEqual(['payment_reversed', 'payment_returned']);
    expect(await due(others[2]!)).toEqual([]);
  });

  it('is back with its transaction where the word says so and the search finds its log', async () => {
    const blocks = chainOf(1, 4);
    const payment = await completed(blocks, { transactionHash: null });
    const others = chainOf(2, 6, blocks[0]!.hash);
    await commit(others, [], 1);
    const sought = eventOf('paid', payment, others[0]!);
    await judge(others[1]!, [[payment, 'paid']], [sought]);
    await judge(others[2]!, [[payment, 'paid']]);
    expect((await logTypes(payment)).slice(-2)).toEqual(['payment_reversed', 'payment_anomaly']);
    expect(await row(payment)).toMatchObject({ paid_tx_hash: sought.transactionHash, paid_block_number: '2' });
  });

  it('is back once, by its word, although the log of too few endpoints is read again', async () => {
    const blocks = chainOf(1, 4);
    const payment = await completed(blocks);
    const others = chainOf(2, 6, blocks[0]!.hash);
    const there = eventOf('paid', payment, others[0]!);
    await commit(others, [{ ...there, transactionHash: null }], 1);
    await judge(others[1]!, [[payment, 'paid']]);
    // A run that begins reads the logs of the newest blocks once more, and by now enough endpoints report them.
    await commit(chainOf(8, 1, others.at(-1)!.hash), [there]);
    expect((await logTypes(payment)).slice(-2)).toEqual(['payment_reversed', 'payment_anomaly']);
    expect((await alertsOf(payment)).slice(-2)).toEqual(['payment_reversed', 'payment_returned']);
    expect(await row(payment)).toMatchObject({
      status: 'completed',
      paid_tx_hash: there.transactionHash,
      paid_block_number: '2',
      paid_block_hash: others[0]!.hash,
      payer_address: there.payer,
      reversed_at: null,
    });
  });

  it('and is back by its word, is reported as there in the end when only the judged block leaves', async () => {
    const blocks = chainOf(1, 4);
    const payment = await completed(blocks);
    const others = chainOf(2, 6, blocks[0]!.hash);
    await commit(others, [], 1);
    await judge(others[3]!, [[payment, 'paid']]);
    expect(await row(payment)).toMatchObject({ paid_block_hash: others[3]!.hash, reversed_at: null });
    // Its real block is unknown: it may have been in that one.
    await commit(chainOf(5, 4, others[2]!.hash), [], 4);
    expect((await logTypes(payment)).slice(-2)).toEqual(['payment_anomaly', 'payment_reversed']);
    expect(await due(others[2]!)).toEqual([payment.id]);
    await judge(others[2]!, [[payment, 'paid']]);
    expect((await logTypes(payment)).slice(-2)).toEqual(['payment_reversed', 'payment_anomaly']);
    expect((await alertsOf(payment)).at(-1)).toBe('payment_returned');
    expect(await row(payment)).toMatchObject({ paid_block_hash: others[2]!.hash, reversed_at: null });
  });

  it('is judged until its expiry, and a day longer', async () => {
    const blocks = chainOf(1, 4);
    const payment = await completed(blocks);
    const others = chainOf(2, 6, blocks[0]!.hash);
    await commit(others, [], 1);
    const change = (values: object) => knex('payments').where({ id: payment.id }).update(values);
    await change({ reversed_at: knex.raw(`now() - interval '25 hours'`) });
    expect(await due(others[1]!)).toEqual([payment.id]);
    await change({ expires_unix: 1 });
    expect(await due(others[1]!)).toEqual([]);
    await change({ reversed_at: knex.fn.now() });
    expect(await due(others[1]!)).toEqual([payment.id]);
  });

  it('and had expired, is reported in the same way', async () => {
    const payment = await createPaymentRow(knex, world, { expiresUnix: 1 });
    const blocks = chainOf(1, 6);
    await commit(blocks.slice(0, 3));
    await judge(blocks[1]!, [[payment, 'absent']]);
    const late = eventOf('paid', payment, blocks[4]!);
    // Facts that too few endpoints report were never announced, so neither is their end.
    await commit(blocks.slice(3), [{ ...late, transactionHash: null }]);
    await commit(chainOf(5, 1, blocks[3]!.hash), [], 4);
    await commit(blocks.slice(4), [late], 4);
    const others = chainOf(5, 2, blocks[3]!.hash);
    await commit(others, [], 4);
    await commit(chainOf(7, 1, others[1]!.hash), [eventOf('paid', payment, others[1]!)]);
    expect((await logTypes(payment)).slice(1)).toEqual([
      'payment_expired',
      'payment_anomaly',
      'payment_reversed',
      'payment_anomaly',
    ]);
    const kinds = await knex('payment_logs').where({ payment_id: payment.id, event_type: 'payment_anomaly' });
    expect(kinds.map(({ data }) => data.kind)).toEqual(['payment_after_end', 'payment_after_end']);
    expect(await status(payment)).toBe('expired');
  });

  it('and had expired, is reported each time it goes, even where only its word brought it back', async () => {
    const payment = await createPaymentRow(knex, world, { expiresUnix: 1 });
    const blocks = chainOf(1, 6);
    await commit(blocks.slice(0, 3));
    await judge(blocks[1]!, [[payment, 'absent']]);
    await commit(blocks.slice(3), [eventOf('paid', payment, blocks[4]!)]);
    const others = chainOf(5, 3, blocks[3]!.hash);
    await commit(others, [], 4);
    await judge(others[0]!, [[payment, 'paid']]);
    const story = ['payment_expired', 'payment_anomaly', 'payment_reversed', 'payment_anomaly'];
    expect((await logTypes(payment)).slice(1)).toEqual(story);
    // The last news for merchants is that the money is there.
    await commit(chainOf(5, 4, blocks[3]!.hash), [], 4);
    expect((await logTypes(payment)).slice(1)).toEqual([...story, 'payment_reversed']);
    expect(await row(payment)).toMatchObject({ status: 'expired', reversed_at: expect.any(Date) });
  });
});

describe('a payment that is being canceled', () => {
  const intents = async ({ id }: PaymentRow): Promise<string[]> => {
    const rows = await knex('tx_intents').where({ payment_id: id }).orderBy('id');
    return rows.map(({ purpose, state, outcome }) => [purpose, state, outcome].filter(Boolean).join(' '));
  };
  const lane = async () => {
    const laneStore = createLaneStore(knex);
    const laneLease = await laneStore.acquire(world.operatorAccountId);
    return {
      /** Gives the queued intents a nonce, and reports that it was mined. */
      mine: async (header: BlockHeader, allWait: WaitingDetail | null = null): Promise<void> => {
        const queued = await laneStore.queued(laneLease, 100);
        const plan = { to: world.diamondAddress, intents: queued, gasLimit: 100_000n, encode: () => '0x00' };
        const [slot] = await laneStore.assign(laneLease, 0, [plan]);
        const slotId = slot!.id;
        const tx = { slotId, txHash: hex(32) };
        await laneStore.saveAttempts(laneLease, [
          { ...tx, gasLimit: 100_000n, seq: 1, raw: '0x00', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
        ]);
        await laneStore.recordMined(laneLease, [
          {
            ...tx,
            blockNumber: header.number,
            blockHash: header.hash,
            receiptStatus: 1,
            gasUsed: 1n,
            effectiveGasPrice: 1n,
            waiting: {},
            allWait,
          },
        ]);
      },
    };
  };

  /** Its deal is open, and a cancel accepted and wanted. */
  const canceling = async (blocks: readonly BlockHeader[]): Promise<PaymentRow> => {
    const payment = await createPaymentRow(knex, world);
    await insertDealIntents(knex, [payment.id]);
    await (await lane()).mine(blocks[0]!);
    await commit(blocks.slice(0, 3), [eventOf('created', payment, blocks[0]!)]);
    await judge(blocks[0]!, [[payment, 'open']]);
    await knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: 'somebody' }));
    await decideCancel(knex, payment.id);
    expect(await intents(payment)).toEqual(['create_deal settled effective', 'cancel_deal queued']);
    return payment;
  };

  it('has a live cancel again when the faster payment is reorganised away', async () => {
    const blocks = chainOf(1, 5);
    const payment = await canceling(blocks);
    await commit(blocks.slice(3, 4), [eventOf('paid', payment, blocks[3]!)]);
    expect([await status(payment), await intents(payment)]).toEqual([
      'processing',
      ['create_deal settled effective', 'cancel_deal withdrawn'],
    ]);
    await commit(chainOf(4, 2, blocks[2]!.hash), [], 3);
    expect([await status(payment), await intents(payment)]).toEqual([
      'canceling',
      ['create_deal settled effective', 'cancel_deal withdrawn', 'cancel_deal queued'],
    ]);
  });

  it('has a live cancel, too, when its former one had no effect', async () => {
    const blocks = chainOf(1, 8);
    const payment = await canceling(blocks);
    await (await lane()).mine(blocks[3]!);
    await commit(blocks.slice(3, 7), [eventOf('paid', payment, blocks[6]!)]);
    await judge(blocks[3]!, [[payment, 'open']]);
    expect([await status(payment), (await intents(payment)).slice(1)]).toEqual([
      'processing',
      ['cancel_deal settled no_effect'],
    ]);
    await commit(chainOf(7, 2, blocks[5]!.hash), [], 6);
    expect([await status(payment), (await intents(payment)).slice(1)]).toEqual([
      'canceling',
      ['cancel_deal settled no_effect', 'cancel_deal queued'],
    ]);
  });

  it('keeps the cancel whose block is reorganised away', async () => {
    const blocks = chainOf(1, 5);
    const payment = await canceling(blocks);
    await (await lane()).mine(blocks[3]!);
    await commit(blocks.slice(3, 4), [eventOf('cancelled', payment, blocks[3]!)]);
    await commit(chainOf(4, 2, blocks[2]!.hash), [], 3);
    expect([await status(payment), (await intents(payment)).slice(1)]).toEqual(['canceling', ['cancel_deal assigned']]);
    expect(await knex('tx_slots').where({ state: 'signed', account_id: world.operatorAccountId })).toHaveLength(1);
  });

  it('has a live cancel again, although it is canceled, when a deep reorganisation leaves its deal payable', async () => {
    const blocks = chainOf(1, 7);
    const payment = await canceling(blocks);
    await (await lane()).mine(blocks[3]!);
    await commit(blocks.slice(3), [eventOf('cancelled', payment, blocks[3]!)]);
    await judge(blocks[3]!, [[payment, 'cancelled']]);
    expect([await status(payment), (await intents(payment)).slice(1)]).toEqual([
      'canceled',
      ['cancel_deal settled effective'],
    ]);
    const others = chainOf(4, 6, blocks[2]!.hash);
    await commit(others, [], 3);
    // It is sent again, and has no effect.
    const [slot] = await knex('tx_slots').where({ account_id: world.operatorAccountId, state: 'signed' });
    await knex('tx_slots')
      .where({ id: slot.id })
      .update({
        state: 'mined',
        tx_hash: hex(32),
        block_number: 4,
        block_hash: others[0]!.hash,
        receipt_status: 1,
      });
    await judge(others[0]!, [[payment, 'open']]);
    expect([await status(payment), (await intents(payment)).slice(1)]).toEqual([
      'canceled',
      ['cancel_deal settled no_effect', 'cancel_deal queued'],
    ]);
    expect(await knex('payments').where({ id: payment.id }).first()).toMatchObject({ status_detail: null });
    await decideCancel(knex, payment.id);
    expect(await intents(payment)).toHaveLength(3);
  });

  it('and was, is reported as paid when a deep reorganisation lets its buyer be faster, even without a log', async () => {
    const blocks = chainOf(1, 7);
    const payment = await canceling(blocks);
    await (await lane()).mine(blocks[3]!);
    await commit(blocks.slice(3), [eventOf('cancelled', payment, blocks[3]!)]);
    await judge(blocks[3]!, [[payment, 'cancelled']]);
    const others = chainOf(4, 6, blocks[2]!.hash);
    await commit(others, [], 3);
    // Its cancel is sent again, and has no effect.
    await knex('tx_slots')
      .where({ account_id: world.operatorAccountId, state: 'signed' })
      .update({
        state: 'mined',
        tx_hash: hex(32),
        block_number: 5,
        block_hash: others[1]!.hash,
        receipt_status: 1,
      });
    expect(await due(others[1]!)).toEqual([payment.id]);
    await judge(others[1]!, [[payment, 'paid']]);
    expect(await status(payment)).toBe('canceled');
    const last = await knex('payment_logs').where({ payment_id: payment.id }).orderBy('sequence', 'desc').first();
    expect(last).toMatchObject({
      event_type: 'payment_anomaly',
      data: { kind: 'payment_after_end', transaction_hash: null, block_number: 5, block_hash: others[1]!.hash },
    });
    // The log comes late, and adds only the transaction.
    const late = eventOf('paid', payment, others[0]!);
    await commit(chainOf(10, 1, others.at(-1)!.hash), [late]);
    expect((await logTypes(payment)).filter((type) => type === 'payment_anomaly')).toHaveLength(1);
    expect(await knex('payments').where({ id: payment.id }).first()).toMatchObject({
      status: 'canceled',
      paid_tx_hash: late.transactionHash,
      paid_block_number: '4',
    });
  });

  it('has a live cancel again when the log of the payment was false', async () => {
    const blocks = chainOf(1, 6);
    const payment = await canceling(blocks);
    await commit(blocks.slice(3, 6), [eventOf('paid', payment, blocks[3]!)]);
    await judge(blocks[3]!, [[payment, 'open']]);
    expect([await status(payment), (await intents(payment)).slice(1)]).toEqual([
      'canceling',
      ['cancel_deal withdrawn', 'cancel_deal queued'],
    ]);
  });

  it('shows the waiting reason of its cancel, which follows an earlier one', async () => {
    const blocks = chainOf(1, 5);
    const payment = await canceling(blocks);
    await (await lane()).mine(blocks[3]!, 'operator_revoked');
    await commit(blocks.slice(3));
    await judge(blocks[3]!, [[payment, 'open']]);
    expect((await intents(payment)).slice(1)).toEqual(['cancel_deal settled no_effect', 'cancel_deal queued']);
    expect(await knex('payments').where({ id: payment.id }).first()).toMatchObject({
      status: 'canceling',
      status_detail: 'operator_revoked',
    });
    const waits = await knex('payment_waits').where({ payment_id: payment.id }).select('event_type', 'reason');
    expect(waits).toEqual([{ event_type: 'waiting_started', reason: 'operator_revoked' }]);
  });

  it('shows the waiting reason of its newest cancel, though the clock of ids was set back', async () => {
    const blocks = chainOf(1, 6);
    const payment = await canceling(blocks);
    const { mine } = await lane();
    await mine(blocks[3]!, 'operator_revoked');
    await commit([blocks[3]!]);
    await judge(blocks[3]!, [[payment, 'open']]);
    await mine(blocks[4]!);
    const [older] = await knex('tx_intents').where({ payment_id: payment.id, waiting: 'operator_revoked' });
    await knex('tx_intents')
      .where({ id: older.id })
      .update({ id: `ffffffff${String(older.id).slice(8)}` });
    await commit([blocks[4]!]);
    await judge(blocks[4]!, [[payment, 'open']]);
    const cancels = await knex('tx_intents')
      .where({ payment_id: payment.id })
      .whereLike('idempotency_key', '%:cancel:%');
    const newest = cancels.find(({ state }) => state === 'queued');
    expect([cancels.length, newest.waiting]).toEqual([3, null]);
  });

  it("has a live cancel although the deal was another's and is gone with the payment", async () => {
    const blocks = chainOf(1, 5);
    const payment = await createPaymentRow(knex, world);
    await commit(blocks.slice(0, 3), [eventOf('created', payment, blocks[2]!)]);
    await knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: 'somebody' }));
    await decideCancel(knex, payment.id);
    await commit(blocks.slice(3, 4), [eventOf('paid', payment, blocks[3]!)]);
    await commit(chainOf(2, 3, blocks[0]!.hash), [], 1);
    expect([await status(payment), await intents(payment)]).toEqual([
      'canceling',
      ['cancel_deal withdrawn', 'cancel_deal queued'],
    ]);
  });

  it.each<[string, (payment: PaymentRow, blocks: readonly BlockHeader[]) => Promise<unknown>]>([
    ['is reorganised away', (_, blocks) => commit(chainOf(3, 3, blocks[1]!.hash), [], 2)],
    ['was false', (payment, blocks) => judge(blocks[2]!, [[payment, 'absent']])],
  ])('has a live cancel although the cancel was decided while it was paid, and that %s', async (_, undo) => {
    const blocks = chainOf(1, 5);
    const payment = await createPaymentRow(knex, world);
    await knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: 'somebody' }));
    await commit(blocks, [eventOf('paid', payment, blocks[2]!)]);
    await decideCancel(knex, payment.id);
    expect([await status(payment), await intents(payment)]).toEqual(['processing', []]);
    await undo(payment, blocks);
    expect([await status(payment), await intents(payment)]).toEqual(['canceling', ['cancel_deal queued']]);
  });
});

describe('a transition by a log', () => {
  const row = (payment: PaymentRow) => knex('payments').where({ id: payment.id }).first();

  it.each<[DealVerdict, string]>([
    ['open', 'awaiting_payment'],
    ['absent', 'pending'],
  ])('that the word (%s) contradicts goes back to %s and blocks nothing', async (verdict, to) => {
    const blocks = chainOf(1, 8);
    const payment = await createPaymentRow(knex, world, { expiresUnix: blocks[6]!.timestamp });
    await insertDealIntents(knex, [payment.id]);
    await commit(blocks.slice(0, 5), [eventOf('paid', payment, blocks[1]!), eventOf('cancelled', payment, blocks[2]!)]);
    expect(await status(payment)).toBe('processing');
    await judge(blocks[2]!, [[payment, verdict]]);
    expect(await row(payment)).toMatchObject({
      status: to,
      paid_tx_hash: null,
      paid_block_number: null,
      paid_block_hash: null,
      payer_address: null,
      cancel_tx_hash: null,
      cancel_block_number: null,
      cancel_block_hash: null,
      status_detail: 'payment_not_borne_out',
    });
    expect(await logTypes(payment)).toContain('payment_reorged');
    const live = await knex('tx_intents').where({ payment_id: payment.id, state: 'queued' });
    expect(live).toHaveLength(to === 'pending' ? 1 : 0);
    expect(await due(blocks[2]!)).toEqual([]);
    // A true one comes later, and without it the payment expires.
    const other = await createPaymentRow(knex, world);
    await commit(blocks.slice(5), [eventOf('paid', other, blocks[5]!)]);
    await judge(blocks[5]!, [[other, 'open']], [eventOf('paid', other, blocks[7]!)]);
    expect(await row(other)).toMatchObject({ status: 'processing', paid_block_number: '8' });
    await judge(blocks[7]!, [
      [payment, verdict],
      [other, 'paid'],
    ]);
    expect([await status(payment), await status(other)]).toEqual(['expired', 'completed']);
  });

  it('goes back to canceling where a cancel was accepted', async () => {
    const payment = await createPaymentRow(knex, world);
    const blocks = chainOf(1, 4);
    await commit(blocks, [eventOf('paid', payment, blocks[1]!)]);
    await knex('payments').where({ id: payment.id }).update({ cancel_requested_at: knex.fn.now() });
    await judge(blocks[1]!, [[payment, 'open']]);
    expect(await status(payment)).toBe('canceling');
    await judge(blocks[1]!, [[payment, 'tombstone']]);
    expect(await status(payment)).toBe('canceled');
  });

  it('is not needed: the word alone completes a payment, without a hash and with an alert', async () => {
    const blocks = chainOf(1, 4);
    const payment = await createPaymentRow(knex, world, { expiresUnix: blocks[0]!.timestamp });
    await commit(blocks);
    const raised = await judge(blocks[1]!, [[payment, 'paid']]);
    expect(raised.map(({ kind }) => kind)).toEqual(['paid_without_log']);
    expect(await row(payment)).toMatchObject({ status: 'completed', paid_tx_hash: null });
  });

  it('is not needed to fail a payment whose id has other terms, with an alert', async () => {
    const payment = await createPaymentRow(knex, world);
    const blocks = chainOf(1, 4);
    await commit(blocks);
    const raised = await judge(blocks[1]!, [[payment, 'conflict']]);
    expect(raised.map(({ kind }) => kind)).toEqual(['deal_conflict']);
    expect(await row(payment)).toMatchObject({ status: 'failed', status_detail: 'deal_conflict' });
  });

  it('counts only for the active diamond of the wallet itself', async () => {
    const blocks = chainOf(1, 4);
    const deploying = await createPaymentRow(knex, world);
    await knex('diamonds').where({ wallet_id: world.walletId }).update({ status: 'deploying' });
    await commit(blocks.slice(0, 2), [eventOf('paid', deploying, blocks[0]!)]);
    expect(await row(deploying)).toMatchObject({ status: 'pending', paid_tx_hash: null });
    expect(await knex('alerts').where({ network_id: world.networkId })).toEqual([]);
    // Another wallet has an active diamond at the address that the payment has.
    const other = randomUUID();
    await knex('wallets').where({ id: world.walletId }).update({ deleted_at: knex.fn.now() });
    const wallet = { node_id: world.nodeId, chain_id: world.chainId, name: 'other', address: world.diamondAddress };
    await knex('wallets').insert({ ...wallet, id: other });
    await knex('diamonds').where({ wallet_id: world.walletId }).update({ wallet_id: other, status: 'active' });
    await commit(blocks.slice(2), [eventOf('paid', deploying, blocks[2]!)]);
    expect(await row(deploying)).toMatchObject({ status: 'pending', paid_tx_hash: null });
  });
});

describe('expiry', () => {
  it('takes only payments that are unpaid, past their time and judged by a stored block', async () => {
    const blocks = chainOf(1, 4);
    const judged = blocks[1]!;
    const unpaid = await createPaymentRow(knex, world, { expiresUnix: judged.timestamp });
    const paid = await createPaymentRow(knex, world, { expiresUnix: judged.timestamp });
    const later = await createPaymentRow(knex, world, { expiresUnix: judged.timestamp + 1 });
    await commit(blocks, [eventOf('paid', paid, blocks[0]!, { logIndex: 1 })]);
    expect(await due(judged)).toEqual([unpaid.id, paid.id].sort());
    await judge({ ...judged, hash: hex(32) }, [[unpaid, 'open']]);
    expect(await status(unpaid)).toBe('pending');
    const verdicts: [PaymentRow, DealVerdict][] = [
      [unpaid, 'absent'],
      [paid, 'paid'],
      [later, 'absent'],
    ];
    await judge(judged, verdicts);
    await judge(judged, verdicts);
    expect([await status(unpaid), await status(paid), await status(later)]).toEqual([
      'expired',
      'completed',
      'pending',
    ]);
    expect(await logTypes(unpaid)).toEqual(['payment_created', 'payment_expired']);
  });

  it('pages past undecided payments', async () => {
    const blocks = chainOf(1, 4);
    const payments: PaymentRow[] = [];
    for (let i = 0; i < 5; i += 1) payments.push(await createPaymentRow(knex, world, { expiresUnix: 1 }));
    await commit(blocks);
    const ids = payments.map(({ id }) => id).sort();
    const first = await store.candidates(lease, blocks[1]!, { after: null, limit: 3 });
    const second = await store.candidates(lease, blocks[1]!, { after: first[2]!.paymentId, limit: 3 });
    expect([...first, ...second].map(({ paymentId }) => paymentId)).toEqual(ids);
    expect(first[0]).toMatchObject({ isActive: true, told: { paid: false } });
  });
});

describe('an event that Carat did not request', () => {
  const known = { kind: 'registry_paused', message: 'The registry was paused', data: { by: '0x1' } } as const;

  it('is written with its round, once for each key, and the round returns the new ones', async () => {
    const [first, second] = chainOf(1, 2) as [BlockHeader, BlockHeader];
    const round = { rewindTo: null, events: [], confirmedNumber: null };
    const alert = { ...known, subject: hex(32) };
    const twice = [alert, alert];
    expect(await store.commit(lease, { ...round, headers: [first], alerts: twice })).toEqual([known]);
    const again = [...twice, { kind: 'facet_revoked', subject: hex(32), message: 'A facet' } as const];
    expect(await store.commit(lease, { ...round, headers: [second], alerts: again })).toEqual([
      { kind: 'facet_revoked', message: 'A facet', data: {} },
    ]);
    expect(await store.alert(lease, alert)).toEqual([]);
    const rows = await knex('alerts').where({ network_id: world.networkId });
    expect(rows.map(({ kind }) => kind as string)).toEqual(['registry_paused', 'facet_revoked']);
  });

  it('is an alert, too, for deals and payments that a reorganisation removed', async () => {
    const payment = await createPaymentRow(knex, world);
    const blocks = chainOf(1, 6);
    const events = [eventOf('created', payment, blocks[0]!), eventOf('paid', payment, blocks[1]!)];
    const raised = await commit(blocks, events);
    expect(raised.map(({ kind }) => kind)).toEqual(['deal_not_asked_for']);
    await judge(blocks[3]!, [[payment, 'paid']]);
    const reversed = await commit(chainOf(2, 6, blocks[0]!.hash), [], 1);
    expect(reversed.map(({ kind }) => kind)).toEqual(['payment_reversed']);
  });

  it("is sought among the cuts of Carat's diamonds only, however many others there are", async () => {
    const foreign = Array.from({ length: 1_000 }, () => ({ diamond: hex(20), transactionHash: hex(32) }));
    const own = { diamond: world.diamondAddress, transactionHash: hex(32) };
    expect(await store.cutsOfOurs(lease, [...foreign, own, ...foreign])).toEqual([{ index: 1_000, isWanted: false }]);
    expect(await store.cutsOfOurs(lease, foreign)).toEqual([]);
    const other = await store.acquire((await createWorld(knex)).networkId);
    expect(await store.cutsOfOurs(other, [own])).toEqual([]);
  });
});

it('writes of a run whose lease was taken are refused', async () => {
  const newer = await store.acquire(world.networkId);
  const blocks = chainOf(1, 1);
  await expect(commit(blocks)).rejects.toBeInstanceOf(LeaseLostError);
  await store.commit(newer, { rewindTo: null, headers: blocks, events: [], alerts: [], confirmedNumber: null });
  expect(await store.cursor(newer)).toEqual({
    number: 1,
    hash: blocks[0]!.hash,
    confirmedNumber: null,
    isIdle: true,
    isHalted: false,
    restoredAt: null,
  });
});
