import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { signalAgain } from '../../db/recovery/signal-again.ts';
import { requestCancel } from '../../db/payments/cancel.ts';
import { transition, type TransitionRequest } from '../../db/payments/transition.ts';
import { startGroup } from '../../domain/ports/outbox.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import type { Timelines } from '../../workflows/timeline.ts';
import { recoverWorkflows } from '../../workers/ensure.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, type PaymentRow } from '../support/fixtures.ts';
import { silent, startWorkflowWorld } from '../support/workflow-worker.ts';

const { knex, world, worker } = await startWorkflowWorld();

/** Writes a transition whose signals Temporal has forgotten. */
const moveUnheard = ({ id }: PaymentRow, name: TransitionRequest['name']): Promise<void> =>
  knex.transaction(async (trx) => {
    const where = { where: 'p.id = :payment_id', bindings: { payment_id: id } };
    await transition(trx, { name, ...where, actor: { type: 'chain' } });
    await trx('outbox').where({ payment_id: id, topic: 'payment_signal' }).update({ delivered_at: trx.fn.now() });
  });

/** As if the payment had ended so long ago. */
const endedAgo = async ({ id }: PaymentRow, seconds: number): Promise<void> => {
  await knex('payments')
    .where({ id })
    .update({ terminal_at: new Date(Date.now() - seconds * 1_000) });
  await knex('outbox')
    .where({ payment_id: id })
    .update({
      created_at: new Date(Date.now() - 660_000),
      delivered_at: knex.raw("delivered_at - interval '11 minutes'"),
    });
};

const story = async (workflowId: string, { id }: PaymentRow): Promise<string[]> => {
  const told = (await worker.client.workflow.getHandle(workflowId).result()) as Timelines;
  return told[id]!.map(({ event_type }) => event_type);
};

it('a workflow that has missed the end of its payment is signalled by the recovery, and ends', async () => {
  const payment = await createPaymentRow(knex, world);
  const create = workflowIds.createPayment(payment.id);
  const cancel = workflowIds.cancelPayment(payment.id, 2);
  worker.dispatcher.now(startGroup(world.networkId, 'web3'));
  await eventually(() => knex('tx_intents').where({ payment_id: payment.id }).first());
  await knex('tx_intents').where({ payment_id: payment.id }).update({ state: 'settled', outcome: 'effective' });
  await knex('payments')
    .where({ id: payment.id })
    .update({ deal_block_number: 1, deal_block_hash: '0x', deal_tx_hash: '0x' });
  await knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: 'somebody' }));
  worker.dispatcher.now();
  await eventually(() => knex('tx_intents').where({ payment_id: payment.id, purpose: 'cancel_deal' }).first());
  await moveUnheard(payment, 'cancel_lost_race');
  await moveUnheard(payment, 'payment_confirmed');
  await endedAgo(payment, 120);
  await eventually(async () => {
    await recoverWorkflows({ client: worker.client, taskQueue: worker.taskQueue, knex, log: silent });
    worker.dispatcher.now();
    const statuses = [create, cancel].map((id) => worker.client.workflow.getHandle(id).describe());
    return (await Promise.all(statuses)).every(({ status }) => status.name === 'COMPLETED');
  });
  const steps = ['payment_created', 'cancel_requested', 'cancel_lost_race', 'payment_confirmed'];
  expect([await story(create, payment), await story(cancel, payment)]).toEqual([steps, steps]);
});

