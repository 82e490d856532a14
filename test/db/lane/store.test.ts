import knexFactory, { type Knex } from 'knex';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { createLaneStore } from '../../../db/lane/store.ts';
import { transition } from '../../../db/payments/transition.ts';
import { createWatchStore } from '../../../db/watcher/store.ts';
import type { LaneStore, MinedSlot, QueuedIntent, Slot } from '../../../domain/ports/lane.ts';
import type { DealVerdict } from '../../../domain/deal.ts';
import { LeaseLostError, type Lease } from '../../../domain/ports/lease.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, createWorld, hex, type PaymentRow, type World } from '../../support/fixtures.ts';

let knex: Knex;
let store: LaneStore;
let world: World;
let lease: Lease;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url });
  store = createLaneStore(knex);
});

afterAll(() => knex.destroy());

beforeEach(async () => {
  world = await createWorld(knex, { confirmations: 1 });
  lease = await store.acquire(world.operatorAccountId);
});

const encode = (intents: readonly QueuedIntent[]): string => `0x${'ab'.repeat(intents.length)}`;

const plan = (intents: readonly QueuedIntent[]) => ({ to: hex(20), intents, gasLimit: 100_000n, encode });

const enqueued = async (count: number, options = {}): Promise<PaymentRow[]> => {
  const payments: PaymentRow[] = [];
  for (let i = 0; i < count; i += 1) payments.push(await createPaymentRow(knex, world, options));
  await insertDealIntents(
    knex,
    payments.map((payment) => payment.id),
  );
  return payments;
};

/** Assigns, signs and mines everything that is queued in one slot; the block is confirmed and has no log of it. */
const mineSilently = async (
  allWait: MinedSlot['allWait'] = null,
  receiptStatus: MinedSlot['receiptStatus'] = 1,
): Promise<Slot> => {
  const [slot] = await store.assign(lease, 0, [plan(await store.queued(lease, 100))]);
  await store.saveAttempts(lease, [
    {
      slotId: slot!.id,
      seq: 1,
      txHash: hex(32),
      raw: hex(100),
      gasLimit: 100_000n,
      maxFeePerGas: 10n,
      maxPriorityFeePerGas: 1n,
    },
  ]);
  const blockHash = hex(32);
  await store.recordMined(lease, [
    {
      slotId: slot!.id,
      txHash: hex(32),
      blockNumber: 1,
      blockHash,
      receiptStatus,
      gasUsed: 50_000n,
      effectiveGasPrice: 7n,
      waiting: {},
      allWait,
    },
  ]);
  const watch = createWatchStore(knex);
  const watchLease = await watch.acquire(world.networkId);
  if ((await watch.cursor(watchLease)) === null) {
    await watch.commit(watchLease, {
      rewindTo: null,
      headers: [{ number: 1, hash: blockHash, parentHash: hex(32), timestamp: 1 }],
      events: [],
      alerts: [],
      confirmedNumber: 1,
    });
  } else {
    await knex('block_headers').where({ network_id: world.networkId, number: 1 }).update({ hash: blockHash });
  }
  return slot!;
};

it('enqueueing makes one intent per payment however often it is requested, and only for pending payments', async () => {
  const payments = await enqueued(3);
  const ids = payments.map((payment) => payment.id);
  await Promise.all([1, 2, 3, 4].map(() => insertDealIntents(knex, ids)));
  expect(await store.queued(lease, 100)).toHaveLength(3);
  const rows = await knex('tx_intents').whereIn('payment_id', ids).orderBy('id');
  expect(rows.map((row) => row.idempotency_key)).toEqual([...ids].sort().map((id) => `payment:${id}:create:g1`));
});

it('assigning gives consecutive nonces, never below the chain, and drops withdrawn intents', async () => {
  await enqueued(3);
  const [first, second, third] = await store.queued(lease, 100);
  await knex('tx_intents').where({ id: second!.id }).update({ state: 'withdrawn' });
  const slots = await store.assign(lease, 7, [plan([first!]), plan([second!]), plan([third!])]);
  expect(slots.map((slot) => [slot.nonce, slot.data])).toEqual([
    [7, '0xab'],
    [8, '0xab'],
  ]);
  expect((await store.account(lease)).nextNonce).toBe(9);
  expect(await store.queued(lease, 100)).toEqual([]);
  expect((await store.openSlots(lease)).map((slot) => slot.nonce)).toEqual([7, 8]);
});

