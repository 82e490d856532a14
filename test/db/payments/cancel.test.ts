import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { createLaneStore } from '../../../db/lane/store.ts';
import { startAgain } from '../../../db/recovery/start-again.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { expireOverdueOffchain } from '../../../db/payments/offchain.ts';
import { transition } from '../../../db/payments/transition.ts';
import type { SlotPlan } from '../../../domain/ports/lane.ts';
import type { QueuedIntent } from '../../../domain/ports/lane.ts';
import { workflowIds } from '../../../domain/workflow-ids.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, type PaymentRow, type World } from '../../support/fixtures.ts';

let knex: Knex;
let world: World;
beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 10 });
  world = await createWorld(knex);
});
afterAll(() => knex.destroy());

const actorId = 'somebody';
const cancel = ({ id }: PaymentRow) => knex.transaction((trx) => requestCancel(trx, { paymentId: id, actorId }));
const rowOf = ({ id }: PaymentRow) => knex('payments').where({ id }).first();
const intentsOf = ({ id }: PaymentRow) => knex('tx_intents').where({ payment_id: id }).orderBy('id');
const story = ({ id }: PaymentRow) =>
  knex('payment_logs').where({ payment_id: id }).orderBy('sequence').pluck('event_type');
const plan = (intents: readonly QueuedIntent[]): SlotPlan => ({
  to: world.diamondAddress,
  intents,
  gasLimit: 100_000n,
  encode: () => '0x00',
});

/** Gives everything that is queued a nonce. */
const assign = async (): Promise<void> => {
  const store = createLaneStore(knex);
  const lease = await store.acquire(world.operatorAccountId);
  const queued = await store.queued(lease, 1_000);
  if (queued.length > 0) await store.assign(lease, 0, [plan(queued)]);
};

const sent = async (): Promise<PaymentRow> => {
  const payment = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [payment.id]);
  await assign();
  return payment;
};

it('a payment whose create was in no slot ends without a transaction, however often the cancel is decided', async () => {
  const payment = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [payment.id]);
  expect(await cancel(payment)).toBe('accepted');
  expect(await cancel(payment)).toBe('again');
  // At once: whenever it is decided, no lane has sent it meanwhile.
  expect(await intentsOf(payment)).toMatchObject([{ purpose: 'create_deal', state: 'withdrawn' }]);
  for (let times = 0; times < 2; times += 1) {
    await decideCancel(knex, payment.id);
    expect(await rowOf(payment)).toMatchObject({ status: 'canceled', status_detail: 'canceled_before_creation' });
  }
  expect(await intentsOf(payment)).toMatchObject([{ purpose: 'create_deal', state: 'withdrawn', slot_id: null }]);
  expect(await story(payment)).toEqual(['payment_created', 'cancel_requested', 'cancel_confirmed']);
  expect(await cancel(payment)).toBe('refused');
});

it('a payment that waits for its diamond, or is on no chain, ends in the same way', async () => {
  const waiting = await createWorld(knex, { diamondStatus: 'deploying' });
  const missing = await createPaymentRow(knex, waiting);
  const transfer = await createPaymentRow(knex, world, { method: 'bank_transfer' });
  for (const payment of [missing, transfer]) {
    await insertDealIntents(knex, [payment.id]);
    expect(await cancel(payment)).toBe('accepted');
    await decideCancel(knex, payment.id);
    expect(await intentsOf(payment)).toEqual([]);
  }
  expect(await rowOf(missing)).toMatchObject({ status: 'canceled', status_detail: 'canceled_before_creation' });
  expect(await rowOf(transfer)).toMatchObject({ status: 'canceled', status_detail: null });
});

it('a payment whose create has a nonce gets one cancel behind it, however often the cancel is decided', async () => {
  const payment = await sent();
  expect(await cancel(payment)).toBe('accepted');
  await decideCancel(knex, payment.id);
  await decideCancel(knex, payment.id);
  expect(await rowOf(payment)).toMatchObject({ status: 'canceling' });
  expect(await intentsOf(payment)).toMatchObject([
    { purpose: 'create_deal', state: 'assigned' },
    { purpose: 'cancel_deal', state: 'queued', account_id: world.operatorAccountId },
  ]);
});