it('a workflow is signalled when all of its payments have ended for a while, and not again at once', async () => {
  const [first, second] = [await createPaymentRow(knex, world), await createPaymentRow(knex, world)];
  const running = [
    { workflowId: 'one', paymentIds: [first.id, second.id] },
    { workflowId: 'of nothing', paymentIds: [] },
  ];
  await moveUnheard(first, 'payment_expired');
  await endedAgo(first, 120);
  expect(await signalAgain(knex, running)).toBe(0);
  await moveUnheard(second, 'payment_expired');
  expect(await signalAgain(knex, running)).toBe(0);
  await endedAgo(second, 120);
  expect(await signalAgain(knex, running)).toBe(1);
  expect(await signalAgain(knex, running)).toBe(0);
  const signals = await knex('outbox').where({ workflow_id: 'one' }).orderBy('id');
  expect(signals.map(({ payload }) => [payload.payment_id, payload.sequence, payload.status])).toEqual(
    [first, second]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .flatMap(({ id }) => [
        [id, 1, 'pending'],
        [id, 2, 'expired'],
      ]),
  );
});

it('an operator gets one alert that a workflow was lost, which ends once everything runs again', async () => {
  await knex('alerts').delete();
  const payment = await createPaymentRow(knex, world);
  const handle = async () => {
    const { workflow_id: id } = await knex('payments').where({ id: payment.id }).first();
    return worker.client.workflow.getHandle(id);
  };
  const isRunning = async (): Promise<boolean> => (await (await handle()).describe()).status.name === 'RUNNING';
  const recoverOnce = () => recoverWorkflows({ client: worker.client, taskQueue: worker.taskQueue, knex, log: silent });
  const alerts = () => knex('alerts').select('kind', 'data', 'closed_at');
  worker.dispatcher.now(startGroup(world.networkId, 'web3'));
  await eventually(isRunning);
  await recoverOnce();
  expect(await alerts()).toEqual([]);
  await (await handle()).terminate('by hand');
  await knex('outbox')
    .where({ payment_id: payment.id })
    .update({ delivered_at: new Date(Date.now() - 60_000) });
  await eventually(async () => {
    await recoverOnce();
    return (await alerts()).length > 0;
  });
  await recoverOnce();
  expect(await alerts()).toEqual([
    { kind: 'workflows_lost', closed_at: null, data: expect.objectContaining({ started_again: 1, told_again: 0 }) },
  ]);
  worker.dispatcher.now(startGroup(world.networkId, 'web3'));
  await eventually(isRunning);
  // A pass overlooks workflows that were started in the ten seconds before it, so it says nothing yet about those.
  await recoverOnce();
  expect(await alerts()).toMatchObject([{ closed_at: null }]);
  await knex('alerts').update({ created_at: new Date(Date.now() - 10_000) });
  await eventually(async () => {
    await recoverOnce();
    return (await alerts())[0].closed_at !== null;
  });
  expect(await alerts()).toHaveLength(1);
});

describe('an operator hears of no lost workflow', () => {
  const recoverBy = (client: Client) => recoverWorkflows({ client, taskQueue: worker.taskQueue, knex, log: silent });
  /** The client of a server whose list of workflows is as told. */
  const listing = (list: () => AsyncIterable<unknown>): Client => {
    const workflow = Object.create(worker.client.workflow, { list: { value: list } });
    return Object.create(worker.client, { workflow: { value: workflow } });
  };

  it('when the list of running workflows lacks one that runs', async () => {
    await knex('alerts').delete();
    const payment = await createPaymentRow(knex, world);
    worker.dispatcher.now(startGroup(world.networkId, 'web3'));
    const workflowId = await eventually(async () => {
      const row = await knex('payments').where({ id: payment.id }).first();
      if (row.workflow_id === null) return false;
      const { status } = await worker.client.workflow.getHandle(row.workflow_id).describe();
      return status.name === 'RUNNING' && (row.workflow_id as string);
    });
    await knex('outbox').update({ delivered_at: new Date(Date.now() - 60_000) });
    const before = await knex('outbox').where({ workflow_id: workflowId });
    await recoverBy(listing(async function* () {}));
    expect(await knex('outbox').where({ workflow_id: workflowId })).toHaveLength(before.length);
    expect(await knex('alerts')).toEqual([]);
  });

  it('when the list still has one that has ended', async () => {
    await knex('alerts').delete();
    const payment = await createPaymentRow(knex, world);
    const workflowId = workflowIds.createPayment(randomUUID());
    await moveUnheard(payment, 'payment_expired');
    await endedAgo(payment, 120);
    const ended = { workflowId, typedSearchAttributes: { get: () => [payment.id] } };
    await recoverBy(
      listing(async function* () {
        yield ended;
      }),
    );
    expect(await knex('outbox').where({ workflow_id: workflowId })).toEqual([]);
  });
});

