import { activityInfo } from '@temporalio/activity';
import type { Knex } from 'knex';
import { connect } from '../../db/connection.ts';
import { insertDealIntents } from '../../db/intents/deals.ts';
import { transition, type TransitionRequest } from '../../db/payments/transition.ts';
import { settlePayment } from '../../db/payments/offchain.ts';
import { startGroup } from '../../domain/ports/outbox.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import type { Timelines } from '../../workflows/timeline.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld, hex, type PaymentRow, type World } from '../support/fixtures.ts';
import { saveHistory } from '../support/histories.ts';
import { startWorkflowWorker, type WorkflowWorker } from '../support/workflow-worker.ts';

let knex: Knex;
let world: World;
let worker: WorkflowWorker;
/** Set while the database does not answer the steps inside workflow tasks. */
let isOutOfReach = false;
let refusals = 0;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = connect(url, { pool: 10 });
  world = await createWorld(knex);
  worker = await startWorkflowWorker({
    knex,
    insertDealIntents: (ids) => {
      if (!isOutOfReach || !activityInfo().isLocal) return insertDealIntents(knex, ids);
      refusals += 1;
      return Promise.reject(new Error('Connection terminated: postgres://user:secret@db/carat'));
    },
  });
});

afterAll(async () => {
  await worker.stop();
  await knex.destroy();
});

type Name = TransitionRequest['name'];

/** Writes a transition as lane, watcher or API do, with its hashes. */
const move = (payment: PaymentRow, name: Name, more: Partial<TransitionRequest> = {}): Promise<string[]> =>
  knex.transaction((trx) =>
    transition(trx, {
      name,
      where: 'p.id = :payment_id',
      bindings: { payment_id: payment.id, tx: hex(32), hash: hex(32) },
      data: `jsonb_build_object('transaction_hash', :tx::text, 'block_number', 7, 'block_hash', :hash::text)`,
      actor: { type: 'chain' },
      ...more,
    }),
  );

/** A payment whose workflow runs. */
const start = async (
  options: Parameters<typeof createPaymentRow>[2] = {},
  until: 'enqueued' | 'started' = 'enqueued',
): Promise<PaymentRow> => {
  const payment = await createPaymentRow(knex, world, options);
  const method = options.method ?? 'web3';
  worker.dispatcher.now(startGroup(world.networkId, method));
  await eventually(() => knex('payments').whereNotNull('workflow_id').where({ id: payment.id }).first());
  if (until === 'enqueued' && method === 'web3') {
    await eventually(() => knex('tx_intents').where({ payment_id: payment.id }).first());
  }
  // The membership is stored before the start, so the id alone does not say that Temporal knows the workflow.
  await eventually(() => handleOf(payment).describe());
  return payment;
};

const handleOf = (payment: PaymentRow) => worker.client.workflow.getHandle(workflowIds.createPayment(payment.id));
const events = async (payment: PaymentRow): Promise<string[]> =>
  ((await handleOf(payment).fetchHistory()).events ?? []).map((event) => String(event.eventType));

/** Dispatches the signals one after the other, as on a chain with seconds between its blocks. */
const tell = async (payment: PaymentRow): Promise<void> => {
  worker.dispatcher.now();
  await eventually(async () => {
    const left = await knex('outbox')
      .where({ payment_id: payment.id, topic: 'payment_signal' })
      .whereNull('delivered_at');
    return left.length === 0;
  });
};

const follow = async (payment: PaymentRow, names: readonly Name[]): Promise<void> => {
  for (const name of names) {
    await move(payment, name);
    await tell(payment);
  }
};

const outcome = async (payment: PaymentRow) => {
  const result = (await handleOf(payment).result()) as Timelines;
  return { result, story: result[payment.id]!.map((entry) => `${entry.event_type}:${entry.status}`) };
};