it('a run whose lease was taken cannot write', async () => {
  await enqueued(1);
  const intents = await store.queued(lease, 100);
  await store.acquire(world.operatorAccountId);
  await expect(store.assign(lease, 0, [plan(intents)])).rejects.toBeInstanceOf(LeaseLostError);
  expect(await knex('tx_slots').where({ account_id: world.operatorAccountId })).toEqual([]);
});

it('signed bytes are stored with their slot, and sends are counted', async () => {
  await enqueued(1);
  const [slot] = await store.assign(lease, 0, [plan(await store.queued(lease, 100))]);
  const raw = hex(120);
  await store.saveAttempts(lease, [
    {
      slotId: slot!.id,
      seq: 1,
      txHash: hex(32),
      raw,
      gasLimit: 100_000n,
      maxFeePerGas: 2n ** 80n,
      maxPriorityFeePerGas: 3n,
    },
  ]);
  await store.recordSends(lease, [{ slotId: slot!.id, seq: 1, error: null }]);
  await store.recordSends(lease, [{ slotId: slot!.id, seq: 1, error: 'timeout' }]);
  const [open] = await store.openSlots(lease);
  expect(open).toMatchObject({ state: 'signed', nonce: 0, attempts: [{ raw, maxFeePerGas: 2n ** 80n, sends: 2 }] });
});

/** The watcher's verdict on the word of a payment, at the block in which its slot was mined. */
const judgeAs = async ({ id: paymentId }: PaymentRow, verdict: DealVerdict): Promise<void> => {
  const watch = createWatchStore(knex);
  const watchLease = await watch.acquire(world.networkId);
  const [judged] = await watch.headers(watchLease, 1, 1);
  const candidates = await watch.candidates(watchLease, judged!, { after: null, limit: 10 });
  expect(candidates.map((candidate) => candidate.paymentId)).toEqual([paymentId]);
  await watch.judge(watchLease, {
    judged: judged!,
    decided: [{ candidate: candidates[0]!, verdict }],
    sought: [],
    dates: [],
  });
};

it('a create without effect is queued again while retries are left, and then the payment fails', async () => {
  const [payment] = await enqueued(1, { retryCount: 1 });
  for (const expected of ['pending', 'failed']) {
    const slot = await mineSilently();
    await judgeAs(payment!, 'absent');
    expect((await knex('payments').where({ id: payment!.id }).first()).status).toBe(expected);
    expect((await knex('tx_slots').where({ id: slot.id }).first()).state).toBe('confirmed');
  }
  expect(await knex('payments').where({ id: payment!.id }).first()).toMatchObject({
    status_detail: 'deal_not_created',
    retries_used: 1,
    create_generation: 2,
  });
  expect(await store.queued(lease, 100)).toEqual([]);
});

it('a waiting state uses up no retry', async () => {
  const [payment] = await enqueued(1, { retryCount: 0 });
  await mineSilently('network_paused');
  await judgeAs(payment!, 'absent');
  expect(await knex('payments').where({ id: payment!.id }).first()).toMatchObject({
    status: 'pending',
    status_detail: 'network_paused',
    retries_used: 0,
  });
  expect(await store.queued(lease, 100)).toHaveLength(1);
});

it('a payment whose id has other terms on the chain fails', async () => {
  const [payment] = await enqueued(1);
  await mineSilently();
  await judgeAs(payment!, 'conflict');
  expect(await knex('payments').where({ id: payment!.id }).first()).toMatchObject({
    status: 'failed',
    status_detail: 'deal_conflict',
  });
});

it('a deal on the chain is adopted without a log', async () => {
  const [payment] = await enqueued(1);
  await mineSilently();
  await judgeAs(payment!, 'open');
  expect(await knex('payments').where({ id: payment!.id }).first()).toMatchObject({
    status: 'awaiting_payment',
    deal_block_number: '1',
  });
  expect(await knex('tx_intents').where({ payment_id: payment!.id }).first()).toMatchObject({ outcome: 'effective' });
});

it('a transaction mined in a block that never was on the watched chain is sent again', async () => {
  const [payment] = await enqueued(1);
  const slot = await mineSilently();
  await knex('block_headers')
    .where({ network_id: world.networkId, number: 1 })
    .update({ hash: hex(32) });
  const watch = createWatchStore(knex);
  const watchLease = await watch.acquire(world.networkId);
  await watch.commit(watchLease, {
    rewindTo: null,
    events: [],
    alerts: [],
    confirmedNumber: null,
    headers: [{ number: 2, hash: hex(32), parentHash: hex(32), timestamp: 2 }],
  });
  expect((await knex('tx_slots').where({ id: slot.id }).first()).state).toBe('signed');
  expect(await knex('tx_intents').where({ payment_id: payment!.id }).pluck('state')).toEqual(['assigned']);
});

