import knexFactory, { type Knex } from 'knex';
import { diamondCommand, insertCommands } from '../../../db/outbox/commands.ts';
import { forgetDelivered, createOutboxStore } from '../../../db/outbox/outbox.ts';
import { transition } from '../../../db/payments/transition.ts';
import { deleteWebhook } from '../../../db/webhooks/webhooks.ts';
import { insertRetryCommands } from '../../../db/webhooks/deliveries.ts';
import { startGroup, type CommandTopic } from '../../../domain/ports/outbox.ts';
import type { OutboxStore } from '../../../db/outbox/outbox.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, type PaymentRow, type World } from '../../support/fixtures.ts';
import { createWebhookRow } from '../../support/webhooks.ts';

let knex: Knex;
let store: OutboxStore;
let world: World;
let group: string;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url });
  store = createOutboxStore(knex);
});

afterAll(() => knex.destroy());

beforeEach(async () => {
  await knex('outbox').delete();
  world = await createWorld(knex);
  group = startGroup(world.networkId, 'web3');
});

const claiming = { limit: 50, claimMs: 60_000 };
const claimCommands = (topic: CommandTopic) => store.claimCommands(topic, { ...claiming, except: [] });

const paymentRows = async (count: number): Promise<PaymentRow[]> => {
  const payments: PaymentRow[] = [];
  for (let i = 0; i < count; i += 1) payments.push(await createPaymentRow(knex, world));
  return payments;
};

const ready = (payment: PaymentRow) =>
  knex.transaction((trx) =>
    transition(trx, {
      name: 'deal_confirmed',
      where: 'p.id = :payment_id',
      bindings: { payment_id: payment.id },
      actor: { type: 'chain' },
    }),
  );

const signals = () => store.claimSignals({ limit: 16, perWorkflow: 500, claimMs: 60_000, except: [] });

it('a claim takes due payments in order, up to its limit, and names the workflow after the first', async () => {
  const payments = await paymentRows(5);
  expect(await store.startGroups()).toEqual([group]);
  const claim = await store.claimStart(group, { ...claiming, limit: 3 });
  expect(claim!.workflowId).toBe(`payment/${payments[0]!.id}`);
  expect(claim!.commands.map((command) => command.payment_id)).toEqual(
    payments.slice(0, 3).map((payment) => payment.id),
  );
  const rest = await store.claimStart(group, claiming);
  expect(rest!.commands).toHaveLength(2);
  expect(await store.claimStart(group, claiming)).toBeNull();
  expect(await knex('payments').where({ id: payments[2]!.id }).first()).toMatchObject({
    workflow_id: claim!.workflowId,
  });
});

it('a claim sorts its rows by id as a number, also where ids gain a digit', async () => {
  await knex.raw(`SELECT setval(pg_get_serial_sequence('outbox', 'id'), 99998)`);
  const ids = (await paymentRows(3)).map(({ id }) => id);
  const start = await store.claimStart(group, claiming);
  expect(start!.rowIds).toEqual(['99999', '100000', '100001']);
  expect(start!.commands.map((command) => command.payment_id)).toEqual(ids);
});

it('a failed start is claimed again with the same payments, though others have come since', async () => {
  await paymentRows(3);
  const first = await store.claimStart(group, claiming);
  await store.markFailed(first!.rowIds, 'unavailable', 0);
  await paymentRows(2);
  const again = await store.claimStart(group, claiming);
  expect(again).toEqual({ ...first, attempts: 1 });
  await store.markDelivered(again!.rowIds);
  expect((await store.claimStart(group, claiming))!.commands).toHaveLength(2);
});

it('two claimers at once never share a payment', async () => {
  await paymentRows(40);
  const claims = await Promise.all(
    Array.from({ length: 8 }, () => store.claimStart(group, { ...claiming, limit: 10 })),
  );
  const ids = claims.flatMap((claim) => claim?.rowIds ?? []);
  expect(new Set(ids).size).toBe(ids.length);
});

it('a claimed start is due again when its claim expires', async () => {
  await paymentRows(2);
  const claim = await store.claimStart(group, { ...claiming, claimMs: 0 });
  const again = await store.claimStart(group, claiming);
  expect(again!.rowIds).toEqual(claim!.rowIds);
});

it('signals wait for the delivered start and are claimed together, oldest first', async () => {
  const payments = await paymentRows(2);
  for (const payment of payments) await ready(payment);
  expect(await signals()).toEqual([]);
  const start = await store.claimStart(group, claiming);
  expect(await signals()).toEqual([]);
  await store.markDelivered(start!.rowIds);
  const [claim, ...others] = await signals();
  expect(others).toEqual([]);
  expect(claim).toMatchObject({ workflowId: start!.workflowId, attempts: 0 });
  expect(
    claim!.changes.map((entry) => [entry.payment_id, entry.sequence, entry.status, entry.transaction_hash]),
  ).toEqual(payments.map((payment) => [payment.id, 2, 'awaiting_payment', null]));
  expect(await signals()).toEqual([]);
  await store.markFailed(claim!.rowIds, 'later', 0);
  expect((await signals())[0]).toMatchObject({ attempts: 1, rowIds: claim!.rowIds });
});