it('createPayment follows a payment to completed, in fewer than 40 events', async () => {
  const payment = await start();
  await follow(payment, ['deal_confirmed', 'payment_detected', 'payment_confirmed']);
  const { result, story } = await outcome(payment);
  expect(story).toEqual([
    'payment_created:pending',
    'deal_confirmed:awaiting_payment',
    'payment_detected:processing',
    'payment_confirmed:completed',
  ]);
  expect(result[payment.id]!.at(-1)).toMatchObject({
    transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    block_number: 7,
    block_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  expect((await events(payment)).length).toBeLessThan(40);
  await saveHistory('create-payment-completed', handleOf(payment));
});

it('createPayment is found by payment, wallet, node, network and final status, and tells an operator the story', async () => {
  const payment = await start();
  const paidIn = hex(32);
  await follow(payment, ['deal_confirmed']);
  await move(payment, 'payment_detected', { data: `jsonb_build_object('transaction_hash', '${paidIn}')` });
  await follow(payment, ['payment_confirmed']);
  await outcome(payment);
  const found = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { workflowId } of worker.client.workflow.list({ query })) ids.push(workflowId);
    return ids;
  };
  const id = workflowIds.createPayment(payment.id);
  for (const query of [
    `PaymentIds = '${payment.id}'`,
    `WalletIds = '${world.walletId}' AND PaymentIds = '${payment.id}'`,
    `NodeIds = '${world.nodeId}' AND PaymentIds = '${payment.id}'`,
    `NetworkId = '${world.networkId}' AND PaymentStatuses = 'completed' AND PaymentIds = '${payment.id}'`,
    // Its external id is its id here.
    `ExternalIds = '${payment.id}'`,
    `TransactionHashes = '${paidIn}'`,
  ]) {
    expect(await eventually(async () => ((await found(query)).length > 0 ? await found(query) : null))).toEqual([id]);
  }
  const description = await handleOf(payment).describe();
  const { name: network } = await knex('networks').where({ id: world.networkId }).first();
  const { symbol } = await knex('currencies').where({ id: world.currencyId }).first();
  const label = `${payment.id}: 1.5 ${symbol} on ${network}`;
  expect(await description.staticSummary()).toBe(`web3 ${label}`);
  expect(await description.staticDetails()).toContain(`- ${label}: payment ${payment.id}, expires 20`);
  const metadata = (await handleOf(payment).query('__temporal_workflow_metadata')) as { currentDetails: string };
  expect(metadata.currentDetails).toMatch(
    /payment_confirmed: \*\*completed\*\*, transaction `0x[0-9a-f]{64}`, block 7/,
  );
});

it("createPayment is found by its payment's status and waiting reason while it runs", async () => {
  const payment = await start();
  const handle = handleOf(payment);
  const words = async (expected: string): Promise<void> => {
    await tell(payment);
    const at = searchAttributes.paymentStatuses;
    const told = await eventually(async () => {
      const now = (await handle.describe()).typedSearchAttributes.get(at);
      return now === expected ? now : null;
    });
    expect(told).toBe(expected);
  };
  const waitFor = (detail: string | null) =>
    knex('payments').where({ id: payment.id }).update({ status_detail: detail, updated_at: knex.fn.now() });
  await words('pending');
  await waitFor('operator_underfunded');
  await words('pending operator_underfunded');
  const { currentDetails } = (await handle.query('__temporal_workflow_metadata')) as { currentDetails: string };
  expect(currentDetails).toContain('- waits: **operator_underfunded**');
  await waitFor(null);
  await words('pending');
  for (const [name, status] of [
    ['deal_confirmed', 'awaiting_payment'],
    ['payment_detected', 'processing'],
    ['payment_reorged', 'awaiting_payment'],
    ['payment_expired', 'expired'],
  ] as const) {
    await move(payment, name);
    await words(status);
  }
  // One for each change: what did not change is not written.
  const upserts = ((await handle.fetchHistory()).events ?? []).filter(
    (event) => event.upsertWorkflowSearchAttributesEventAttributes,
  );
  expect(upserts).toHaveLength(6);
  await saveHistory('create-payment-waited', handle);
});

it('createPayment survives reorganisations that take a payment back', async () => {
  const payment = await start();
  await follow(payment, ['deal_confirmed', 'payment_detected']);
  // As a watcher signals it when the transaction is in the block that replaces the other one.
  await move(payment, 'payment_reorged');
  await follow(payment, ['payment_detected', 'payment_reorged_to_pending', 'payment_detected', 'payment_confirmed']);
  expect((await outcome(payment)).story.slice(2)).toEqual([
    'payment_detected:processing',
    'payment_reorged:awaiting_payment',
    'payment_detected:processing',
    'payment_reorged:pending',
    'payment_detected:processing',
    'payment_confirmed:completed',
  ]);
  expect((await events(payment)).length).toBeLessThan(40);
  await saveHistory('create-payment-reorganised', handleOf(payment));
});

it.each([
  ['expired', ['deal_confirmed', 'payment_expired']],
  ['failed', ['deal_failed']],
  ['canceled', ['deal_confirmed', 'cancel_requested', 'cancel_confirmed']],
] as const)('createPayment ends as %s', async (status, names) => {
  const payment = await start();
  await follow(payment, names);
  expect((await outcome(payment)).story.at(-1)).toBe(`${names.at(-1)!}:${status}`);
  await saveHistory(`create-payment-${status}`, handleOf(payment));
});

it('createPayment follows a group to its last payment, in one workflow for all', async () => {
  const payments: PaymentRow[] = [];
  // A dispatcher that still runs for the test before sees all of them, or none.
  await knex.transaction(async (trx) => {
    for (let i = 0; i < 5; i += 1) payments.push(await createPaymentRow(trx, world));
  });
  worker.dispatcher.now(startGroup(world.networkId, 'web3'));
  const [first] = payments;
  await eventually(() =>
    knex('tx_intents')
      .where({ payment_id: payments.at(-1)!.id })
      .first(),
  );
  for (const payment of payments.slice(1)) await move(payment, 'deal_failed');
  await tell(payments.at(-1)!);
  expect((await handleOf(first!).describe()).status.name).toBe('RUNNING');
  await follow(first!, ['deal_confirmed', 'payment_detected', 'payment_confirmed']);
  const { result } = await outcome(first!);
  expect(Object.keys(result)).toEqual(payments.map((payment) => payment.id));
  expect(payments.map((payment) => result[payment.id]!.at(-1)!.status)).toEqual([
    'completed',
    ...payments.slice(1).map(() => 'failed'),
  ]);
  await saveHistory('create-payment-group', handleOf(first!));
});

