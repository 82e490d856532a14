import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { createAccessTokens } from '../../../api/auth/access-tokens.ts';
import { forgetAnswers } from '../../../db/audit/audited-transaction.ts';
import { together } from '../support/answers.ts';
import { permissions as everyPermission, type Permission } from '../../../domain/access.ts';
import { publicUrl, startApi, type Actor, type Answer } from '../support/api-under-test.ts';
import { integrationOperations, targetOf } from '../support/slots.ts';
import { createTenant, type Tenant } from '../support/tenant.ts';
import { validRequests } from '../support/valid-requests.ts';

const api = await startApi();
const shop = await api.actor('shop');
const wallet = await api.wallet(shop);

const post = (path: string, json: unknown, key: string, token = shop.token): Promise<Answer> =>
  api.call('POST', path, { token, json, headers: { 'idempotency-key': key } });
const pay = (json: unknown, key: string, token?: string): Promise<Answer> => post('/api/v1/payments', json, key, token);
const body = (change = {}) => api.paymentBody({ wallet_id: wallet.id, ...change });
const isReplay = (answer: Answer): boolean => answer.headers.get('idempotent-replayed') === 'true';

describe('Idempotency-Key', () => {
  it('answers the same request with the same bytes, even if the payment has changed since', async () => {
    const [json, key] = [body({ member: { external_id: 'm-1', name: 'Ada' } }), randomUUID()];
    const first = await pay(json, key);
    expect(first.status).toBe(201);
    expect(isReplay(first)).toBe(false);
    await api.knex('payments').where({ id: first.body.id }).update({ status_detail: 'diamond_missing' });
    const second = await pay(json, key);
    expect([second.status, second.text, isReplay(second)]).toEqual([201, first.text, true]);
    const count = await api.knex('payments').where({ external_id: json.external_id }).count();
    expect(count).toEqual([{ count: '1' }]);
  });

  it('compares members and values, not their order or white space', async () => {
    const [json, key] = [body({ items: [{ name: 'a', price: 1 }] }), randomUUID()];
    const first = await pay(json, key);
    const turned = Object.fromEntries(Object.entries(json).reverse());
    const again = await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      raw: JSON.stringify(turned, null, 4),
      headers: { 'idempotency-key': key },
    });
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  it('refuses another body under the same key, whatever its effect', async () => {
    const [json, key] = [body(), randomUUID()];
    await pay(json, key);
    for (const other of [body(), { ...json, paid_price: 1 }, { ...json, external_id: randomUUID(), items: [] }]) {
      const { status, body: problem } = await pay(other, key);
      expect([status, problem.code]).toEqual([409, 'idempotency_key_reused']);
    }
    expect(await api.knex('idempotency_keys').where({ key }).count()).toEqual([{ count: '1' }]);
  });

  it('distinguishes amounts of the same float64', async () => {
    const [json, key] = [body({ paid_price: 1_000_000_000_000 }), randomUUID()];
    expect((await pay(json, key)).status).toBe(201);
    const raw = JSON.stringify(json).replace('1000000000000', '1000000000000.000001');
    const other = await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      raw,
      headers: { 'idempotency-key': key },
    });
    expect([other.status, other.body.errors[0].path]).toEqual([400, '/body/paid_price']);
  });

  it('belongs to caller, method and path', async () => {
    const [key, json] = [randomUUID(), body()];
    const other = await api.actor('shop');
    expect((await pay(json, key)).status).toBe(201);
    const { status, body: problem } = await pay(json, key, other.token);
    expect([status, problem.code]).toEqual([409, 'payment_exists']);
    const walletBody = { node_id: shop.nodeId, chain_id: api.ids.chains.Main, name: 'second' };
    expect((await post('/api/v1/wallets', walletBody, key)).status).toBe(201);
    expect((await pay(body(), key, other.token)).status).toBe(201);
  });

  it('keeps no refusal, so that the request may be mended and sent again', async () => {
    const [json, key] = [body(), randomUUID()];
    expect((await pay({ ...json, currency_id: randomUUID() }, key)).status).toBe(404);
    expect((await pay({ ...json, paid_price: -1 }, key)).status).toBe(400);
    expect((await pay(json, key)).status).toBe(201);
  });

  it('makes parallel requests wait for the first: one takes effect, all get the same answer', async () => {
    const [json, key] = [body({ member: { external_id: 'm-2', name: 'Bea' } }), randomUUID()];
    const answers = await together(12, () => pay(json, key));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(isReplay)).toHaveLength(11);
  });

  const credentials = (): Promise<[string, unknown][]> => {
    const { nodeId } = shop;
    return Promise.resolve([
      ['/api/v1/wallets', { node_id: nodeId, chain_id: api.ids.chains.Main, name: randomUUID() }],
      ['/api/v1/integrations', { node_id: nodeId, name: randomUUID(), permissions: ['payments.read'] }],
      [`/api/v1/wallets/${wallet.id}/deploy`, { node_id: nodeId, network_id: api.ids.networks.A }],
    ]);
  };

  it('works on every POST, and its stored answers are encrypted', async () => {
    for (const [path, json] of await credentials()) {
      const key = randomUUID();
      const answers = await together(5, () => post(path, json, key));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      const row = await api.knex('idempotency_keys').where({ key }).first();
      expect(row.encrypted_answer.toString('latin1')).not.toContain(
        answers[0]!.body.secret ?? answers[0]!.body.id ?? 'step',
      );
    }
  });

  it('answers a replay without a secret of another caller, even if the row is moved to their key', async () => {
    const key = randomUUID();
    const rival: Actor = await api.actor('rival');
    const json = { node_id: rival.nodeId, name: randomUUID(), permissions: [] };
    expect((await post('/api/v1/integrations', json, key, rival.token)).status).toBe(201);
    await api.knex('idempotency_keys').where({ key }).update({ actor_id: shop.id });
    // The encryption is bound to the caller of the answer, so a failure to decrypt is a defect.
    const request = api.call('POST', '/api/v1/integrations', {
      token: shop.token,
      json,
      headers: { 'idempotency-key': key },
    });
    const answer = await request;
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('cs_');
  });

  /** Sends headers that fetch would not. */
  const withKeys = (keys: readonly string[]): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const request = httpRequest({
        port: new URL(api.url).port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/api/v1/payments',
        headers: [
          'Host',
          'localhost',
          'Content-Type',
          'application/json',
          'Authorization',
          `Bearer ${shop.token}`,
          ...keys.flatMap((key) => ['Idempotency-Key', Buffer.from(key).toString('latin1')]),
        ],
      });
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      request.end(JSON.stringify(body()));
    });

  it.each([[['']], [['x'.repeat(256)]], [['ü']], [['a', 'b']], [['a', 'a']]])('refuses %j', async (keys) => {
    expect(await withKeys(keys)).toBe(400);
  });

  it('takes 255 characters and blanks between them', async () => {
    expect(await withKeys(['k'.repeat(255)])).toBe(201);
    expect(await withKeys(['a, b'])).toBe(201);
  });

  it('has no effect on the token endpoint', async () => {
    const { apiKey, secret } = shop.credentials;
    const grant = { grant_type: 'client_credentials', client_id: apiKey, client_secret: secret };
    const headers = { 'idempotency-key': 'once' };
    const first = await api.call('POST', '/api/v1/auth/token', { json: grant, headers });
    const second = await api.call('POST', '/api/v1/auth/token', { json: grant, headers });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.access_token).not.toBe(second.body.access_token);
  });

  it('is kept for 24 hours, and longer while its payment is open', async () => {
    const [open, ended, young] = [randomUUID(), randomUUID(), randomUUID()];
    const bodies = { [open]: body(), [ended]: body(), [young]: body() };
    const made: Record<string, Answer> = {};
    for (const [key, json] of Object.entries(bodies)) made[key] = await pay(json, key);
    const terminal = { status: 'canceled', terminal_at: new Date() };
    await api.knex('payments').whereIn('id', [made[ended]!.body.id, made[young]!.body.id]).update(terminal);
    const dayAgo = api.knex.raw(`now() - interval '24 hours 1 second'`);
    await api.knex('idempotency_keys').whereIn('key', [open, ended]).update({ created_at: dayAgo });
    expect(await forgetAnswers(api.knex, 1)).toBe(false);
    expect((await pay(bodies[open], open)).text).toBe(made[open]!.text);
    expect((await pay(bodies[young], young)).text).toBe(made[young]!.text);
    const forgotten = await pay(bodies[ended], ended);
    expect([forgotten.status, forgotten.body.code]).toEqual([409, 'payment_exists']);
  });
});

