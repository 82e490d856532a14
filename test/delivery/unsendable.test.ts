import { raiseAlerts } from '../../db/alerts/alerts.ts';
import { insertTest } from '../../db/webhooks/deliveries.ts';
import { PUT_OFF_MS } from '../../delivery/receiver-queues.ts';
import { operatorWebhookId } from '../../domain/alerts/alert.ts';
import type { Log } from '../../domain/ports/log.ts';
import { move, startDelivering } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { sendToOperator, storeOperator } from '../support/operator.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startSender } from '../support/sender.ts';
import { createWebhookRow, newSecret } from '../support/webhooks.ts';

/* Carat cannot read or render what one delivery needs: damaged rows, or rows restored or written by another version. */

const { knex, delivering } = await startDelivering();
let [world, other]: World[] = [];
let receiver: Receiver;
let told: [string, unknown][] = [];
const log: Log = {
  debug: () => {},
  info: () => {},
  warn: (text, facts) => void told.push([text, facts]),
  error: (text, facts) => void told.push([text, facts]),
};

beforeEach(async () => {
  for (const table of ['webhook_deliveries', 'webhook_events', 'alerts']) await knex(table).delete();
  [world, other] = [await createWorld(knex), await createWorld(knex)];
  receiver = await startReceiver();
  told = [];
});
afterEach(() => receiver.close());

const events = async (of: World, count = 1): Promise<void> => {
  for (let made = 0; made < count; made += 1) await move(knex, (await createPaymentRow(knex, of)).id);
};
const isPutOff = (): boolean => told.some(([text]) => text.endsWith('it is put off'));

/** Sends first attempts in one run until the condition holds. */
const sendUntil = async (done: () => Promise<boolean>): Promise<void> => {
  const sender = startSender(knex, new Uint8Array(32).fill(5), log);
  try {
    await eventually(done);
  } finally {
    await sender.stop();
  }
};

const spoilEvents = (change: object) => async (): Promise<void> => void (await knex('webhook_events').update(change));
const spoilSecrets = async (webhookId: string): Promise<void> =>
  void (await knex('webhook_configurations')
    .where({ id: webhookId })
    .update({ encrypted_credentials: Buffer.alloc(64, 1) }));

describe.each([
  ['an event without a part of its snapshot', spoilEvents({ type: 'checkout.completed', snapshot: '{}' }), 5],
  ['an event with a time that is none', spoilEvents({ snapshot: knex.raw(`snapshot - 'expires_at'`) }), 5],
  ['an event that fails its statement', spoilEvents({ snapshot: { is_test: 'neither' } }), 5],
  ['secrets of another master key', spoilSecrets, 0],
])('beside %s', (_, spoil, delivered) => {
  it('all other deliveries arrive, and its receiver does not count as failing', async () => {
    const spoilt = await createWebhookRow(knex, other!, receiver.origin.replace('127.0.0.1', 'localhost'));
    const healthy = await createWebhookRow(knex, world!, receiver.origin);
    await events(other!);
    await spoil(spoilt);
    await events(world!, 5);
    await events(other!, 5);
    const countOf = async (id: string): Promise<number> =>
      (await delivering.states(id)).filter((state) => state === 'delivered').length;
    await sendUntil(async () => isPutOff() && (await countOf(healthy)) === 5 && (await countOf(spoilt)) === delivered);
    expect((await delivering.webhook(spoilt)).failing_since).toBeNull();
    expect((await delivering.rows(spoilt))[0]).toMatchObject({ state: 'pending', attempts: 0, tries: [] });
  });
});

it('the retries of a failing webhook put off such an event and send the others', async () => {
  const webhookId = await createWebhookRow(knex, world!, receiver.origin, { failingSince: new Date() });
  await events(world!);
  await spoilEvents({ snapshot: '{}' })();
  await events(world!, 5);
  await knex('webhook_deliveries').update({ attempts: 1 });
  const later = await delivering.retry(webhookId);
  expect(await delivering.states(webhookId)).toEqual(['pending', ...Array(5).fill('delivered')]);
  expect((await delivering.rows(webhookId))[0]).toMatchObject({ attempts: 1, tries: [] });
  expect(later).toBe(PUT_OFF_MS);
});

it('a retry that is put off does not delay the next one of its webhook', async () => {
  const webhookId = await createWebhookRow(knex, world!, receiver.origin, { failingSince: new Date() });
  await events(world!);
  await knex('webhook_events').update({ snapshot: '{}' });
  await knex('webhook_deliveries').update({ attempts: 1 });
  await events(world!);
  const inThree = knex.raw(`clock_timestamp() + interval '3 seconds'`);
  await knex('webhook_deliveries').where({ attempts: 0 }).update({ attempts: 1, due_at: inThree });
  expect(await delivering.retry(webhookId)).toBeLessThanOrEqual(3_000);
});

it('a test that cannot be sent tells so, and ends', async () => {
  const webhookId = await createWebhookRow(knex, world!, receiver.origin);
  await spoilSecrets(webhookId);
  await knex.transaction((trx) => insertTest(trx, webhookId, { type: 'webhook.test', told: null }));
  await sendUntil(async () => (await delivering.states(webhookId)).join() === 'failed');
  expect((await delivering.rows(webhookId))[0]!.tries).toMatchObject([{ status: null, error: 'secret_unreadable' }]);
});

it("one of the operator's alerts is put off, and the others arrive", async () => {
  await storeOperator(knex, `${receiver.origin}/alerts`, newSecret());
  const raise = (key: string) =>
    raiseAlerts(knex, world!.networkId, [{ kind: 'network_halted', subject: key, message: `It is halted: ${key}` }]);
  await raise('first');
  await spoilEvents({ snapshot: '{}' })();
  for (const key of ['a', 'b', 'c']) await raise(key);
  const sender = sendToOperator(knex, log);
  const states = () => delivering.states(operatorWebhookId);
  try {
    await eventually(async () => (await states()).join() === 'pending,delivered,delivered,delivered');
  } finally {
    await sender.stop();
  }
  expect(isPutOff()).toBe(true);
  expect(receiver.received.map(({ body }) => /halted: [abc]/.test(body))).toEqual([true, true, true]);
});
