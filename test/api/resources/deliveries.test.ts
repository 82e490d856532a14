import { randomUUID } from 'node:crypto';
import { createDeliveryStore } from '../../../db/webhooks/delivery-store.ts';
import { standingEvents } from '../../../domain/webhook.ts';
import { codeOf, created, idsOf, pathsOf } from '../support/answers.ts';
import { startApi, type Actor } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const branch = await api.actor('branch');
const rival = await api.actor('rival');
const wallet = await api.wallet(shop);
const network_id = api.ids.networks.A!;

type Fields = Record<string, unknown>;
const call = (method: string, path: string, json?: Fields, { token }: Pick<Actor, 'token'> = shop, headers = {}) =>
  api.call(method, `/api/v1/${path}`, { token, headers, ...(json === undefined ? {} : { json }) });
const newWebhook = (change: Fields = {}, by = shop) =>
  created(call('POST', 'webhooks', api.webhookBody(wallet, { events: ['payment.created'], ...change }), by));
const newPayment = (change: Fields = {}) =>
  created(call('POST', 'payments', api.paymentBody({ wallet_id: wallet.id, ...change })));
const deliveriesOf = ({ id }: { id: string }, query = '', by: Pick<Actor, 'token'> = shop) =>
  call('GET', `webhooks/${id}/deliveries${query}`, undefined, by);
const rowsOf = ({ id }: { id: string }) => api.knex('webhook_deliveries').where({ webhook_id: id }).orderBy('id');
const statesOf = async (webhook: { id: string }) => (await rowsOf(webhook)).map(({ state }) => state);

/** A webhook that was told of the creation of each of so many payments. */
const told = async (count: number, change: Fields = {}) => {
  const webhook = await newWebhook(change);
  const payments = [];
  for (let made = 0; made < count; made += 1) payments.push(await newPayment());
  return { webhook, payments };
};

const attempt = {
  at: '2026-11-22T12:00:00.000Z',
  url: 'https://shop.example/paid',
  status: 503,
  error: null,
  body: 'try later',
  duration_ms: 41,
};
const settle = (delivery: string, state: string) =>
  api
    .knex('webhook_deliveries')
    .where({ id: delivery })
    .update({
      state,
      attempts: 10,
      tries: JSON.stringify([attempt]),
      delivered_at: state === 'delivered' ? new Date() : null,
    });