it('a recovery that breaks off still raises an alert with its findings, and the next one adds to it', async () => {
  await knex('alerts').delete();
  const payments = [await createPaymentRow(knex, world), await createPaymentRow(knex, world)];
  // The dispatcher may have started a payment's own workflow by now, so each gets one that does not start.
  const lose = async ({ id }: PaymentRow): Promise<void> => {
    await knex('outbox').where({ payment_id: id }).delete();
    await knex('payments')
      .where({ id })
      .update({ workflow_id: workflowIds.createPayment(randomUUID()) });
  };
  // Payments are looked at before their cancels and retries.
  await knex.raw('ALTER TABLE payment_followers RENAME TO unreadable');
  try {
    for (const [before, payment] of payments.entries()) {
      await lose(payment);
      const looked = recoverWorkflows({ client: worker.client, taskQueue: worker.taskQueue, knex, log: silent });
      await expect(looked).rejects.toThrow('payment_followers');
      expect(await knex('alerts').select('kind', 'data', 'closed_at')).toEqual([
        {
          kind: 'workflows_lost',
          closed_at: null,
          data: expect.objectContaining({ started_again: before + 1, told_again: 0 }),
        },
      ]);
    }
  } finally {
    await knex.raw('ALTER TABLE unreadable RENAME TO payment_followers');
  }
});

it('a lost workflow is started again with all of its payments, though they are far apart and the first pass ends between them', async () => {
  const { id: model } = await createPaymentRow(knex, world);
  const [first, last] = [`00000000${randomUUID().slice(8)}`, `ffffffff${randomUUID().slice(8)}`];
  const workflowId = workflowIds.createPayment(first);
  // Temporal has lost the workflow before its first step; others lie between its payments, and are looked after already.
  await knex.raw(
    `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', n.id, 'external_id', n.id, 'deal_id', n.number,
       'workflow_id', CASE WHEN n.id = ANY(:ends::uuid[]) THEN :workflow_id ELSE 'other' END))).*
     FROM payments p, (SELECT id, number FROM unnest(:ends::uuid[]) WITH ORDINALITY AS e (id, number)
       UNION ALL SELECT uuidv7(), g FROM generate_series(3, 1100) g) n
     WHERE p.id = :model`,
    { ends: [first, last], workflow_id: workflowId, model },
  );
  await knex.raw(
    `INSERT INTO payment_logs (payment_id, sequence, event_type, status, message, actor_type)
     SELECT id, 1, 'payment_created', 'pending', 'told', 'integration' FROM payments WHERE id = ANY(:ends)`,
    { ends: [first, last] },
  );
  await knex.raw(
    `INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload, delivered_at)
     SELECT 'create_payment', 'x', workflow_id, id, '{}', now() FROM payments WHERE workflow_id = 'other'`,
  );
  await knex('outbox').where({ payment_id: model }).delete();
  await knex.raw(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the power fails'; END $$`);
  await knex.raw(
    `CREATE TRIGGER fail BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.payment_id = '${last}') EXECUTE FUNCTION fail()`,
  );
  const look = () => recoverWorkflows({ client: worker.client, taskQueue: worker.taskQueue, knex, log: silent });
  await expect(look()).rejects.toThrow('the power fails');
  worker.dispatcher.now(startGroup(world.networkId, 'web3'));
  await knex.raw('DROP FUNCTION fail CASCADE');
  await eventually(async () => {
    await look();
    worker.dispatcher.now(startGroup(world.networkId, 'web3'));
    return (await knex('tx_intents').whereIn('payment_id', [first, last])).length === 2;
  }, 10_000);
});
