import { connect } from '../../../db/connection.ts';
import { createLaneStore } from '../../../db/lane/store.ts';
import { startAgain } from '../../../db/recovery/start-again.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { requestRetry, sendAgain } from '../../../db/payments/retry.ts';
import type { Slot } from '../../../domain/ports/lane.ts';
import { workflowIds } from '../../../domain/workflow-ids.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type PaymentRow, type World } from '../../support/fixtures.ts';

let world: World;
const knex = connect((await createTestDatabase()).url, { pool: 10 });
beforeEach(async () => {
  world = await createWorld(knex);
});
afterAll(() => knex.destroy());

const retry = ({ id }: PaymentRow) =>
  knex.transaction((trx) => requestRetry(trx, { paymentId: id, actorId: 'somebody' }));
const rowOf = ({ id }: PaymentRow) => knex('payments').where({ id }).first();
const intentsOf = ({ id }: PaymentRow) => knex('tx_intents').where({ payment_id: id }).orderBy('id');

/** A lane of the world, and its steps. */
const laneOf = async () => {
  const store = createLaneStore(knex);
  const lease = await store.acquire(world.operatorAccountId);
  return {
    /** Gives everything that is queued one nonce. */
    assign: async (): Promise<Slot> => {
      const intents = await store.queued(lease, 100);
      const plan = { to: world.diamondAddress, intents, gasLimit: 100_000n, encode: () => '0x00' };
      return (await store.assign(lease, 0, [plan]))[0]!;
    },
    send: async ({ id }: Slot, seq: number) => {
      await store.saveAttempts(lease, [
        {
          slotId: id,
          gasLimit: 100_000n,
          seq,
          txHash: hex(32),
          raw: '0x00',
          maxFeePerGas: 1n,
          maxPriorityFeePerGas: 1n,
        },
      ]);
      await store.recordSends(lease, [{ slotId: id, seq, error: null }]);
    },
    mined: ({ id }: Slot) =>
      store.recordMined(lease, [
        {
          slotId: id,
          txHash: hex(32),
          blockNumber: 1,
          blockHash: hex(32),
          receiptStatus: 1 as const,
          gasUsed: 1n,
          effectiveGasPrice: 1n,
          waiting: {},
          allWait: null,
        },
      ]),
    nudged: async (): Promise<number[]> =>
      (await store.openSlots(lease)).filter(({ nudgedAt }) => nudgedAt !== null).map(({ nonce }) => nonce),
  };
};

const wanted = async (): Promise<PaymentRow> => {
  const payment = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [payment.id]);
  return payment;
};

it('a retry marks the slot of the deal and those before it, until each has a new attempt', async () => {
  const lane = await laneOf();
  const payments: PaymentRow[] = [];
  const slots: Slot[] = [];
  for (let nonce = 0; nonce < 3; nonce += 1) {
    payments.push(await wanted());
    slots.push(await lane.assign());
    await lane.send(slots[nonce]!, 1);
  }
  expect(await retry(payments[1]!)).toBe('accepted');
  await sendAgain(knex, payments[1]!.id);
  expect(await lane.nudged()).toEqual([0, 1]);
  await lane.send(slots[1]!, 2);
  expect(await lane.nudged()).toEqual([0]);
  // Run twice: a transaction that was sent again since the request is not marked again.
  await sendAgain(knex, payments[1]!.id);
  expect(await lane.nudged()).toEqual([0]);
  await retry(payments[1]!);
  await sendAgain(knex, payments[1]!.id);
  expect(await lane.nudged()).toEqual([0, 1]);
  await lane.mined(slots[0]!);
  expect(await lane.nudged()).toEqual([1]);
  expect(
    await knex('tx_intents').whereIn(
      'payment_id',
      payments.map(({ id }) => id),
    ),
  ).toHaveLength(3);
});

it('a retry leaves alone a deal that is mined or still queued, and uses up no count', async () => {
  const lane = await laneOf();
  const mined = await wanted();
  const slot = await lane.assign();
  await lane.send(slot, 1);
  await lane.mined(slot);
  const queued = await wanted();
  for (const payment of [mined, queued]) {
    expect(await retry(payment)).toBe('accepted');
    await sendAgain(knex, payment.id);
    expect(await intentsOf(payment)).toHaveLength(1);
    expect(await rowOf(payment)).toMatchObject({ create_generation: 1, retries_used: 0 });
  }
  expect(await lane.nudged()).toEqual([]);
});