it('a payment shows its waiting reason until it has a slot', async () => {
  const [payment] = await enqueued(1);
  const [intent] = await store.queued(lease, 100);
  await store.recordWaiting(lease, [intent!.id], 'operator_underfunded');
  expect((await knex('payments').where({ id: payment!.id }).first()).status_detail).toBe('operator_underfunded');
  await store.assign(lease, 0, [plan([intent!])]);
  expect((await knex('payments').where({ id: payment!.id }).first()).status_detail).toBeNull();
});

it('no deals of an inactive diamond are queued', async () => {
  world = await createWorld(knex, { diamondStatus: 'deploying' });
  lease = await store.acquire(world.operatorAccountId);
  const [payment] = await enqueued(1);
  expect(await knex('tx_intents').where({ payment_id: payment!.id })).toEqual([]);
});

it('a transaction that failed as a whole, for example out of gas, uses up no retry', async () => {
  const [payment] = await enqueued(1, { retryCount: 0 });
  await mineSilently(null, 0);
  await judgeAs(payment!, 'absent');
  expect(await knex('payments').where({ id: payment!.id }).first()).toMatchObject({
    status: 'pending',
    retries_used: 0,
  });
  expect(await store.queued(lease, 100)).toHaveLength(1);
});

it('a deal on the chain with an unknown transaction is adopted without one', async () => {
  const [payment] = await enqueued(1);
  const slot = await mineSilently();
  await knex('tx_slots').where({ id: slot.id }).update({ tx_hash: null, receipt_status: 0 });
  await judgeAs(payment!, 'open');
  expect(await knex('payments').where({ id: payment!.id }).first()).toMatchObject({
    // At the block at which it was judged.
    status: 'awaiting_payment',
    deal_tx_hash: null,
    deal_block_number: '1',
  });
});

it('a slot whose nonce others have used is closed once the watcher has read that far, and its intent uses up no retry', async () => {
  const [payment] = await enqueued(1, { retryCount: 0 });
  const { id } = await mineSilently();
  const { number, hash } = await knex('watch_cursors').where({ network_id: world.networkId }).first();
  const open = { state: 'signed', tx_hash: null, block_number: null, block_hash: null, receipt_status: null };
  await knex('tx_slots').where({ id }).update(open);
  await store.closeForeign(lease, id, Number(number) + 1);
  expect(await knex('tx_slots').where({ id }).first()).toMatchObject(open);
  for (let times = 0; times < 2; times += 1) await store.closeForeign(lease, id, Number(number));
  expect(await knex('tx_slots').where({ id }).first()).toMatchObject({
    state: 'mined',
    tx_hash: null,
    block_number: number,
    block_hash: hash,
    receipt_status: 0,
  });
  await judgeAs(payment!, 'absent');
  expect(await knex('payments').where({ id: payment!.id }).first()).toMatchObject({
    status: 'pending',
    status_detail: 'lane_paused',
    retries_used: 0,
  });
});