it('during the decision on a cancel the lane either has given its create a nonce or never will', async () => {
  for (let round = 0; round < 20; round += 1) {
    const payment = await createPaymentRow(knex, world);
    await insertDealIntents(knex, [payment.id]);
    await Promise.all([assign(), cancel(payment).then(() => decideCancel(knex, payment.id))]);
    const [create, ...cancels] = await intentsOf(payment);
    const { status } = await rowOf(payment);
    expect([create.state, status, cancels.length]).toEqual(
      create.slot_id === null ? ['withdrawn', 'canceled', 0] : ['assigned', 'canceling', 1],
    );
  }
});

it('an ended payment, and one paid for the time being, request no cancel; one that is unpaid again does', async () => {
  const payment = await sent();
  await cancel(payment);
  await decideCancel(knex, payment.id);
  const move = (name: 'cancel_lost_race' | 'payment_expired') =>
    knex.transaction((trx) =>
      transition(trx, {
        name,
        where: 'p.id = :payment_id',
        bindings: { payment_id: payment.id },
        actor: { type: 'chain' },
      }),
    );
  await move('cancel_lost_race');
  expect((await intentsOf(payment)).map((intent) => intent.state)).toEqual(['assigned', 'withdrawn']);
  await decideCancel(knex, payment.id);
  expect(await intentsOf(payment)).toHaveLength(2);
  await knex('payments').where({ id: payment.id }).update({ status: 'canceling' });
  await decideCancel(knex, payment.id);
  expect((await intentsOf(payment)).map((intent) => intent.state)).toEqual(['assigned', 'withdrawn', 'queued']);
  await move('payment_expired');
  expect((await intentsOf(payment)).at(-1)).toMatchObject({ state: 'withdrawn' });
});

it('a cancel and an expiry of a payment on no chain end it once', async () => {
  for (let round = 0; round < 10; round += 1) {
    const payment = await createPaymentRow(knex, world, { method: 'bank_transfer', expiresUnix: 1 });
    const [answer] = await Promise.all([
      cancel(payment).then(async (result) => {
        await decideCancel(knex, payment.id);
        return result;
      }),
      expireOverdueOffchain(knex, [payment.id]),
    ]);
    const { status, sequence } = await rowOf(payment);
    expect(['canceled', 'expired']).toContain(status);
    expect([answer, await story(payment)]).toEqual([
      answer,
      answer === 'refused'
        ? ['payment_created', 'payment_expired']
        : ['payment_created', 'cancel_requested', status === 'canceled' ? 'cancel_confirmed' : 'payment_expired'],
    ]);
    expect(sequence).toBe((await story(payment)).length);
  }
});

it('a cancel that Temporal has lost is commanded again until the payment ends, and never while its workflow runs', async () => {
  await knex('payment_followers').delete();
  const payment = await sent();
  await cancel(payment);
  const workflowId = workflowIds.cancelPayment(payment.id, 2);
  const followers = () => knex('payment_followers').where({ payment_id: payment.id }).pluck('workflow_id');
  expect(await followers()).toEqual([workflowId]);
  const commands = () => knex('outbox').where({ topic: 'command', workflow_id: workflowId }).orderBy('id');
  const open: string[] = [];
  // Not delivered yet.
  await startAgain(knex, open);
  expect(await commands()).toHaveLength(1);
  await knex('outbox').update({ delivered_at: new Date(Date.now() - 60_000) });
  await startAgain(knex, [...open, workflowId]);
  expect(await commands()).toHaveLength(1);
  await startAgain(knex, open);
  const [first, second, ...more] = await commands();
  expect([second.payload, more]).toEqual([first.payload, []]);
  await knex.transaction((trx) =>
    transition(trx, {
      name: 'cancel_confirmed',
      where: 'p.id = :payment_id',
      bindings: { payment_id: payment.id },
      actor: { type: 'chain' },
    }),
  );
  expect(await followers()).toEqual([]);
});