it('a retry requests a dead deal anew, once, beside the counted retries', async () => {
  const withdrawn = await wanted();
  await knex('tx_intents').where({ payment_id: withdrawn.id }).update({ state: 'withdrawn' });
  const lane = await laneOf();
  const without = await wanted();
  await lane.assign();
  await knex('tx_intents').where({ payment_id: without.id }).update({ state: 'settled', outcome: 'no_effect' });
  const lost = await createPaymentRow(knex, world);
  for (const payment of [withdrawn, without, lost]) {
    await knex('payments').where({ id: payment.id }).update({ retry: false });
    await retry(payment);
    for (let times = 0; times < 2; times += 1) await sendAgain(knex, payment.id);
    const newest = (await intentsOf(payment)).at(-1);
    expect(newest).toMatchObject({ state: 'queued', idempotency_key: `payment:${payment.id}:create:g2` });
    expect(await rowOf(payment)).toMatchObject({ status: 'pending', create_generation: 2, retries_used: 0 });
  }
  // A start that comes late wants nothing more.
  await insertDealIntents(knex, [lost.id]);
  expect(await intentsOf(lost)).toHaveLength(1);
});

it('a retry requests nothing for a deal that has had its effect, nor for a payment that waits for its diamond', async () => {
  const lane = await laneOf();
  const done = await wanted();
  await lane.assign();
  await knex('tx_intents').where({ payment_id: done.id }).update({ state: 'settled', outcome: 'effective' });
  await retry(done);
  await sendAgain(knex, done.id);
  expect(await intentsOf(done)).toHaveLength(1);

  world = await createWorld(knex, { diamondStatus: 'deploying' });
  const waiting = await createPaymentRow(knex, world);
  await knex('payments').where({ id: waiting.id }).update({ status_detail: 'diamond_missing' });
  expect(await retry(waiting)).toBe('accepted');
  await sendAgain(knex, waiting.id);
  expect(await intentsOf(waiting)).toEqual([]);
  expect(await rowOf(waiting)).toMatchObject({ status: 'pending', status_detail: 'diamond_missing' });
});

it("repeated retries are one until there is news of the deal's transaction", async () => {
  const lane = await laneOf();
  const payment = await wanted();
  const askOnAndOn = async (): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => retry(payment)));
    for (let times = 0; times < 92; times += 1) answers.push(await retry(payment));
    return [...new Set(answers)].sort();
  };
  const written = async () => [
    (await rowOf(payment)).sequence,
    (await knex('payment_logs').where({ payment_id: payment.id, event_type: 'retry_requested' })).length,
    (await knex('outbox').where({ payment_id: payment.id, topic: 'command' })).length,
  ];
  expect(await askOnAndOn()).toEqual(['accepted', 'again']);
  expect(await written()).toEqual([2, 1, 1]);
  const slot = await lane.assign();
  await lane.send(slot, 1);
  expect(await askOnAndOn()).toEqual(['accepted', 'again']);
  await sendAgain(knex, payment.id);
  await lane.send(slot, 2);
  expect(await askOnAndOn()).toEqual(['accepted', 'again']);
  expect(await written()).toEqual([4, 3, 3]);
});

it('a retry that Temporal has lost is commanded again while the payment is pending, and at most one follows it', async () => {
  const lane = await laneOf();
  const payment = await wanted();
  await retry(payment);
  await lane.send(await lane.assign(), 1);
  await retry(payment);
  const workflowId = workflowIds.retrySend(payment.id, 3);
  expect(await knex('payment_followers').where({ payment_id: payment.id }).pluck('workflow_id')).toEqual([workflowId]);
  const commands = () => knex('outbox').where({ topic: 'command', workflow_id: workflowId });
  await knex('outbox').update({ delivered_at: new Date(Date.now() - 60_000) });
  await startAgain(knex, []);
  expect(await commands()).toHaveLength(2);
  await knex('outbox').update({ delivered_at: new Date(Date.now() - 600_000) });
  await knex('payments').where({ id: payment.id }).update({ status: 'awaiting_payment' });
  await startAgain(knex, []);
  expect(await commands()).toHaveLength(2);
  expect(await retry(payment)).toBe('refused');
});

it('the newest create has the newest generation, though the clock of its id was set back', async () => {
  const payment = await wanted();
  const [first] = await intentsOf(payment);
  const settled = { state: 'settled', outcome: 'no_effect', settled_at: knex.fn.now() };
  await knex('tx_intents')
    .where({ id: first.id })
    .update({ ...settled, id: `ffffffff${String(first.id).slice(8)}` });
  for (let times = 0; times < 2; times += 1) await sendAgain(knex, payment.id);
  const creates = await knex('tx_intents').where({ payment_id: payment.id }).orderBy('idempotency_key');
  expect(creates.map(({ state }) => state as string)).toEqual(['settled', 'queued']);
  expect(await rowOf(payment)).toMatchObject({ create_generation: 2 });
});

it("repeated retries are one, though the database's clock was set back", async () => {
  const lane = await laneOf();
  const payment = await wanted();
  const slot = await lane.assign();
  await lane.send(slot, 1);
  const later = knex.raw("created_at + interval '10 minutes'");
  await knex('tx_slot_logs').where({ slot_id: slot.id }).update({ created_at: later });
  await knex('tx_attempts').where({ slot_id: slot.id }).update({ created_at: later, last_sent_at: later });
  const answers: string[] = [];
  for (let times = 0; times < 5; times += 1) answers.push(await retry(payment));
  expect(answers).toEqual(['accepted', 'again', 'again', 'again', 'again']);
});
