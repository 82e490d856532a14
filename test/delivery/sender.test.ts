import { mock } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { signingSecretContext } from '../../domain/webhook.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { holdTimers } from '../support/clock.ts';
import { move, startDelivering } from '../support/deliveries.ts';
import { readEvent } from '../support/event-bodies.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { createWebhookRow, newSecret, testEncryption } from '../support/webhooks.ts';

const { knex, delivering } = await startDelivering();
let world: World;
let receiver: Receiver;

beforeEach(async () => {
  world = await createWorld(knex);
  receiver = await startReceiver();
});

afterEach(() => {
  mock.restoreAll();
  return receiver.close();
});

const event = async (name?: Parameters<typeof move>[2]): Promise<string> => {
  const { id } = await createPaymentRow(knex, world);
  expect(await move(knex, id, name)).toEqual([id]);
  return id;
};

const delivered = (webhookId: string) => async () =>
  (await delivering.states(webhookId)).every((state) => state === 'delivered');

const verify = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

it('an event is sent to its receiver and recorded', async () => {
  const webhookId = await createWebhookRow(knex, world, receiver.origin);
  const paymentId = await event();
  await delivering.sendUntil(delivered(webhookId));
  const [got] = receiver.received;
  expect(got?.path).toBe('/unpaid');
  expect(got?.headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer of the merchant' });
  expect(readEvent(got!.body)).toMatchObject({
    type: 'payment.expired',
    api_version: 'v1',
    sequence: 2,
    data: { payment: { id: paymentId, status: 'expired', price: 1.5, price_units: '1500000' } },
  });
  const [row] = await delivering.rows(webhookId);
  expect(row).toMatchObject({ state: 'delivered', attempts: 1 });
  expect(row!.tries).toEqual([
    {
      at: expect.any(String),
      url: `${receiver.origin}/unpaid`,
      status: 204,
      error: null,
      body: '',
      duration_ms: expect.any(Number),
    },
  ]);
  expect(JSON.stringify(row)).not.toContain('of the merchant');
});

it('each text is sent as it was given, whatever characters it has', async () => {
  const secret = newSecret();
  const webhookId = await createWebhookRow(knex, world, receiver.origin, { secret });
  const texts = { external_id: 'a"\\/\u0007\u2028\u202e\u{1F355}e\u0301', metadata: '{"ü":"\ufeff\ufffe\ud7ff"}' };
  const { id } = await createPaymentRow(knex, world);
  await knex('payments').where({ id }).update(texts);
  await move(knex, id);
  await delivering.sendUntil(delivered(webhookId));
  const [got] = receiver.received as [Received];
  expect(verify(secret, got)).toMatchObject({ data: { payment: texts } });
  expect((await knex('webhook_events').where({ payment_id: id }).first()).body).toBe(got.body);
});

it('each webhook of a wallet gets the same body, with its own signature', async () => {
  const secrets = [newSecret(), newSecret()] as const;
  const ids = [
    await createWebhookRow(knex, world, receiver.origin, { secret: secrets[0] }),
    await createWebhookRow(knex, world, receiver.origin.replace('127.0.0.1', 'localhost'), { secret: secrets[1] }),
  ];
  await event();
  await delivering.sendUntil(async () => receiver.received.length === 2);
  const [one, two] = receiver.received as [Received, Received];
  expect(two.body).toBe(one.body);
  expect(two.headers['webhook-id']).toBe(one.headers['webhook-id']);
  const valid = secrets.map((secret) =>
    [one, two].filter((request) => {
      try {
        return verify(secret, request) !== undefined;
      } catch {
        return false;
      }
    }),
  );
  expect(valid.map((requests) => requests.length)).toEqual([1, 1]);
  await delivering.sendUntil(async () => (await Promise.all(ids.map((id) => delivered(id)()))).every(Boolean));
});

it('an event is also signed with the former secret while the secrets overlap', async () => {
  const [before, now] = [newSecret(), newSecret()];
  const webhookId = await createWebhookRow(knex, world, receiver.origin, { secret: now });
  const rotate = (untilMs: number) =>
    knex('webhook_configurations')
      .where({ id: webhookId })
      .update({
        previous_encrypted_signing_secret: testEncryption.encrypt(signingSecretContext(webhookId), before),
        previous_signing_secret_until: new Date(Date.now() + untilMs),
      });
  await rotate(86_400_000);
  await event();
  await delivering.sendUntil(delivered(webhookId));
  const [during] = receiver.received as [Received];
  expect(verify(before, during)).toEqual(verify(now, during));
  await rotate(-1);
  await event();
  await delivering.sendUntil(delivered(webhookId));
  const after = receiver.received[1]!;
  expect(verify(now, after)).toBeDefined();
  expect(() => verify(before, after)).toThrow(/signature/i);
});

it('a receiver that hangs and one that fails do not hold up the others', async () => {
  // The one that hangs would be given up after three seconds.
  holdTimers(3_000);
  let ended = 0;
  const slow = await startReceiver({ answer: (_request, response) => void response.on('close', () => (ended += 1)) });
  const broken = await startReceiver({ answer: (_request, response) => response.writeHead(500).end() });
  const others = [await createWorld(knex), await createWorld(knex)] as const;
  await createWebhookRow(knex, others[0], slow.origin);
  const failing = await createWebhookRow(knex, others[1], broken.origin);
  for (let round = 0; round < 50; round += 1) {
    for (const other of others) await move(knex, (await createPaymentRow(knex, other)).id);
  }
  const webhookId = await createWebhookRow(knex, world, receiver.origin);
  await Promise.all(Array.from({ length: 20 }, () => event()));
  let endedBefore = 0;
  await delivering.sendUntil(async () => {
    endedBefore = ended;
    return delivered(webhookId)();
  });
  expect(endedBefore).toBe(0);
  expect(slow.received.length).toBeLessThanOrEqual(32);
  expect((await delivering.webhook(failing)).failing_since).toEqual(expect.any(Date));
  const command = await knex('outbox').where({ workflow_id: `webhooks/${failing}` });
  expect(command.length).toBeGreaterThan(0);
  expect(command[0]).toMatchObject({
    topic: 'webhook_command',
    payload: { type: 'retryWebhooks', input: { webhookId: failing } },
  });
  await Promise.all([slow.close(), broken.close()]);
});

it('a failed first attempt and the command for its retries are recorded together', async () => {
  receiver.answer((_, response) => response.writeHead(503).end());
  const id = await createWebhookRow(knex, world, receiver.origin);
  await event();
  // Read by one statement, because the cleanup commands overdue retries a little later.
  let recorded: { attempts: number; command: string | null } | undefined;
  await delivering.sendUntil(async () => {
    const { rows } = await knex.raw<{ rows: [NonNullable<typeof recorded>] }>(
      `SELECT d.attempts, (SELECT o.payload ->> 'type' FROM outbox o WHERE o.workflow_id = :workflow) AS command
       FROM webhook_deliveries d WHERE d.webhook_id = :id`,
      { id, workflow: workflowIds.retryWebhooks(id) },
    );
    [recorded] = rows;
    return recorded.attempts > 0;
  });
  expect(recorded).toEqual({ attempts: 1, command: 'retryWebhooks' });
});

it("a pending event goes to its webhook's present address, and nowhere when the webhook is disabled or deleted", async () => {
  const moved = await startReceiver();
  const [updated, disabled, deleted] = [
    await createWebhookRow(knex, world, 'http://127.0.0.1:1'),
    await createWebhookRow(knex, world, receiver.origin),
    await createWebhookRow(knex, world, receiver.origin.replace('127.0.0.1', 'localhost')),
  ];
  await event();
  const configuration = (id: string) => knex('webhook_configurations').where({ id });
  await configuration(updated).update({ host: moved.origin, error_path: '/elsewhere' });
  await configuration(disabled).update({ is_active: false });
  await configuration(deleted).update({
    deleted_at: new Date(),
    encrypted_credentials: null,
    encrypted_signing_secret: null,
  });
  // A later one knows nothing of earlier events.
  const created = await createWebhookRow(knex, world, 'http://127.0.0.1:2');
  await delivering.sendUntil(async () =>
    [await delivering.states(updated), await delivering.states(disabled), await delivering.states(deleted)].every(
      ([state]) => state !== 'pending',
    ),
  );
  expect(await delivering.states(updated)).toEqual(['delivered']);
  expect(await delivering.states(disabled)).toEqual(['skipped']);
  expect(await delivering.states(deleted)).toEqual(['canceled']);
  expect(await delivering.states(created)).toEqual([]);
  expect(moved.received.map(({ path }) => path)).toEqual(['/elsewhere']);
  expect(receiver.received).toEqual([]);
  await moved.close();
});
