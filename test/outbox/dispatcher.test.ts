import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, ServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { Knex } from 'knex';
import { connect } from '../../db/connection.ts';
import { insertCommands } from '../../db/outbox/commands.ts';
import { createOutboxStore } from '../../db/outbox/outbox.ts';
import { transition } from '../../db/payments/transition.ts';
import { insertRetryCommands } from '../../db/webhooks/deliveries.ts';
import { startGroup } from '../../domain/ports/outbox.ts';
import { createDispatcher, type Dispatcher } from '../../outbox/dispatcher.ts';
import { createTemporalCalls } from '../../outbox/temporal-calls.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { setBack } from '../support/clock.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld, type PaymentRow, type World } from '../support/fixtures.ts';
import { testTemporal } from '../support/temporal.ts';
import { createWebhookRow } from '../support/webhooks.ts';
import { silent } from '../support/workflow-worker.ts';

const { address, namespace, taskQueue } = testTemporal();
let knex: Knex;
let client: Client;
let world: World;
let group: string;
const dispatchers: Dispatcher[] = [];

const dispatcher = (): Dispatcher => {
  const made = createDispatcher({
    outbox: createOutboxStore(knex),
    client,
    taskQueue,
    profile: 'test',
    log: silent,
    deadlineMs: 5_000,
  });
  dispatchers.push(made);
  return made;
};

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = connect(url, { pool: 10 });
  client = createTemporalClient({ address, namespace });
});

// A loop that continued would deliver rows that the next test expects to wait.
afterEach(async () => {
  mock.restoreAll();
  await Promise.all(dispatchers.splice(0).map((made) => made.stop()));
});

afterAll(async () => {
  await client.connection.close();
  await knex.destroy();
});

beforeEach(async () => {
  await knex('outbox').delete();
  world = await createWorld(knex);
  group = startGroup(world.networkId, 'web3');
});

const paymentRows = async (count: number): Promise<PaymentRow[]> => {
  const payments: PaymentRow[] = [];
  for (let i = 0; i < count; i += 1) payments.push(await createPaymentRow(knex, world));
  return payments;
};

const delivered = () => eventually(async () => !(await knex('outbox').whereNull('delivered_at').first()));

/** Which payments each workflow was really started with, by its id. */
const startedWith = async (): Promise<Map<string, string[]>> => {
  const rows = await knex('payments').where({ network_id: world.networkId }).distinct('workflow_id').select();
  const started = new Map<string, string[]>();
  for (const { workflow_id: id } of rows as { workflow_id: string }[]) {
    const { events } = await client.workflow.getHandle(id).fetchHistory();
    const [payload] = events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads!;
    const input = JSON.parse(Buffer.from(payload!.data!).toString()) as { payments: { id: string }[] };
    started.set(
      id,
      input.payments.map((payment) => payment.id),
    );
  }
  return started;
};

const signalsOf = async (payment: PaymentRow): Promise<number> => {
  const row = (await knex('payments').where({ id: payment.id }).first('workflow_id')) as { workflow_id: string };
  const { events } = await client.workflow.getHandle(row.workflow_id).fetchHistory();
  return events!.filter((event) => event.workflowExecutionSignaledEventAttributes).length;
};

const move = (payment: PaymentRow, name: 'deal_confirmed' | 'payment_detected' | 'payment_confirmed') =>
  knex.transaction((trx) =>
    transition(trx, { name, where: 'p.id = :id', bindings: { id: payment.id }, actor: { type: 'chain' } }),
  );

it('a single payment gets a workflow of its own', async () => {
  const [payment] = await paymentRows(1);
  dispatcher().now(group);
  await delivered();
  expect([...(await startedWith())]).toEqual([[`payment/${payment!.id}`, [payment!.id]]]);
});

it('waiting payments share a start, at most 50, each payment once', async () => {
  const payments = await paymentRows(120);
  dispatcher().now(group);
  await delivered();
  const started = await startedWith();
  expect([...started.values()].map((ids) => ids.length).sort((a, b) => b - a)).toEqual([50, 50, 20]);
  expect([...started.values()].flat().sort()).toEqual(payments.map((payment) => payment.id).sort());
});

it('fifty payments with the longest order numbers still fit into one start', async () => {
  const payments = await paymentRows(50);
  for (const [index, { id }] of payments.entries()) {
    const external_id = `${String(index).padStart(3, '0')}${'語'.repeat(252)}`;
    await knex('payments').where({ id }).update({ external_id });
  }
  dispatcher().now(group);
  await delivered();
  expect([...(await startedWith()).values()].map((ids) => ids.length)).toEqual([50]);
});