describe('every POST of an integration', () => {
  const posts = integrationOperations.filter(({ method }) => method === 'POST');
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await createTenant(api, 'rival');
  });

  it.each(posts.map((operation) => [operation.operationId, operation] as const))(
    '%s, repeated with its key, gets the same answer',
    async (id, operation) => {
      const request = await validRequests[id as keyof typeof validRequests]!(api, tenant);
      const [method, path] = targetOf(operation, request);
      const key = randomUUID();
      const send = (): Promise<Answer> =>
        api.call(method, path, {
          token: tenant.actor.token,
          headers: { 'idempotency-key': key },
          ...(operation.requestBody === undefined ? {} : { json: request.body }),
        });
      const first = await send();
      expect(first.status).toBeLessThan(300);
      const answers = [await send(), ...(await together(3, send))];
      // A look at the chain says when it was, and an update that finds nothing to do stores no answer.
      const lasting = ({ status, text }: Answer) => [status, text.replace(/"checked_at":"[^"]+"/, '')];
      expect(answers.map(lasting)).toEqual(answers.map(() => lasting(first)));
    },
  );
});

describe('a replay checks again who may see it:', () => {
  it('an integration that has ended gets nothing, though its token was accepted', async () => {
    const slow = await startApi({ revocationDelayMs: 60_000 });
    const { id, nodeId, token } = await slow.actor('shop');
    const create = (): Promise<Answer> =>
      slow.call('POST', '/api/v1/integrations', {
        token,
        json: { node_id: nodeId, name: 'till', permissions: [] },
        headers: { 'idempotency-key': 'once' },
      });
    expect((await create()).status).toBe(201);
    expect(isReplay(await create())).toBe(true);
    await slow.knex('integrations').where({ id }).update({ revoked_at: slow.knex.fn.now() });
    const { status, body: problem } = await create();
    expect([status, problem.code, problem.secret]).toEqual([401, 'invalid_token', undefined]);
  });

  const tokens = createAccessTokens({ keyRing: api.keyRing, issuer: publicUrl });
  /** Another token of the shop's integration, that can do less. */
  const narrower = (change: { permissions?: readonly Permission[]; nodeId?: string }): Promise<string> =>
    tokens.issue({ integrationId: shop.id, nodeId: shop.nodeId, permissions: everyPermission, ...change });
  const without = (...names: Permission[]) => everyPermission.filter((name) => !names.includes(name));
  const outcome = ({ status, body: answer }: Answer) => [status, answer.code];

  it('a token gets no secret whose permissions it could not grant', async () => {
    const token = await narrower({ permissions: ['integrations.create', 'integrations.update', 'payments.read'] });
    const [json, key] = [{ node_id: shop.nodeId, name: randomUUID() }, randomUUID()];
    const first = await post('/api/v1/integrations', json, key);
    const refused = await post('/api/v1/integrations', json, key, token);
    expect([...outcome(refused), refused.text.includes('cs_')]).toEqual([403, 'permission_denied', false]);
    const rotation = `/api/v1/integrations/${first.body.id}/rotate`;
    const rotated = await post(rotation, {}, key);
    expect(rotated.status).toBe(200);
    const kept = await post(rotation, {}, key, token);
    expect([...outcome(kept), kept.text.includes('cs_')]).toEqual([403, 'permission_denied', false]);
    expect((await post('/api/v1/integrations', json, key)).text).toBe(first.text);
  });

  it('it needs the permission of the operation', async () => {
    const [json, key] = [body(), randomUUID()];
    await pay(json, key);
    const refused = await pay(json, key, await narrower({ permissions: without('payments.create') }));
    expect(outcome(refused)).toEqual([403, 'permission_denied']);
  });

  it('it shows nothing of a node out of reach', async () => {
    const token = await narrower({ nodeId: api.ids.nodes.branch! });
    const [json, key] = [body(), randomUUID()];
    await pay(json, key);
    expect(outcome(await pay(json, key, token))).toEqual([404, 'node_not_found']);
    const step = { node_id: shop.nodeId, network_id: api.ids.networks.A };
    const deploy = `/api/v1/wallets/${wallet.id}/deploy`;
    expect((await post(deploy, step, key)).status).toBe(201);
    expect(outcome(await post(deploy, step, key, token))).toEqual([404, 'wallet_not_found']);
    const webhook = {
      wallet_id: wallet.id,
      network_id: api.ids.networks.A,
      host: 'http://127.0.0.1:9',
      success_path: '/a',
      error_path: '/b',
      auth_type: 'token',
      auth_token: 'secret',
    };
    expect((await post('/api/v1/webhooks', webhook, key)).status).toBe(201);
    const refused = await post('/api/v1/webhooks', webhook, key, token);
    expect([refused.status, refused.text.includes('whsec_')]).toEqual([403, false]);
  });

  it('it ignores later changes: a stored 201 stays a 201', async () => {
    const key = randomUUID();
    const made = [
      ['members', { node_id: shop.nodeId, external_id: randomUUID(), name: 'Ada' }],
      ['wallets', { node_id: shop.nodeId, chain_id: api.ids.chains.Main, name: 'till' }],
      ['integrations', { node_id: shop.nodeId, name: randomUUID() }],
    ] as const;
    for (const [kind, json] of made) {
      const first = await post(`/api/v1/${kind}`, json, key);
      await api.call('DELETE', `/api/v1/${kind}/${first.body.id}`, { token: shop.token });
      const again = await post(`/api/v1/${kind}`, json, key);
      expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
    }
  });

  it('it knows the operation and its parameters in every spelling, and those of older keys', async () => {
    const { id } = await api.wallet(shop);
    const step = { node_id: shop.nodeId, network_id: api.ids.networks.A };
    const key = randomUUID();
    const first = await post(`/api/v1/wallets/${id}/deploy`, step, key);
    const spelled = `%${id.charCodeAt(0).toString(16)}${id.slice(1).toUpperCase()}`;
    const again = await post(`/api/v1/wallets/${spelled}/deploy`, step, key);
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    // Before, the target was the path as it came.
    const rows = await api.knex('idempotency_keys').where({ key }).pluck('target');
    expect(rows).toEqual([`POST /api/v1/wallets/${id}/deploy`]);
  });

  it('it has an audit entry', async () => {
    const [json, key, requestId] = [body(), randomUUID(), randomUUID()];
    const { id, node_id } = (await pay(json, key)).body;
    const headers = { 'idempotency-key': key, 'x-request-id': requestId };
    await api.call('POST', '/api/v1/payments', { token: shop.token, json, headers });
    expect(await api.knex('audit_log').where({ request_id: requestId })).toEqual([
      expect.objectContaining({
        action: 'answer.replayed',
        node_id,
        resource_id: id,
        actor_id: shop.id,
        before: null,
        after: { operation: 'createPayment', status: 201 },
      }),
    ]);
  });
});

