import { requestCancel } from '../../db/payments/cancel.ts';
import { insertDealIntents } from '../../db/intents/deals.ts';
import { createLaneStore } from '../../db/lane/store.ts';
import { requestRetry } from '../../db/payments/retry.ts';
import { transition, type TransitionRequest } from '../../db/payments/transition.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import type { Timelines } from '../../workflows/timeline.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, hex, type PaymentRow } from '../support/fixtures.ts';
import { saveHistory } from '../support/histories.ts';
import { startWorkflowWorld } from '../support/workflow-worker.ts';

const { knex, world, worker } = await startWorkflowWorld();

/** Writes a transition as watcher or lane do, with its hashes. */
const move = (payment: PaymentRow, name: TransitionRequest['name']): Promise<string[]> =>
  knex.transaction((trx) =>
    transition(trx, {
      name,
      where: 'p.id = :payment_id',
      bindings: { payment_id: payment.id, tx: hex(32), hash: hex(32) },
      data: `jsonb_build_object('transaction_hash', :tx::text, 'block_number', 7, 'block_hash', :hash::text)`,
      actor: { type: 'chain' },
    }),
  );

const make = async (options: Parameters<typeof createPaymentRow>[2] = {}): Promise<PaymentRow> => {
  const payment = await createPaymentRow(knex, world, options);
  // Other tests cover the workflow of its creation; here its command is removed.
  await knex('outbox').where({ payment_id: payment.id }).delete();
  await insertDealIntents(knex, [payment.id]);
  return payment;
};

/** Gives everything that is queued a nonce. */
const assign = async (): Promise<void> => {
  const store = createLaneStore(knex);
  const lease = await store.acquire(world.operatorAccountId);
  const intents = await store.queued(lease, 100);
  await store.assign(lease, 0, [{ to: world.diamondAddress, intents, gasLimit: 100_000n, encode: () => '0x00' }]);
};

/** Dispatches the rows of the outbox, and waits until they are delivered. */
const tell = async (payment: PaymentRow): Promise<void> => {
  worker.dispatcher.now();
  await eventually(async () => {
    const left = await knex('outbox')
      .where({ payment_id: payment.id })
      .whereNotNull('workflow_id')
      .whereNull('delivered_at');
    if (left.length > 0) worker.dispatcher.now();
    return left.length === 0;
  });
};

const sequenceOf = async ({ id }: PaymentRow): Promise<number> =>
  (await knex('payments').where({ id }).first('sequence')).sequence;

const cancel = async (payment: PaymentRow) => {
  const accepted = await knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: 'somebody' }));
  expect(accepted).toBe('accepted');
  const handle = worker.client.workflow.getHandle(workflowIds.cancelPayment(payment.id, await sequenceOf(payment)));
  await tell(payment);
  return handle;
};

const retry = async (payment: PaymentRow) => {
  const asked = { paymentId: payment.id, actorId: 'somebody' };
  expect(await knex.transaction((trx) => requestRetry(trx, asked))).toBe('accepted');
  const handle = worker.client.workflow.getHandle(workflowIds.retrySend(payment.id, await sequenceOf(payment)));
  await tell(payment);
  return handle;
};

type Handle = Awaited<ReturnType<typeof cancel>>;

const storyOf = async (handle: Handle, payment: PaymentRow): Promise<string[]> =>
  ((await handle.result()) as Timelines)[payment.id]!.map(({ event_type, status }) => `${event_type}:${status}`);

const intents = async ({ id }: PaymentRow): Promise<string[]> => {
  const rows = await knex('tx_intents').where({ payment_id: id }).orderBy('id');
  return rows.map(({ purpose, state }) => `${purpose} ${state}`);
};

it.each([
  ['cancelPayment', 'Cancel', cancel],
  ['retrySend', 'Retry', retry],
] as const)(
  '%s is found by payment, wallet, node, network and external id, and named for operators',
  async (_, word, ask) => {
    const payment = await make();
    await knex('payments')
      .where({ id: payment.id })
      .update({ external_id: `order-${payment.id}` });
    await assign();
    const handle = await ask(payment);
    const description = await handle.describe();
    const found = description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
    expect(Object.fromEntries(found)).toMatchObject({
      PaymentIds: [payment.id],
      WalletIds: [world.walletId],
      NodeIds: [world.nodeId],
      NetworkId: world.networkId,
      ExternalIds: `order-${payment.id}`,
    });
    expect(await description.staticSummary()).toMatch(`${word} of order-${payment.id}: 1.5 `);
    await move(payment, 'payment_expired');
    await tell(payment);
    await handle.result();
  },
);

const created = 'payment_created:pending';
const requested = 'cancel_requested:canceling';