it('payments that come while a start is under way share the next one', async () => {
  const own = dispatcher();
  const payments: PaymentRow[] = [];
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      payments.push(await createPaymentRow(knex, world));
      own.now(group);
    }),
  );
  await delivered();
  const started = await startedWith();
  expect([...started.values()].flat().sort()).toEqual(payments.map((payment) => payment.id).sort());
  expect(started.size).toBeLessThan(30);
});

it('dispatchers of several processes start each payment once', async () => {
  const several = [dispatcher(), dispatcher(), dispatcher()];
  const payments: PaymentRow[] = [];
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      payments.push(await createPaymentRow(knex, world));
      several[i % 3]!.now(group);
    }),
  );
  await delivered();
  const ids = [...(await startedWith()).values()].flat();
  expect(ids).toHaveLength(60);
  expect(new Set(ids)).toEqual(new Set(payments.map((payment) => payment.id)));
});

it('a dispatcher that nobody notifies looks each second, even if the clock was set back', async () => {
  dispatcher().start();
  setBack(600_000);
  const [payment] = await paymentRows(1);
  expect(await eventually(async () => (await startedWith()).get(`payment/${payment!.id}`), 5_000)).toEqual([
    payment!.id,
  ]);
});

it('a process that dies between claim and start leaves the same start to the next', async () => {
  const payments = await paymentRows(3);
  const claim = await createOutboxStore(knex).claimStart(group, { limit: 50, claimMs: 400 });
  const late = await createPaymentRow(knex, world);
  dispatcher().start();
  await delivered();
  const started = await startedWith();
  expect(started.get(claim!.workflowId)).toEqual(payments.map((payment) => payment.id));
  expect(started.get(`payment/${late.id}`)).toEqual([late.id]);
});

it('a process that dies between a start and its record makes no second start', async () => {
  await paymentRows(2);
  const claim = await createOutboxStore(knex).claimStart(group, { limit: 50, claimMs: 400 });
  await createTemporalCalls({ client, taskQueue, profile: 'test', deadlineMs: 5_000 }).startPayments(claim!);
  const { runId } = await client.workflow.getHandle(claim!.workflowId).describe();
  dispatcher().start();
  await delivered();
  expect((await client.workflow.getHandle(claim!.workflowId).describe()).runId).toBe(runId);
});

it('all transitions that a workflow has not heard are one signal', async () => {
  const own = dispatcher();
  const payments = await paymentRows(5);
  own.now(group);
  await delivered();
  for (const payment of payments) await move(payment, 'deal_confirmed');
  await move(payments[0]!, 'payment_detected');
  await move(payments[0]!, 'payment_confirmed');
  own.now();
  await delivered();
  expect(await signalsOf(payments[0]!)).toBe(1);
});

it('signals reach many workflows', async () => {
  const own = dispatcher();
  const payments: PaymentRow[] = [];
  for (let i = 0; i < 30; i += 1) {
    payments.push(await createPaymentRow(knex, world));
    own.now(group);
    await delivered();
  }
  await Promise.all(payments.map((payment) => move(payment, 'deal_confirmed')));
  own.now();
  await delivered();
  expect(await Promise.all(payments.map(signalsOf))).toEqual(payments.map(() => 1));
});

it('no signal overtakes the start of its workflow', async () => {
  const [payment] = await paymentRows(1);
  await move(payment!, 'deal_confirmed');
  const own = dispatcher();
  own.now();
  own.now();
  own.start();
  await delivered();
  expect(await signalsOf(payment!)).toBe(1);
});

it('a signal to a workflow that has ended counts as delivered', async () => {
  const [payment] = await paymentRows(1);
  const own = dispatcher();
  own.now(group);
  await delivered();
  await client.workflow.getHandle(`payment/${payment!.id}`).terminate();
  await move(payment!, 'deal_confirmed');
  own.now();
  expect(await delivered()).toBe(true);
});

it('a command that Temporal refuses is retried ever more rarely, and delays no other', async () => {
  const command = { type: 'cancelPayment', input: {}, search: {} } as const;
  await insertCommands(knex, [{ workflowId: 'x'.repeat(2_000), command }]);
  const [payment] = await paymentRows(1);
  dispatcher().start();
  await eventually(() => knex('outbox').where({ payment_id: payment!.id }).whereNotNull('delivered_at').first());
  const row = (await eventually(() =>
    knex('outbox').where({ topic: 'command' }).where('attempts', '>', 2).first(),
  )) as {
    last_error: string;
    next_attempt_at: Date;
    delivered_at: Date | null;
  };
  expect(row.delivered_at).toBeNull();
  expect(row.last_error).not.toBe('');
});