describe('a payment whose wallet changes between the statements of its request', () => {
  it("is judged again, and refused or bound to the wallet's present state", async () => {
    const own = await api.wallet(shop);
    const other = `0x${'77'.repeat(20)}`;
    // Held open: the insert waits for this transaction, as for any change of the wallet.
    const trx = await api.knex.transaction();
    await trx.raw('SELECT 1 FROM wallets WHERE id = ? FOR UPDATE', [own.id]);
    await trx('wallets').where({ id: own.id }).update({ address: other });
    const bound = pay(body({ wallet_id: own.id }), randomUUID());
    await waiting();
    await trx.commit();
    const answer = await bound;
    expect([answer.status, answer.body.diamond_address.toLowerCase()]).toEqual([201, other]);

    const closing = await api.knex.transaction();
    await closing.raw('SELECT 1 FROM wallets WHERE id = ? FOR UPDATE', [own.id]);
    await closing('wallets').where({ id: own.id }).update({ is_active: false });
    const json = body({ wallet_id: own.id, member: { external_id: 'never', name: 'N' } });
    const refused = pay(json, randomUUID());
    await waiting();
    await closing.commit();
    expect([(await refused).status, (await refused).body.code]).toEqual([409, 'wallet_inactive']);
    expect(await api.knex('members').where({ external_id: 'never' })).toEqual([]);
  });

  /** Until a statement waits for a lock. */
  const waiting = async (): Promise<void> => {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const { rows } = await api.knex.raw(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      if (rows.length > 0) return;
      if (Date.now() > deadline) throw new Error('no request waits');
    }
  };
});