it('createPayment accepts repeated and unordered signals', async () => {
  const payment = await start();
  await follow(payment, []);
  await move(payment, 'deal_confirmed');
  await move(payment, 'payment_detected');
  await move(payment, 'payment_confirmed');
  const rows = await knex('outbox').where({ payment_id: payment.id, topic: 'payment_signal' }).orderBy('id');
  const [ready, detected, confirmed] = rows.map((row: { payload: unknown }) => row.payload);
  for (const change of [detected, detected, confirmed, ready, ready]) {
    await handleOf(payment).signal('transitions', [change]);
  }
  expect((await outcome(payment)).story).toEqual([
    'payment_created:pending',
    'deal_confirmed:awaiting_payment',
    'payment_detected:processing',
    'payment_confirmed:completed',
  ]);
  await tell(payment);
  await saveHistory('create-payment-out-of-order', handleOf(payment));
});

it('createPayment reads from the log the transitions that no signal brought', async () => {
  const payment = await start();
  await move(payment, 'deal_confirmed');
  await move(payment, 'payment_detected');
  await move(payment, 'payment_confirmed');
  const rows = await knex('outbox').where({ payment_id: payment.id, topic: 'payment_signal' }).orderBy('id');
  await handleOf(payment).signal('transitions', [(rows.at(-1) as { payload: unknown }).payload]);
  expect((await outcome(payment)).story).toHaveLength(4);
  await saveHistory('create-payment-gap', handleOf(payment));
});

it('createPayment ignores changes of other payments', async () => {
  const payment = await start();
  const change = {
    payment_id: world.walletId,
    sequence: 2,
    event_type: 'deal_failed',
    status: 'failed',
    status_detail: null,
    transaction_hash: null,
    block_number: null,
    block_hash: null,
    at: new Date().toISOString(),
  };
  await handleOf(payment).signal('transitions', [change]);
  await follow(payment, ['deal_failed']);
  expect(Object.keys((await outcome(payment)).result)).toEqual([payment.id]);
});

it('createPayment ends at once when its payments ended before its start', async () => {
  const payment = await createPaymentRow(knex, world);
  await move(payment, 'payment_expired');
  worker.dispatcher.now(startGroup(world.networkId, 'web3'));
  await eventually(() => knex('payments').whereNotNull('workflow_id').where({ id: payment.id }).first());
  expect((await eventually(() => outcome(payment))).story).toEqual([
    'payment_created:pending',
    'payment_expired:expired',
  ]);
  expect(await knex('tx_intents').where({ payment_id: payment.id })).toEqual([]);
  // The signal of that end finds no workflow, and is not tried again and again.
  await tell(payment);
  await saveHistory('create-payment-already-ended', handleOf(payment));
});

it('createPayment requests the deal by an ordinary activity when the local one cannot', async () => {
  isOutOfReach = true;
  const payment = await start();
  isOutOfReach = false;
  expect(refusals).toBeGreaterThan(1);
  await follow(payment, ['deal_failed']);
  await outcome(payment);
  const history = await handleOf(payment).fetchHistory();
  expect(history.events!.some((event) => event.activityTaskScheduledEventAttributes)).toBe(true);
  expect(JSON.stringify(history)).not.toContain('secret');
  await saveHistory('create-payment-local-step-failed', handleOf(payment));
});

it('createPayment expires an off-chain payment by itself', async () => {
  const payment = await start({ method: 'bank_transfer', expiresUnix: Math.floor(Date.now() / 1000) + 2 });
  expect((await outcome(payment)).story).toEqual(['payment_created:pending', 'payment_expired:expired']);
  expect(await knex('payments').where({ id: payment.id }).first()).toMatchObject({ status: 'expired' });
  await tell(payment);
  await saveHistory('create-payment-offchain-expired', handleOf(payment));
});

it('createPayment ends when an off-chain payment is settled in time', async () => {
  const payment = await start({ method: 'bank_transfer' });
  await follow(payment, ['payment_settled']);
  expect((await outcome(payment)).story.at(-1)).toBe('payment_settled:completed');
  await saveHistory('create-payment-offchain-settled', handleOf(payment));
});

it('createPayment ends when the merchant declines an off-chain payment, and never expires it', async () => {
  const payment = await start({ method: 'bank_transfer' });
  const request = { paymentId: payment.id, actorId: 'somebody', outcome: 'failed', reference: 'charge 1' } as const;
  expect(await knex.transaction((trx) => settlePayment(trx, request))).toBe('settled');
  await tell(payment);
  const { result, story } = await outcome(payment);
  expect(story).toEqual(['payment_created:pending', 'payment_settled:failed']);
  expect(result[payment.id]!.at(-1)).toMatchObject({ status_detail: 'declined', transaction_hash: null });
});