it('delivered rows stay delivered when their claim expires', async () => {
  const { walletId, networkId, nodeId } = world;
  const expired = { ...claiming, claimMs: 0, except: [] };
  const [payment] = await paymentRows(1);
  await ready(payment!);
  await insertCommands(knex, [diamondCommand({ walletId, networkId, nodeId })]);
  await store.markDelivered((await store.claimStart(group, expired))!.rowIds);
  const told = await store.claimSignals({ ...expired, perWorkflow: 500 });
  const commands = await store.claimCommands('command', expired);
  expect([told.length, commands.length]).toEqual([1, 1]);
  for (const { rowIds } of [...told, ...commands]) await store.markDelivered(rowIds);
  expect([await store.startGroups(), await signals(), await claimCommands('command')]).toEqual([[], [], []]);
  // Nor do they hide new ones.
  await paymentRows(1);
  expect(await store.claimStart(group, claiming)).not.toBeNull();
});

it('all due commands of one workflow make one claim', async () => {
  const { walletId, networkId, nodeId } = world;
  for (let i = 0; i < 3; i += 1) await insertCommands(knex, [diamondCommand({ walletId, networkId, nodeId })]);
  const [claim, ...others] = await claimCommands('command');
  expect(others).toEqual([]);
  expect(claim).toMatchObject({
    workflowId: `diamond/${walletId}/${networkId}`,
    command: { type: 'diamond', input: { walletId, networkId } },
  });
  expect(claim!.rowIds).toHaveLength(3);
  expect(await claimCommands('command')).toEqual([]);
});

describe('the commands of a webhook', () => {
  const undelivered = () => knex('outbox').where({ topic: 'webhook_command', delivered_at: null });

  it('are undelivered one at a time; one requested during a claim is due again', async () => {
    const id = await createWebhookRow(knex, world, 'https://dead.example');
    for (let i = 0; i < 3; i += 1) await insertRetryCommands(knex, [id]);
    expect(await undelivered()).toHaveLength(1);
    const [claim, ...others] = await claimCommands('webhook_command');
    expect([claim, others]).toMatchObject([
      { workflowId: `webhooks/${id}`, command: { type: 'retryWebhooks', input: { webhookId: id } } },
      [],
    ]);
    expect(await claimCommands('command')).toEqual([]);
    // Its workflow may have looked already when this one commits.
    await insertRetryCommands(knex, [id]);
    expect(await undelivered()).toHaveLength(1);
    await store.markDelivered(claim!.rowIds);
    const [again] = await claimCommands('webhook_command');
    expect(again).toMatchObject({ rowIds: claim!.rowIds, attempts: 0 });
    await store.markDelivered(again!.rowIds);
    expect(await undelivered()).toEqual([]);
    await insertRetryCommands(knex, [id]);
    expect(await undelivered()).toHaveLength(1);
  });

  it('are none for a deleted or disabled webhook, even after an earlier one', async () => {
    const [deleted, disabled, alive] = [
      await createWebhookRow(knex, world, 'https://deleted.example'),
      await createWebhookRow(knex, world, 'https://disabled.example'),
      await createWebhookRow(knex, world, 'https://alive.example'),
    ];
    const ids = [deleted, disabled, alive];
    await insertRetryCommands(knex, ids);
    await deleteWebhook(knex, deleted);
    await knex('webhook_configurations').where({ id: disabled }).update({ is_active: false });
    const claims = await claimCommands('webhook_command');
    expect(claims.map(({ workflowId }) => workflowId)).toEqual([`webhooks/${alive}`]);
    expect(await undelivered()).toHaveLength(1);
    await store.markDelivered(claims[0]!.rowIds);
    await insertRetryCommands(knex, ids);
    expect(await undelivered()).toMatchObject([{ workflow_id: `webhooks/${alive}` }]);
  });
});

it('the outbox deletes old commands behind any number that waits', async () => {
  const rows = (delivered: boolean, number: number) =>
    knex.raw(
      `INSERT INTO outbox (topic, group_key, payment_id, payload, created_at, delivered_at)
       SELECT 'payment_signal', 'x', gen_random_uuid(), '{}', now() - interval '8 days', CASE WHEN :delivered THEN now() - interval '8 days' END
       FROM generate_series(1, :number::int)`,
      { delivered, number },
    );
  await knex('outbox').delete();
  await rows(false, 5_000);
  await rows(true, 100);
  while (await forgetDelivered(knex, 7));
  expect(await knex('outbox').count('* AS left').first()).toEqual({ left: '5000' });
  await knex('outbox').delete();
});

it('the outbox deletes commands delivered more than a week ago, and none that waits', async () => {
  const payments = await paymentRows(4);
  const rows = await knex('outbox').orderBy('id').pluck('id');
  const age = (days: number) => knex.raw(`now() - ? * interval '1 day'`, [days]);
  await knex('outbox').update({ created_at: age(30) });
  await knex('outbox')
    .where({ id: rows[0] })
    .update({ delivered_at: age(8) });
  await knex('outbox')
    .where({ id: rows[2] })
    .update({ delivered_at: age(8) });
  await knex('outbox')
    .where({ id: rows[3] })
    .update({ delivered_at: age(6) });
  expect(await forgetDelivered(knex, 7)).toBe(true);
  expect(await forgetDelivered(knex, 7)).toBe(false);
  expect(await knex('outbox').orderBy('id').pluck('id')).toEqual([rows[1], rows[3]]);
  expect((await store.claimStart(group, claiming))!.commands.map((command) => command.payment_id)).toEqual([
    payments[1]!.id,
  ]);
});