describe('the deliveries of a webhook', () => {
  it('are listed newest first, by page and by cursor, and by state, type, payment and time', async () => {
    const { webhook, payments } = await told(3);
    await call('POST', `webhooks/${webhook.id}/test`);
    const all = (await deliveriesOf(webhook)).body;
    expect(all.items.map(({ payment_id }: Fields) => payment_id)).toEqual([
      null,
      ...payments.map(({ id }) => id).toReversed(),
    ]);
    expect(all).toMatchObject({ total: 4, page: 1, next_cursor: null });
    expect(all.items[1]).toMatchObject({
      webhook_id: webhook.id,
      event_type: 'payment.created',
      sequence: 1,
      state: 'pending',
      attempts: 0,
      delivered_at: null,
      next_attempt_at: expect.any(String),
    });
    const first = await deliveriesOf(webhook, '?per_page=3');
    const second = await deliveriesOf(webhook, `?per_page=3&cursor=${first.body.next_cursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(idsOf({ body: all } as never));

    const [, newest, middle] = all.items;
    await settle(middle.id, 'failed');
    const count = async (query: string) => idsOf(await deliveriesOf(webhook, `?${query}`));
    expect(await count('state=failed')).toEqual([middle.id]);
    expect(await count('type=webhook.test')).toEqual([all.items[0].id]);
    expect(await count(`payment_id=${payments[2]!.id}&state=pending`)).toEqual([newest.id]);
    expect(await count(`created_from=${newest.created_at}&type=payment.created`)).toEqual([newest.id]);
    expect(await count(`created_to=${newest.created_at}`)).toHaveLength(2);
    expect(await count('created_from=2099-01-01T00:00:00Z')).toEqual([]);
    expect((await deliveriesOf(webhook, '?state=lost')).status).toBe(400);
  });

  it('have no tries yet and no next one while a test is in flight', async () => {
    const webhook = await newWebhook();
    await call('POST', `webhooks/${webhook.id}/test`);
    const [row] = await rowsOf(webhook);
    expect(await createDeliveryStore(api.knex).beginTests([row.id])).toEqual([row.id]);
    expect((await deliveriesOf(webhook)).body.items).toEqual([
      expect.objectContaining({ id: row.id, state: 'pending', attempts: 0, next_attempt_at: null }),
    ]);
  });

  it('are shown with body and tries, without signature and credentials', async () => {
    const { webhook } = await told(1);
    const [{ id, event_id }] = await rowsOf(webhook);
    const show = () => call('GET', `webhooks/${webhook.id}/deliveries/${id}`);
    expect((await show()).body).toMatchObject({ request: null, tries: [] });
    await settle(id, 'failed');
    await api.knex('webhook_events').where({ id: event_id }).update({ body: '{"id":"ü"}' });
    const { body, text } = await show();
    expect(body.request).toEqual({
      method: 'POST',
      url: attempt.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': expect.any(String),
        'webhook-id': event_id,
        'webhook-timestamp': '1795348800',
      },
      body: '{"id":"ü"}',
    });
    const { at, status, error, duration_ms } = attempt;
    expect(body.tries).toEqual([{ at, status, error, duration_ms, response: 'try later' }]);
    expect(text).not.toMatch(/signature|authorization/i);

    // The last try succeeded.
    await api
      .knex('webhook_deliveries')
      .where({ id })
      .update({ tries: JSON.stringify([attempt, { ...attempt, status: 200, body: 'thank you' }]) });
    expect((await show()).body.tries).toMatchObject([
      { status: 503, response: 'try later' },
      { status: 200, response: 'thank you' },
    ]);
  });

  it('need both permissions to be read', async () => {
    const { webhook } = await told(1);
    const [{ id }] = await rowsOf(webhook);
    const half = await api.actor('shop', ['webhooks.read']);
    const both = await api.actor('shop', ['webhooks.read', 'payments.read']);
    for (const path of ['', `/${id}`]) {
      const refused = await call('GET', `webhooks/${webhook.id}/deliveries${path}`, undefined, half);
      expect(codeOf(refused)).toEqual([403, 'permission_denied']);
      expect(refused.body.detail).toContain('payments.read');
      expect((await call('GET', `webhooks/${webhook.id}/deliveries${path}`, undefined, both)).status).toBe(200);
    }
  });

  it("of a child's payment through the wallet belong to its owner's webhook, and the child's webhook gets its own", async () => {
    const key = { node_id: branch.nodeId, network_id, type: 'node', wallet_id: wallet.id };
    await call('POST', 'node-network-wallet-defaults', key, branch);
    const whole = await newWebhook();
    const own = await newWebhook({ node_id: branch.nodeId }, branch);
    const payment = await created(
      call('POST', 'payments', api.paymentBody({ node_id: branch.nodeId, wallet_id: wallet.id }), branch),
    );
    await newPayment();
    expect((await deliveriesOf(whole)).body.total).toBe(2);
    const seen = (await deliveriesOf(own, '', branch)).body;
    expect(seen.items.map(({ payment_id }: Fields) => payment_id)).toEqual([payment.id]);
    expect((await deliveriesOf(own)).body.total).toBe(1);
    expect(codeOf(await deliveriesOf(whole, '', branch))).toEqual([403, 'node_access_denied']);
    expect(codeOf(await deliveriesOf(own, '', rival))).toEqual([403, 'node_access_denied']);
    const [{ id }] = await rowsOf(own);
    expect(codeOf(await call('GET', `webhooks/${whole.id}/deliveries/${id}`))).toEqual([404, 'delivery_not_found']);
  });
});

describe('a request to send again or to test', () => {
  it('sends one delivery again in any state, and keeps its tries', async () => {
    const { webhook } = await told(1);
    const [{ id }] = await rowsOf(webhook);
    for (const state of ['failed', 'delivered', 'skipped', 'pending']) {
      await settle(id, state);
      const { status, body } = await call('POST', `webhooks/${webhook.id}/deliveries/${id}/redeliver`);
      expect([status, body.id, body.state, body.attempts]).toEqual([202, id, 'pending', 0]);
      expect((await rowsOf(webhook))[0].tries).toEqual([attempt]);
    }
    const other = await newWebhook();
    const path = `webhooks/${other.id}/deliveries/${id}/redeliver`;
    expect(codeOf(await call('POST', path))).toEqual([404, 'delivery_not_found']);
  });

  it('replays failed and skipped deliveries of a time, and on request the delivered ones', async () => {
    const { webhook } = await told(4);
    const rows = await rowsOf(webhook);
    const states = ['failed', 'skipped', 'delivered', 'failed'];
    const mess = async () => {
      for (const [index, { id }] of rows.entries()) await settle(id, states[index]!);
    };
    const replay = (json: Fields) => call('POST', `webhooks/${webhook.id}/replay`, json);
    // The last one is later than the requested time.
    const time = { from: rows[0].created_at.toISOString(), to: rows[3].created_at.toISOString() };
    await mess();
    const { status, body } = await replay(time);
    expect([status, body]).toEqual([202, { webhook_id: webhook.id, count: 2 }]);
    expect(await statesOf(webhook)).toEqual(['pending', 'pending', 'delivered', 'failed']);
    await mess();
    expect((await replay({ ...time, include_delivered: true })).body.count).toBe(3);
    const backwards = await replay({ from: time.to, to: time.from });
    expect([codeOf(backwards), pathsOf(backwards)]).toEqual([[400, 'invalid_request'], ['/body/to']]);
  });

  it('replays at most 50,000 at once, and otherwise asks for a shorter time', async () => {
    const webhook = await newWebhook();
    await api.knex.raw(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, state, created_at)
       SELECT ?, gen_random_uuid(), 'skipped', timestamptz '2026-01-01' + n * interval '1 second' FROM generate_series(0, 50000) n`,
      [webhook.id],
    );
    const replay = (json: Fields) => call('POST', `webhooks/${webhook.id}/replay`, json);
    const from = '2026-01-01T00:00:00Z';
    const refused = await replay({ from, to: '2026-02-01T00:00:00Z' });
    expect([codeOf(refused), pathsOf(refused)]).toEqual([[400, 'invalid_request'], ['/body/to']]);
    const last = '2026-01-01T13:53:20Z';
    expect((await replay({ from, to: last })).body.count).toBe(50_000);
    expect((await replay({ from: last, to: '2026-02-01T00:00:00Z' })).body.count).toBe(1);
  });

  it('is refused where the node would have too much undelivered, and accepted for other nodes', async () => {
    const time = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };
    const stored = async (by: Actor, skipped: number, pending: number) => {
      const webhook = await newWebhook({ wallet_id: (await api.wallet(by)).id }, by);
      await api.knex.raw(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, state, attempts, created_at)
         SELECT :id, gen_random_uuid(), CASE WHEN n <= :skipped THEN 'skipped' ELSE 'pending' END, n % 2, '2026-01-02'
         FROM generate_series(1, :count::int) n`,
        { id: webhook.id, skipped, count: skipped + pending },
      );
      return webhook;
    };
    const full = await stored(rival, 0, 99_999);
    const webhook = await stored(rival, 2, 0);
    const ofShop = await stored(shop, 2, 0);
    const replay = (id: string, by: Actor) => call('POST', `webhooks/${id}/replay`, time, by);
    const refused = await replay(webhook.id, rival);
    expect([codeOf(refused), refused.headers.get('retry-after')]).toEqual([[429, 'too_many_undelivered'], '300']);
    expect(await statesOf(webhook)).toEqual(['skipped', 'skipped']);
    expect((await replay(ofShop.id, shop)).body.count).toBe(2);

    // Two at the same time count each other.
    await api
      .knex('webhook_deliveries')
      .where({ id: (await rowsOf(full))[0].id })
      .delete();
    const third = await stored(rival, 1, 0);
    const both = await Promise.all([replay(webhook.id, rival), replay(third.id, rival)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([202, 429]));
    await call('PUT', 'webhooks', { id: full.id, is_active: false }, rival);
    for (const { id } of [webhook, third]) expect((await replay(id, rival)).status).toBe(202);
  });

  it('makes a test without a payment, each time a new one', async () => {
    const webhook = await newWebhook();
    const test = () => call('POST', `webhooks/${webhook.id}/test`);
    const [one, other] = [await test(), await test()];
    expect(one.status).toBe(202);
    expect(one.body).toMatchObject({ event_type: 'webhook.test', payment_id: null, sequence: null, state: 'pending' });
    expect(one.body.event_id).not.toBe(other.body.event_id);
  });

  it('makes a test of any event of the webhook, with a payment that does not exist', async () => {
    const events = ['payment.ready', 'payment.anomaly'];
    const webhook = await created(call('POST', 'webhooks', api.webhookBody(await api.wallet(shop), { events })));
    const test = (json: Fields) => call('POST', `webhooks/${webhook.id}/test`, json);
    for (const type of [...standingEvents, ...events]) {
      const { status, body } = await test({ type });
      expect([type, status, body.event_type, body.test]).toEqual([type, 202, type, true]);
      expect(await api.knex('payments').where({ id: body.payment_id })).toEqual([]);
      expect(codeOf(await call('GET', `payments/${body.payment_id}`))).toEqual([404, 'payment_not_found']);
    }
    expect((await deliveriesOf(webhook, '?type=payment.ready')).body.items[0].test).toBe(true);
    for (const type of ['payment.created', 'payment.reorged', 'alert.raised', '']) {
      expect([type, pathsOf(await test({ type }))]).toEqual([type, ['/body/type']]);
    }
    expect(pathsOf(await test({ kind: 'payment.ready' }))).toEqual(['/body/kind']);
    for (const json of [undefined, {}, { type: 'webhook.test' }]) {
      const { body } = await call('POST', `webhooks/${webhook.id}/test`, json);
      expect(body).toMatchObject({ event_type: 'webhook.test', payment_id: null, sequence: null, test: true });
    }
  });

  it('leaves a webhook its newest hundred tests, with their events', async () => {
    const { webhook } = await told(1);
    await api.knex.raw(
      `WITH event AS (INSERT INTO webhook_events (type, snapshot) SELECT 'webhook.test', '{}' FROM generate_series(1, 100) RETURNING id)
       INSERT INTO webhook_deliveries (webhook_id, event_id, is_test, state) SELECT ?, id, true, 'failed' FROM event ORDER BY id`,
      [webhook.id],
    );
    const other = await newWebhook();
    await call('POST', `webhooks/${other.id}/test`);
    const [payment, first, second] = await rowsOf(webhook);
    const { body } = await call('POST', `webhooks/${webhook.id}/test`);
    const kept = await rowsOf(webhook);
    expect([kept.length, kept[0].id, kept[1].id, kept.at(-1).id]).toEqual([101, payment.id, second.id, body.id]);
    const events = api.knex('webhook_events').whereIn('id', [payment.event_id, first.event_id, second.event_id]);
    expect(new Set(await events.pluck('id'))).toEqual(new Set([payment.event_id, second.event_id]));
    expect(await rowsOf(other)).toHaveLength(1);
    for (const { id } of [webhook, other]) await call('DELETE', 'webhooks', { id });
  });

  it('replays no tests', async () => {
    const { webhook } = await told(1);
    const { body: test } = await call('POST', `webhooks/${webhook.id}/test`, { type: 'payment.created' });
    for (const { id } of await rowsOf(webhook)) await settle(id, 'failed');
    const time = { from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', include_delivered: true };
    expect((await call('POST', `webhooks/${webhook.id}/replay`, time)).body.count).toBe(1);
    expect(await statesOf(webhook)).toEqual(['pending', 'failed']);
    const again = await call('POST', `webhooks/${webhook.id}/deliveries/${test.id}/redeliver`);
    expect([again.status, again.body.test]).toEqual([202, true]);
    await call('DELETE', 'webhooks', { id: webhook.id });
  });

  it('takes effect once under an Idempotency-Key, even if the webhook has no node of its own', async () => {
    const { webhook } = await told(1);
    const [{ id }] = await rowsOf(webhook);
    const requests: [string, Fields?][] = [
      [`webhooks/${webhook.id}/test`],
      [`webhooks/${webhook.id}/deliveries/${id}/redeliver`],
      [`webhooks/${webhook.id}/replay`, { from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' }],
      [`webhooks/${webhook.id}/rotate-secret`],
    ];
    for (const [path, json] of requests) {
      const key = { 'idempotency-key': randomUUID() };
      const [first, again] = [await call('POST', path, json, shop, key), await call('POST', path, json, shop, key)];
      expect([path, again.status, again.headers.get('idempotent-replayed')]).toEqual([path, first.status, 'true']);
      expect(again.body).toEqual(first.body);
    }
    expect((await deliveriesOf(webhook, '?type=webhook.test')).body.total).toBe(1);
  });

  it('sends nothing while the webhook is not active', async () => {
    const { webhook } = await told(1);
    const [{ id }] = await rowsOf(webhook);
    await call('PUT', 'webhooks', { id: webhook.id, is_active: false });
    const time = { from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' };
    for (const [path, json] of [['test'], [`deliveries/${id}/redeliver`], ['replay', time]] as [string, Fields?][]) {
      expect(codeOf(await call('POST', `webhooks/${webhook.id}/${path}`, json))).toEqual([409, 'webhook_inactive']);
    }
    await call('PUT', 'webhooks', { id: webhook.id, is_active: true });
    expect((await call('POST', `webhooks/${webhook.id}/replay`, time)).body.count).toBe(1);
  });
});

describe('a pending delivery', () => {
  it('is skipped when the webhook is disabled, like later ones, and waits for a replay', async () => {
    const { webhook } = await told(2);
    await settle((await rowsOf(webhook))[0].id, 'delivered');
    expect((await call('PUT', 'webhooks', { id: webhook.id, is_active: false })).body.is_active).toBe(false);
    await newPayment();
    expect(await statesOf(webhook)).toEqual(['delivered', 'skipped', 'skipped']);
    const changed = { is_active: false, disabled_reason: 'failing', failing_since: new Date() };
    await api.knex('webhook_configurations').where({ id: webhook.id }).update(changed);
    expect((await call('PUT', 'webhooks', { id: webhook.id, is_active: true })).body).toMatchObject({
      is_active: true,
      disabled_reason: null,
      failing_since: null,
    });
    expect(await statesOf(webhook)).toEqual(['delivered', 'skipped', 'skipped']);
    await newPayment();
    expect(await statesOf(webhook)).toEqual(['delivered', 'skipped', 'skipped', 'pending']);
  });

  it('is canceled when the webhook is deleted, and none comes later', async () => {
    const { webhook } = await told(2);
    await settle((await rowsOf(webhook))[0].id, 'failed');
    expect((await call('DELETE', 'webhooks', { id: webhook.id })).status).toBe(204);
    await newPayment();
    expect(await statesOf(webhook)).toEqual(['failed', 'canceled']);
    expect(codeOf(await deliveriesOf(webhook))).toEqual([404, 'webhook_not_found']);
  });

  it('stays when host, paths or credentials change, and does not go to a later webhook', async () => {
    const { webhook } = await told(1);
    const change = { host: 'https://moved.example', success_path: '/other', auth_token: 'another' };
    expect((await call('PUT', 'webhooks', { id: webhook.id, ...change })).status).toBe(200);
    expect(await statesOf(webhook)).toEqual(['pending']);
    expect(await statesOf(await newWebhook())).toEqual([]);
  });
});

describe('POST /api/v1/webhooks/{id}/rotate-secret', () => {
  const opened = async (id: string) => {
    const row = await api.knex('webhook_configurations').where({ id }).first();
    const open = (bytes: Buffer | null) => bytes && api.encryption.decrypt(`webhook ${id} signing secret`, bytes);
    const until = row.previous_signing_secret_until as Date | null;
    return { now: open(row.encrypted_signing_secret), before: open(row.previous_encrypted_signing_secret), until };
  };

  it('returns a new secret once; the former one signs for a day more, and the one before that no longer', async () => {
    const webhook = await newWebhook();
    const rotate = () => call('POST', `webhooks/${webhook.id}/rotate-secret`);
    const second = await rotate();
    expect(second.status).toBe(200);
    const { signing_secret, updated_at: _, ...rest } = second.body;
    expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject(rest);
    const once = await opened(webhook.id);
    expect(once).toMatchObject({ now: signing_secret, before: webhook.signing_secret });
    expect(once.until!.getTime() - Date.now()).toBeGreaterThan(86_300_000);
    expect(once.until!.getTime() - Date.now()).toBeLessThanOrEqual(86_400_000);
    const third = await rotate();
    expect(await opened(webhook.id)).toMatchObject({ now: third.body.signing_secret, before: signing_secret });
    await call('DELETE', 'webhooks', { id: webhook.id });
    expect(await opened(webhook.id)).toEqual({ now: null, before: null, until: null });
  });

  it('shows the secret in no other answer, in no log line and not in the audit log', async () => {
    const webhook = await newWebhook();
    const { body } = await call('POST', `webhooks/${webhook.id}/rotate-secret`);
    const texts = [
      (await call('GET', 'webhooks?per_page=100')).text,
      (await call('GET', `audit-log?node_id=${shop.nodeId}&resource_id=${webhook.id}`)).text,
      ...api.lines,
    ];
    for (const secret of [body.signing_secret, webhook.signing_secret]) {
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    }
  });
});
