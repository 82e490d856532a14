import { randomUUID } from 'node:crypto';
import { findByCredentials } from '../../../api/auth/credentials.ts';
import type { Permission } from '../../../domain/access.ts';
import { eventually } from '../../support/eventually.ts';
import { startApi, type Actor, type CallOptions } from '../support/api-under-test.ts';

const revocationDelayMs = 600;
const api = await startApi({ revocationDelayMs });
const tokenPath = '/api/v1/auth/token';
const manage: readonly Permission[] = [
  'integrations.read',
  'integrations.update',
  'integrations.delete',
  'payments.read',
];

const open = (credentials: { apiKey: string; secret: string }) =>
  api.call('POST', tokenPath, {
    json: { grant_type: 'client_credentials', api_key: credentials.apiKey, secret: credentials.secret },
  });
const opens = async (apiKey: string, secret: string): Promise<boolean> =>
  (await open({ apiKey, secret })).status === 200;
const change = (id: string, row: Record<string, unknown>) => api.knex('integrations').where({ id }).update(row);
const rotate = ({ token }: Actor, id: string, options: CallOptions = { json: {} }) =>
  api.call('POST', `/api/v1/integrations/${id}/rotate`, { token, ...options });
const revoke = ({ token }: Actor, id: string) => api.call('DELETE', `/api/v1/integrations/${id}`, { token });
const get = ({ token }: Actor, id: string) => api.call('GET', `/api/v1/integrations/${id}`, { token });
const list = ({ token }: Actor, query: string) => api.call('GET', `/api/v1/integrations?${query}`, { token });

describe('reading integrations', () => {
  it('shows a live one without any secret', async () => {
    const manager = await api.actor('shop', manage);
    const till = await api.actor('branch', ['payments.read']);
    const opened = Date.now();
    await open(till.credentials);
    const { status, body, text } = await get(manager, till.id.toUpperCase());
    expect(status).toBe(200);
    expect(body).toEqual({
      id: till.id,
      node_id: api.ids.nodes.branch,
      name: expect.any(String),
      api_key: till.credentials.apiKey,
      permissions: ['payments.read'],
      expires_at: null,
      last_used_at: expect.any(String),
      revoked_at: null,
      created_at: expect.any(String),
    });
    expect(Date.parse(body.last_used_at)).toBeGreaterThanOrEqual(opened);
    expect(text).not.toContain(till.credentials.secret);
  });

  it('lists those of a node, and on request those below it or those that have ended', async () => {
    const fresh = await startApi();
    const root = await fresh.actor('root', manage);
    const [first, second] = [await fresh.actor('shop', []), await fresh.actor('shop', [])];
    const below = await fresh.actor('branch', []);
    const [expired, revoked] = [await fresh.actor('shop', []), await fresh.actor('shop', [])];
    await fresh
      .knex('integrations')
      .where({ id: expired.id })
      .update({ expires_at: new Date(Date.now() - 1) });
    await fresh.knex('integrations').where({ id: revoked.id }).update({ revoked_at: new Date() });
    const ids = async (query: string) => {
      const { status, body } = await fresh.call('GET', `/api/v1/integrations?${query}`, { token: root.token });
      expect(status).toBe(200);
      return [body.total, ...body.items.map((item: { id: string }) => item.id)];
    };
    const shop = `node_id=${fresh.ids.nodes.shop}`;
    expect(await ids(shop)).toEqual([2, second.id, first.id]);
    expect(await ids(`${shop}&include_descendants=true`)).toEqual([3, below.id, second.id, first.id]);
    expect(await ids(`${shop}&include_ended=true`)).toEqual([4, revoked.id, expired.id, second.id, first.id]);
    expect(await ids(`${shop}&per_page=1&page=2`)).toEqual([2, first.id]);
    expect(await ids(`node_id=${fresh.ids.nodes.rival}`)).toEqual([0]);
    await fresh.stop();
  });

  it('answers 404 for an ended one as for a missing one', async () => {
    const manager = await api.actor('shop', manage);
    const [expired, revoked] = [await api.actor('shop', []), await api.actor('shop', [])];
    await change(expired.id, { expires_at: new Date(Date.now() - 1) });
    await change(revoked.id, { revoked_at: new Date() });
    for (const id of [expired.id, revoked.id, randomUUID()]) {
      for (const { status, body } of [await get(manager, id), await rotate(manager, id), await revoke(manager, id)]) {
        expect([status, body.code]).toEqual([404, 'integration_not_found']);
      }
    }
  });
});