describe('payments that are stored together', () => {
  it('get an answer each, whatever is wrong with the others', async () => {
    const used = randomUUID();
    expect((await pay(body(), used)).status).toBe(201);
    const taken = body();
    const { id } = (await pay(taken, randomUUID())).body;
    const inactive = await api.wallet(shop);
    await api.knex('wallets').where({ id: inactive.id }).update({ is_active: false });
    const fine = Array.from({ length: 30 }, () =>
      body({
        items: [
          { name: 'a', price: 1 },
          { name: 'b', price: 2 },
        ],
      }),
    );
    const answers = await Promise.all([
      ...fine.map((json) => pay(json, randomUUID())),
      ...[1, 2, 3].map(() => pay(taken, randomUUID())),
      ...[1, 2, 3].map(() => pay(body(), used)),
      pay(body({ wallet_id: inactive.id }), randomUUID()),
      pay(body({ member: { external_id: randomUUID(), name: 'Dora' } }), randomUUID()),
    ]);
    expect(answers.slice(0, 30).map(({ status }) => status)).toEqual(fine.map(() => 201));
    expect(answers.slice(30, 33).map((answer) => answer.body.existing_id)).toEqual([id, id, id]);
    expect(answers.slice(33, 36).map((answer) => answer.body.code)).toEqual(Array(3).fill('idempotency_key_reused'));
    expect([answers[36]!.body.code, answers[37]!.status]).toEqual(['wallet_inactive', 201]);
    const ids = answers.slice(0, 30).map((answer) => answer.body.id);
    for (const table of ['payment_logs', 'outbox', 'idempotency_keys']) {
      expect([table, await api.knex(table).whereIn('payment_id', ids).count()]).toEqual([table, [{ count: '30' }]]);
    }
    const read = await api.call('GET', `/api/v1/payments/${ids[7]}`, { token: shop.token });
    expect(read.body).toEqual(answers[7]!.body);
  });
});

describe('inline members of parallel payments', () => {
  it('are created once and linked by all', async () => {
    const member = { external_id: randomUUID(), name: 'Cleo' };
    const answers = await together(10, () => pay(body({ member }), randomUUID()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map((answer) => answer.body.member_id)).size).toBe(1);
    const [entry, ...others] = await api.knex('audit_log').where({ resource_id: answers[0]!.body.member_id });
    expect([entry.action, entry.after, others]).toEqual(['member.created', answers[0]!.body.member, []]);
  });
});
