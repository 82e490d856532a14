import { Webhook } from 'standardwebhooks';
import { startApi } from '../api/support/api-under-test.ts';
import { created } from '../api/support/answers.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { startSender } from '../support/sender.ts';

/* Changes that a merchant makes over the API while deliveries are in flight, and what receivers get. */

const masterKey = new Uint8Array(32).fill(11);
const api = await startApi({ masterKey });
const { token } = await api.actor('shop');
let one: Receiver;
let other: Receiver;

beforeEach(async () => {
  [one, other] = await Promise.all([startReceiver(), startReceiver()]);
});
afterEach(() => Promise.all([one.close(), other.close()]));

const call = (method: string, path: string, json?: Record<string, unknown>) =>
  api.call(method, `/api/v1/${path}`, { token, ...(json === undefined ? {} : { json }) });

/** A webhook that leads to the first receiver, and the creation of a payment that it was not told of yet. */
const pending = async () => {
  const wallet = await api.wallet({ token, nodeId: api.ids.nodes.shop! } as never);
  const body = api.webhookBody(wallet, { host: one.origin, events: ['payment.created'] });
  const webhook = await created(call('POST', 'webhooks', body));
  const payment = await created(call('POST', 'payments', api.paymentBody({ wallet_id: wallet.id })));
  return { webhook, payment };
};
const put = (id: string, change: Record<string, unknown>) => call('PUT', 'webhooks', { id, ...change });
const states = (id: string) => api.knex('webhook_deliveries').where({ webhook_id: id }).orderBy('id').pluck('state');

/** Lets a sender work until nothing is pending. */
const sendAll = async (): Promise<void> => {
  const sender = startSender(api.knex, masterKey);
  try {
    await eventually(async () => (await api.knex('webhook_deliveries').where({ state: 'pending' })).length === 0);
  } finally {
    await sender.stop();
  }
};
const verify = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

it("an event goes to the webhook's present address, with its present credentials", async () => {
  const { webhook, payment } = await pending();
  await put(webhook.id, { host: other.origin, success_path: '/moved', auth_token: 'another' });
  await sendAll();
  expect(one.received).toEqual([]);
  const [got] = other.received;
  expect([got!.path, got!.headers.authorization]).toEqual(['/moved', 'Bearer another']);
  expect(readEvent(got!.body)).toMatchObject({ type: 'payment.created', data: { payment: { id: payment.id } } });
  const detail = await call('GET', `webhooks/${webhook.id}/deliveries?state=delivered`);
  const { body } = await call('GET', `webhooks/${webhook.id}/deliveries/${detail.body.items[0].id}`);
  expect(body.request).toMatchObject({ url: `${other.origin}/moved`, body: got!.body });
  for (const [name, value] of Object.entries(body.request.headers))
    expect([name, got!.headers[name]]).toEqual([name, value]);
  expect(body.tries).toEqual([expect.objectContaining({ status: 204, error: null, response: '' })]);
});

it('an event of a disabled webhook is not sent, even after it is enabled again, except by a replay', async () => {
  const { webhook } = await pending();
  await put(webhook.id, { is_active: false });
  await sendAll();
  await put(webhook.id, { is_active: true });
  await sendAll();
  expect([one.received, await states(webhook.id)]).toEqual([[], ['skipped']]);
  const time = { from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' };
  expect((await call('POST', `webhooks/${webhook.id}/replay`, time)).body.count).toBe(1);
  await sendAll();
  expect(one.received).toHaveLength(1);
});

it('an event of a deleted webhook is never sent', async () => {
  const { webhook } = await pending();
  await call('DELETE', 'webhooks', { id: webhook.id });
  await sendAll();
  expect([one.received, await states(webhook.id)]).toEqual([[], ['canceled']]);
});

it('an event has the same id and the same bytes each time it is sent', async () => {
  const { webhook } = await pending();
  await sendAll();
  const [{ id }] = await api.knex('webhook_deliveries').where({ webhook_id: webhook.id });
  await call('POST', `webhooks/${webhook.id}/deliveries/${id}/redeliver`);
  await sendAll();
  const [first, again] = one.received as [Received, Received];
  expect(again.body).toBe(first.body);
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id']);
  const { body } = await call('GET', `webhooks/${webhook.id}/deliveries/${id}`);
  expect([body.state, body.attempts, body.tries.length]).toEqual(['delivered', 1, 2]);
});

it('a test event has no payment and goes to the success path', async () => {
  const { webhook } = await pending();
  await call('POST', `webhooks/${webhook.id}/test`);
  await sendAll();
  const test = one.received.find(({ body }) => body.includes('webhook.test'))!;
  expect(test.path).toBe('/paid');
  expect(readEvent(test.body)).toMatchObject({ type: 'webhook.test', sequence: null, data: { payment: null } });
});

it('an event is signed with both secrets for a day after a rotation, and with the new one alone from then on', async () => {
  const { webhook } = await pending();
  const { signing_secret: fresh } = (await call('POST', `webhooks/${webhook.id}/rotate-secret`)).body;
  await sendAll();
  const [during] = one.received as [Received];
  for (const secret of [webhook.signing_secret, fresh]) expect(verify(secret, during)).toEqual(JSON.parse(during.body));
  const row = api.knex('webhook_configurations').where({ id: webhook.id });
  await row.update({ previous_signing_secret_until: new Date(Date.now() - 1_000) });
  await call('POST', `webhooks/${webhook.id}/test`);
  await sendAll();
  const after = one.received.at(-1)!;
  expect(verify(fresh, after)).toEqual(JSON.parse(after.body));
  expect(() => verify(webhook.signing_secret, after)).toThrow('signature');
});