describe('rotating a secret', () => {
  it('ends the former secret at once when there is no overlap, and keeps tokens', async () => {
    const manager = await api.actor('shop', manage);
    const till = await api.actor('shop', ['payments.read']);
    for (const options of [{ json: {} }, { json: { overlap_seconds: 0 } }]) {
      const { status, body } = await rotate(manager, till.id, options);
      expect(status).toBe(200);
      expect(body).toEqual({
        id: till.id,
        node_id: till.nodeId,
        name: expect.any(String),
        api_key: till.credentials.apiKey,
        secret: expect.stringMatching(/^cs_[\w-]{43}$/),
        permissions: ['payments.read'],
        expires_at: null,
        previous_secret_expires_at: null,
        last_used_at: 'overlap_seconds' in options.json ? expect.any(String) : null,
        revoked_at: null,
        created_at: expect.any(String),
      });
      expect(await opens(body.api_key, till.credentials.secret)).toBe(false);
      expect(await opens(body.api_key, body.secret)).toBe(true);
    }
    expect((await api.call('GET', '/api/v1/nodes', { token: till.token })).status).toBe(200);
  });

  it('keeps the former secret until the overlap ends, and never the one before that', async () => {
    const manager = await api.actor('shop', manage);
    const till = await api.actor('shop', ['payments.read']);
    const { apiKey, secret: oldest } = till.credentials;
    const first = (await rotate(manager, till.id, { json: { overlap_seconds: 86_400 } })).body;
    expect(Date.parse(first.previous_secret_expires_at) - Date.now()).toBeGreaterThan(86_390_000);
    expect(await Promise.all([oldest, first.secret].map((secret) => opens(apiKey, secret)))).toEqual([true, true]);
    const second = (await rotate(manager, till.id, { json: { overlap_seconds: 3_600 } })).body;
    const secrets = [oldest, first.secret, second.secret];
    expect(await Promise.all(secrets.map((secret) => opens(apiKey, secret)))).toEqual([false, true, true]);
    await change(till.id, { previous_secret_until: new Date(Date.now() - 1) });
    expect(await Promise.all(secrets.map((secret) => opens(apiKey, secret)))).toEqual([false, false, true]);
    await rotate(manager, till.id, { json: { overlap_seconds: 3_600 } });
    await rotate(manager, till.id);
    expect(await opens(apiKey, second.secret)).toBe(false);
  });

  it('ends an overlap of one second by itself', async () => {
    const manager = await api.actor('shop', manage);
    const till = await api.actor('shop', []);
    const { apiKey, secret } = till.credentials;
    await rotate(manager, till.id, { json: { overlap_seconds: 1 } });
    expect(await opens(apiKey, secret)).toBe(true);
    await expect(eventually(async () => !(await opens(apiKey, secret)), 5_000)).resolves.toBe(true);
  });

  it.each([-1, 86_401, 1.5, '60', null])('refuses an overlap of %p', async (overlap_seconds) => {
    const manager = await api.actor('shop', manage);
    const { status, body } = await rotate(manager, manager.id, { json: { overlap_seconds } });
    expect([status, body.errors[0].path]).toEqual([400, '/body/overlap_seconds']);
  });

  it('may be repeated after a lost answer under the same key, and takes effect once', async () => {
    const manager = await api.actor('shop', manage);
    const till = await api.actor('shop', ['payments.read']);
    const options = { json: { overlap_seconds: 60 }, headers: { 'idempotency-key': randomUUID() } };
    const answers = await Promise.all([rotate(manager, till.id, options), rotate(manager, till.id, options)]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect(answers[0]!.body).toEqual(answers[1]!.body);
    expect(await opens(till.credentials.apiKey, answers[0]!.body.secret)).toBe(true);
    expect(await opens(till.credentials.apiKey, till.credentials.secret)).toBe(true);
  });

  it('is possible for the integration itself, and two that rotate each other do not wait for each other', async () => {
    const [one, two] = [await api.actor('shop', manage), await api.actor('shop', manage)];
    expect((await rotate(one, one.id)).status).toBe(200);
    const rounds = Array.from({ length: 10 }, () => [rotate(one, two.id), rotate(two, one.id)]).flat();
    const statuses = (await Promise.all(rounds)).map((answer) => answer.status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('compares a wrong secret with both, whether the api_key is known or not', async () => {
    const till = await api.actor('shop', []);
    const wrong = { apiKey: till.credentials.apiKey, secret: `cs_${'A'.repeat(43)}` };
    const queries: string[] = [];
    // The api notifies its other parts meanwhile.
    const note = ({ sql }: { sql: string }): void => void (sql.includes('integrations') && queries.push(sql));
    api.knex.on('query', note);
    expect(await findByCredentials(api.knex, wrong)).toBeNull();
    expect(await findByCredentials(api.knex, { ...wrong, apiKey: 'ck_unknown' })).toBeNull();
    api.knex.off('query', note);
    expect(queries).toHaveLength(2);
    expect(queries[0]).toBe(queries[1]);
  });
});

describe('revoking', () => {
  it('locks out secrets and tokens, in every process, before it answers', async () => {
    const manager = await api.actor('shop', manage);
    const till = await api.actor('shop', ['payments.read']);
    await rotate(manager, till.id, { json: { overlap_seconds: 60 } });
    // Another process on the same database, which has just looked and remembers that the integration is live.
    const { createIntegrationGate } = await import('../../../api/auth/authenticate.ts');
    const elsewhere = createIntegrationGate({ knex: api.knex, maxAgeMs: revocationDelayMs });
    expect(await elsewhere.isLive(till.id)).toBe(true);
    const begun = Date.now();
    let answered = false;
    const revocation = revoke(manager, till.id).finally(() => {
      answered = true;
    });
    // It goes on looking, so that what it remembers is always as young as it may be.
    for (; !answered; await new Promise(setImmediate)) await elsewhere.isLive(till.id);
    expect((await revocation).status).toBe(204);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(revocationDelayMs);
    expect(await elsewhere.isLive(till.id)).toBe(false);
    expect((await api.call('GET', '/api/v1/nodes', { token: till.token })).body.code).toBe('invalid_token');
    expect(await opens(till.credentials.apiKey, till.credentials.secret)).toBe(false);
    expect((await get(manager, till.id)).status).toBe(404);
    expect((await revoke(manager, till.id)).status).toBe(404);
    const ended = await list(manager, `node_id=${till.nodeId}&include_ended=true&per_page=100`);
    const entry = ended.body.items.find((item: { id: string }) => item.id === till.id);
    expect(Date.parse(entry.revoked_at)).toBeGreaterThanOrEqual(begun - 1_000);
  });

  it('works in its own process at once', async () => {
    const manager = await api.actor('shop', manage);
    const till = await api.actor('shop', ['payments.read']);
    expect((await api.call('GET', '/api/v1/nodes', { token: till.token })).status).toBe(200);
    let isAnswered = false;
    const revocation = revoke(manager, till.id).finally(() => (isAnswered = true));
    await eventually(() => api.knex('integrations').where({ id: till.id }).whereNotNull('revoked_at').first());
    const refused = async () => (await api.call('GET', '/api/v1/nodes', { token: till.token })).status === 401;
    await eventually(refused, undefined, 5);
    expect(isAnswered).toBe(false);
    expect((await revocation).status).toBe(204);
  });

  it('frees the name, as expiry does', async () => {
    const manager = await api.actor('shop', [...manage, 'integrations.create']);
    const create = async () => {
      const json = { node_id: manager.nodeId, name: 'till 7', permissions: [] };
      return api.call('POST', '/api/v1/integrations', { token: manager.token, json });
    };
    const first = await create();
    expect((await create()).body.code).toBe('integration_exists');
    expect((await revoke(manager, first.body.id)).status).toBe(204);
    const second = await create();
    expect(second.status).toBe(201);
    await change(second.body.id, { expires_at: new Date(Date.now() - 1) });
    expect((await create()).status).toBe(201);
  });

  it('is possible for the integration itself, and its own integrations stay', async () => {
    const owner = await api.actor('shop', [...manage, 'integrations.create']);
    const json = { node_id: owner.nodeId, name: randomUUID(), permissions: ['payments.read'] };
    const { body } = await api.call('POST', '/api/v1/integrations', { token: owner.token, json });
    expect((await revoke(owner, owner.id)).status).toBe(204);
    expect(await opens(body.api_key, body.secret)).toBe(true);
  });

  it('prevents later creations by its requests in flight', async () => {
    const manager = await api.actor('shop');
    const owner = await api.actor('shop', ['integrations.create']);
    const create = async () => {
      const json = { node_id: owner.nodeId, name: randomUUID(), permissions: [] };
      return (await api.call('POST', '/api/v1/integrations', { token: owner.token, json })).status;
    };
    expect(await create()).toBe(201);
    const attempts = Array.from({ length: 10 }, create);
    const revocation = revoke(manager, owner.id);
    attempts.push(...Array.from({ length: 10 }, create));
    expect((await Promise.all(attempts)).filter((status) => status !== 201 && status !== 401)).toEqual([]);
    expect((await revocation).status).toBe(204);
    expect(await create()).toBe(401);
    const { rows } = await api.knex.raw(
      `SELECT count(*) FROM integrations c JOIN integrations o ON o.id = c.created_by
       WHERE o.id = ? AND c.created_at > o.revoked_at`,
      [owner.id],
    );
    expect(rows[0].count).toBe('0');
  });
});