/** The server's answer for a workflow that cannot be locked in time. */
const busy = (): Error => {
  const { ResourceExhaustedFailure } = proto.temporal.api.errordetails.v1;
  const cause = proto.temporal.api.enums.v1.ResourceExhaustedCause.RESOURCE_EXHAUSTED_CAUSE_BUSY_WORKFLOW;
  const detail = {
    type_url: 'type.googleapis.com/temporal.api.errordetails.v1.ResourceExhaustedFailure',
    value: ResourceExhaustedFailure.encode({ cause }).finish(),
  };
  const status = Buffer.from(proto.google.rpc.Status.encode({ code: 8, details: [detail] }).finish());
  return Object.assign(new Error('8 RESOURCE_EXHAUSTED: Workflow is busy.'), {
    code: 8,
    details: 'Workflow is busy.',
    metadata: { get: (key: string) => (key === 'grpc-status-details-bin' ? [status] : []) },
  });
};

/** It is given up before the server has an answer, with no word of why. */
const silence = (): Error =>
  Object.assign(new Error('4 DEADLINE_EXCEEDED: context deadline exceeded'), {
    code: 4,
    details: 'context deadline exceeded',
    metadata: { get: () => [] },
  });

it('200 dead webhooks whose workflows are busy delay no cancel and no start', async () => {
  const webhooks: string[] = [];
  for (let i = 0; i < 200; i += 1) webhooks.push(await createWebhookRow(knex, world, `https://dead${i}.example`));
  await insertRetryCommands(knex, webhooks);
  const asked = new Map<string, number>();
  let answered = 0;
  /** While it waits, no busy workflow answers. */
  let gate: Promise<void> = Promise.resolve();
  const troubled = new Client({
    connection: client.connection,
    namespace,
    interceptors: {
      workflow: [
        {
          signalWithStart: async ({ options: { workflowId } }) => {
            asked.set(workflowId, (asked.get(workflowId) ?? 0) + 1);
            // Every second workflow is silent.
            const answer = [...asked.keys()].indexOf(workflowId) % 2 === 0 ? busy() : silence();
            // The server waits so long for the lock of a workflow.
            await delay(500);
            await gate;
            answered += 1;
            throw new ServiceError('Failed to signalWithStart Workflow', { cause: answer });
          },
        },
      ],
    },
  });
  const warnings: string[] = [];
  const log = {
    ...silent,
    warn: (message: string, { what }: { what?: string } = {}) => void warnings.push(`${message}: ${what ?? ''}`),
  };
  const own = createDispatcher({ outbox: createOutboxStore(knex), client: troubled, taskQueue, profile: 'test', log });
  dispatchers.push(own);
  own.start();
  await eventually(() => asked.size >= 8);
  for (let i = 0; i < 5; i += 1) {
    const before = answered;
    await eventually(() => answered > before);
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    const [payment] = await paymentRows(1);
    await insertCommands(knex, [
      { workflowId: `payment/${payment!.id}/cancel/2`, command: { type: 'cancelPayment', input: {}, search: {} } },
    ]);
    own.now();
    await eventually(
      async () => (await knex('outbox').whereNot({ topic: 'webhook_command' }).whereNull('delivered_at')).length === 0,
    );
    held.resolve();
  }
  // It has its own pause and is tried again; the server counts as there.
  const failed = await eventually(async () => {
    const rows = await knex('outbox').where({ topic: 'webhook_command' }).where('attempts', '>', 0);
    return rows.length >= 8 && rows;
  });
  expect(failed.map((row) => row.last_error).join()).toMatch(/Workflow is busy.*DEADLINE|DEADLINE.*Workflow is busy/);
  expect(await knex('outbox').where({ topic: 'webhook_command' }).whereNotNull('delivered_at')).toEqual([]);
  // Each was retried again and again, and is reported once.
  await eventually(() => [...asked.values()].filter((tries) => tries > 2).length >= 8);
  expect(warnings.length).toBeGreaterThanOrEqual(8);
  expect(warnings.length).toBe(new Set(warnings).size);
  expect(warnings.filter((line) => !line.startsWith('A workflow is busy; the call is retried: command'))).toEqual([]);
});

it('a stopped dispatcher takes no command', async () => {
  const own = dispatcher();
  own.start();
  await own.stop();
  await paymentRows(1);
  own.now(group);
  own.now();
  await own.stop();
  expect(await knex('outbox').whereNull('workflow_id').where({ topic: 'create_payment' })).toHaveLength(1);
});