/** Does something in a transaction that begins with a lock, while `other` waits for it. */
const whileItWaits = async (
  lock: (trx: Knex.Transaction) => Promise<unknown>,
  work: (trx: Knex.Transaction) => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<void> => {
  const trx = await knex.transaction();
  try {
    await lock(trx);
    const { rows } = await trx.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid');
    let hasEnded = false;
    const done = other().finally(() => (hasEnded = true));
    const found = await eventually(async () => {
      if (hasEnded) return 'ended';
      const blocked = await knex.raw<{ rows: unknown[] }>(
        'SELECT 1 FROM pg_stat_activity WHERE ? = ANY (pg_blocking_pids(pid))',
        [rows[0]!.pid],
      );
      return blocked.rows.length > 0 && 'waits';
    });
    expect(found).toBe('waits');
    await work(trx);
    await trx.commit();
    await done;
  } finally {
    if (!trx.isCompleted()) await trx.rollback();
  }
};

const expire = (on: Knex, payment: PaymentRow) =>
  transition(on, {
    name: 'payment_expired',
    where: 'p.id = :payment_id',
    bindings: { payment_id: payment.id },
    actor: { type: 'chain' },
  });

/** Expires a payment in a transaction that holds its row while `other` writes about the same payment. */
const whileItExpires = (payment: PaymentRow, other: () => Promise<unknown>): Promise<void> =>
  whileItWaits(
    (trx) => trx.raw('SELECT id FROM payments WHERE id = ? FOR NO KEY UPDATE', [payment.id]),
    (trx) => expire(trx, payment),
    other,
  );

it('a payment that leaves pending while its enqueue waits for the row keeps no live intent', async () => {
  const payment = await createPaymentRow(knex, world);
  await whileItExpires(payment, () => insertDealIntents(knex, [payment.id]));
  expect(await knex('tx_intents').where({ payment_id: payment.id })).toEqual([]);
});

it('a payment that waits to leave pending during its enqueueing keeps no live intent', async () => {
  const payment = await createPaymentRow(knex, world);
  await whileItWaits(
    (trx) => trx.raw('SELECT id FROM payments WHERE id = ? FOR NO KEY UPDATE', [payment.id]),
    (trx) => insertDealIntents(trx, [payment.id]),
    () => knex.transaction((trx) => expire(trx, payment)),
  );
  expect(await knex('tx_intents').where({ payment_id: payment.id }).pluck('state')).toEqual(['withdrawn']);
});

it('a payment enqueued during the activation of its diamond has an intent, though the activation did not see it', async () => {
  world = await createWorld(knex, { diamondStatus: 'deploying' });
  lease = await store.acquire(world.operatorAccountId);
  const payment = await createPaymentRow(knex, world);
  await whileItWaits(
    (trx) => trx('diamonds').where({ wallet_id: world.walletId }).update({ status: 'active' }),
    () => Promise.resolve(),
    () => insertDealIntents(knex, [payment.id]),
  );
  expect(await store.queued(lease, 100)).toHaveLength(1);
});

it("an expiry and a lane that writes the payment's waiting reason never wait for each other", async () => {
  const [payment] = await enqueued(1);
  const [intent] = await store.queued(lease, 1);
  await whileItExpires(payment!, () => store.recordWaiting(lease, [intent!.id], 'lane_paused'));
  expect(await knex('payments').where({ id: payment!.id }).first()).toMatchObject({
    status: 'expired',
    status_detail: null,
  });
});

it('an expiry and a lane that takes a nonce for the payment never wait for each other', async () => {
  const [payment] = await enqueued(1);
  const [intent] = await store.queued(lease, 1);
  await store.recordWaiting(lease, [intent!.id], 'lane_paused');
  await whileItExpires(payment!, async () => expect(await store.assign(lease, 0, [plan([intent!])])).toEqual([]));
  expect(await knex('tx_intents').where({ payment_id: payment!.id }).pluck('state')).toEqual(['withdrawn']);
});

it('a slot is decided intent by intent: a diamond that does not answer delays no other', async () => {
  const [answered, silent] = await enqueued(2);
  const slot = await mineSilently();
  const watch = createWatchStore(knex);
  const watchLease = await watch.acquire(world.networkId);
  const [judged] = await watch.headers(watchLease, 1, 1);
  const candidates = await watch.candidates(watchLease, judged!, { after: null, limit: 10 });
  const candidate = candidates.find(({ paymentId }) => paymentId === answered!.id)!;
  await watch.judge(watchLease, { judged: judged!, decided: [{ candidate, verdict: 'open' }], sought: [], dates: [] });
  const stateOf = async ({ id }: PaymentRow): Promise<unknown[]> =>
    knex('tx_intents').where({ payment_id: id }).pluck('state');
  expect([await stateOf(answered!), await stateOf(silent!)]).toEqual([['settled'], ['assigned']]);
  expect((await knex('payments').where({ id: answered!.id }).first()).status).toBe('awaiting_payment');
  expect((await knex('tx_slots').where({ id: slot.id }).first()).state).toBe('mined');
});

it('a payment brought back to pending by a reorganisation has a live intent, whoever created its deal', async () => {
  const [payment] = await enqueued(1);
  await mineSilently();
  await judgeAs(payment!, 'open');
  // The deal that counts is in a later block than our own transaction, which stays.
  const later = { deal_block_number: 2, deal_block_hash: hex(32), deal_tx_hash: hex(32) };
  const paid = { status: 'processing', paid_block_number: 2, paid_block_hash: hex(32), paid_tx_hash: hex(32) };
  await knex('payments')
    .where({ id: payment!.id })
    .update({ ...later, ...paid });
  const watch = createWatchStore(knex);
  const round = { headers: [], events: [], alerts: [], confirmedNumber: null };
  await watch.commit(await watch.acquire(world.networkId), { rewindTo: 1, ...round });
  expect((await knex('payments').where({ id: payment!.id }).first()).status).toBe('pending');
  expect(await store.queued(lease, 100)).toHaveLength(1);
});