describe('cancelPayment', () => {
  it('ends a payment that was never sent, in few events', async () => {
    const payment = await make();
    const handle = await cancel(payment);
    expect(await storyOf(handle, payment)).toEqual([created, requested, 'cancel_confirmed:canceled']);
    expect(await intents(payment)).toEqual(['create_deal withdrawn']);
    expect((await handle.fetchHistory()).events!.length).toBeLessThan(16);
    const description = await handle.describe();
    expect(description.typedSearchAttributes.getAll()).toEqual(
      expect.arrayContaining([expect.objectContaining({ value: [payment.id] })]),
    );
    await saveHistory('cancel-payment-before-creation', handle);
  });

  it('ends a payment that is on no chain', async () => {
    const payment = await make({ method: 'bank_transfer' });
    const handle = await cancel(payment);
    expect(await storyOf(handle, payment)).toEqual([created, requested, 'cancel_confirmed:canceled']);
    await saveHistory('cancel-payment-offchain', handle);
  });

  it('follows a payment whose deal is being created until the cancel is confirmed', async () => {
    const payment = await make();
    await assign();
    const handle = await cancel(payment);
    await eventually(async () => (await intents(payment)).includes('cancel_deal queued'));
    await move(payment, 'cancel_confirmed');
    await tell(payment);
    expect(await storyOf(handle, payment)).toEqual([created, requested, 'cancel_confirmed:canceled']);
    await saveHistory('cancel-payment-confirmed', handle);
  });

  it.each([
    ['cancel-payment-lost-race', ['cancel_lost_race:processing', 'payment_confirmed:completed']],
    [
      'cancel-payment-won-after-all',
      ['cancel_lost_race:processing', 'payment_reorged_to_canceling:canceling', 'cancel_confirmed:canceled'],
    ],
    ['cancel-payment-expired', ['payment_expired:expired']],
  ])('shows its outcome: %s', async (name, steps) => {
    const payment = await make();
    await assign();
    const handle = await cancel(payment);
    for (const step of steps) {
      await move(payment, step.split(':')[0] as TransitionRequest['name']);
      await tell(payment);
    }
    const names = steps.map((step) => step.replace('_to_canceling', ''));
    expect(await storyOf(handle, payment)).toEqual([created, requested, ...names]);
    await saveHistory(name, handle);
  });

  it('has nothing to do for a payment that has ended by then', async () => {
    const payment = await make();
    await assign();
    const id = payment.id;
    await knex.transaction((trx) => requestCancel(trx, { paymentId: id, actorId: 'somebody' }));
    await move(payment, 'payment_expired');
    const handle = worker.client.workflow.getHandle(workflowIds.cancelPayment(id, 2));
    await tell(payment);
    expect(await storyOf(handle, payment)).toEqual([created, requested, 'payment_expired:expired']);
    expect(await intents(payment)).toEqual(['create_deal assigned']);
    await saveHistory('cancel-payment-over', handle);
  });
});

describe('retrySend', () => {
  it('follows a payment until it leaves pending', async () => {
    const payment = await make();
    await assign();
    const handle = await retry(payment);
    await eventually(() => knex('tx_slots').whereNotNull('nudged_at').first());
    await move(payment, 'deal_confirmed');
    await tell(payment);
    expect(await storyOf(handle, payment)).toEqual([
      created,
      'retry_requested:pending',
      'deal_confirmed:awaiting_payment',
    ]);
    await saveHistory('retry-send-confirmed', handle);
  });

  it('requests a new deal for a withdrawn one, and ends when the payment does', async () => {
    const payment = await make();
    await knex('tx_intents').where({ payment_id: payment.id }).update({ state: 'withdrawn' });
    const handle = await retry(payment);
    await eventually(async () => (await intents(payment)).join() === 'create_deal withdrawn,create_deal queued');
    await move(payment, 'deal_failed');
    await tell(payment);
    expect(await storyOf(handle, payment)).toEqual([created, 'retry_requested:pending', 'deal_failed:failed']);
    await saveHistory('retry-send-failed', handle);
  });

  it('gives way to a later retry', async () => {
    const payment = await make();
    const first = await retry(payment);
    await assign();
    const { slot_id } = await knex('tx_intents').where({ payment_id: payment.id }).first();
    await knex('tx_slot_logs').insert({ slot_id, event_type: 'transaction_sent', data: '{}' });
    const second = await retry(payment);
    expect((await storyOf(first, payment)).at(-1)).toBe('retry_requested:pending');
    expect(await knex('payment_followers').where({ payment_id: payment.id }).pluck('workflow_id')).toEqual([
      second.workflowId,
    ]);
    await move(payment, 'deal_confirmed');
    await tell(payment);
    expect((await storyOf(second, payment)).at(-1)).toBe('deal_confirmed:awaiting_payment');
    await saveHistory('retry-send-again', first);
  });

  it('has nothing to do for a payment that has left pending by then', async () => {
    const payment = await make();
    const id = payment.id;
    await knex.transaction((trx) => requestRetry(trx, { paymentId: id, actorId: 'somebody' }));
    await knex.transaction((trx) => requestCancel(trx, { paymentId: id, actorId: 'somebody' }));
    const handle = worker.client.workflow.getHandle(workflowIds.retrySend(id, 2));
    await tell(payment);
    expect((await storyOf(handle, payment)).slice(0, 3)).toEqual([created, 'retry_requested:pending', requested]);
    expect(await intents(payment)).toEqual(['create_deal withdrawn']);
    await saveHistory('retry-send-over', handle);
  });
});
