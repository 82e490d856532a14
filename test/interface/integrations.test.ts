import { randomUUID } from 'node:crypto';
import type { Permission } from '../../domain/access.ts';
import { codeOf, together } from '../api/support/answers.ts';
import { startApi } from '../api/support/api-under-test.ts';
import { anyTimestamp, anyUuid, checkFields, expectRefused, outcomeOf, withQuery } from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
const path = '/api/v1/integrations';

const create = (change: Record<string, unknown> = {}, token = shop.token) =>
  api.call('POST', path, { token, json: { node_id: shop.nodeId, name: randomUUID(), ...change } });
const tokenOf = (credentials: { api_key: string; secret: string }) =>
  api.call('POST', '/api/v1/auth/token', {
    json: { grant_type: 'client_credentials', client_id: credentials.api_key, client_secret: credentials.secret },
  });
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

describe('the integration', () => {
  it('§2 Integration: has every field of the table', async () => {
    const json = { name: 'web shop', permissions: ['payments.read', 'payments.create'], expires_at: tomorrow() };
    const { status, body } = await create(json);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: anyUuid,
      node_id: shop.nodeId,
      ...json,
      api_key: expect.stringMatching(/^\S+$/),
      secret: expect.stringMatching(/^\S+$/),
      created_at: anyTimestamp,
    });
  });

  it('§2 Integration: the secret is in the creation response only', async () => {
    const { body: made } = await create();
    const later = [
      await api.call('GET', withQuery(path, { node_id: shop.nodeId, per_page: '100' }), { token: shop.token }),
      await api.call('GET', `${path}/${made.id}`, { token: shop.token }),
      await api.call('GET', withQuery('/api/v1/audit-log', { node_id: shop.nodeId, per_page: '100' }), {
        token: shop.token,
      }),
    ];
    for (const { status, text } of later) {
      expect(status).toBe(200);
      expect(text).toContain(made.id);
      expect(text).not.toContain(made.secret);
      expect(text).not.toContain('"secret"');
    }
  });

  it('§2 Integration: Carat makes api_key and secret, and no request sets them', async () => {
    const { body: made } = await create();
    expect(outcomeOf(await create({ api_key: made.api_key }))).toEqual([400, ['api_key']]);
    expect(outcomeOf(await create({ secret: made.secret }))).toEqual([400, ['secret']]);
    const changes = [
      await api.call('PUT', `${path}/${made.id}`, { token: shop.token, json: { api_key: 'mine', secret: 'mine' } }),
      await api.call('PATCH', `${path}/${made.id}`, { token: shop.token, json: { api_key: 'mine' } }),
    ];
    expect(changes.map(codeOf)).toEqual(changes.map(() => [405, 'method_not_allowed']));
    expect((await tokenOf(made)).status).toBe(200);
  });

  it('§2 Integration: api_key stays when the secret is replaced', async () => {
    const { body: made } = await create();
    const rotation = { token: shop.token, json: { overlap_seconds: 0 } };
    const { status, body: rotated } = await api.call('POST', `${path}/${made.id}/rotate`, rotation);
    expect(status).toBe(200);
    const { body: shown } = await api.call('GET', `${path}/${made.id}`, { token: shop.token });
    expect(shown.api_key).toBe(made.api_key);
    expect(rotated.secret).not.toBe(made.secret);
    expect((await tokenOf(made)).status).toBe(401);
    expect((await tokenOf({ api_key: made.api_key, secret: rotated.secret })).status).toBe(200);
  });

  it('§2 Integration: no two have the same id, api_key or secret', async () => {
    const made = await together(5, () => create());
    for (const field of ['id', 'api_key', 'secret']) {
      expect(new Set(made.map(({ body }) => body[field])).size).toBe(5);
    }
  });

  it.each<Permission>([
    'payments.read',
    'payments.create',
    'wallets.update',
    'members.delete',
    'webhooks.create',
    'defaults.read',
    'integrations.create',
    'payments.cancel',
    'payments.retry',
    'wallets.deploy',
  ])('§2 Integration: permissions may hold %s', async (permission) => {
    const { status, body } = await create({ permissions: [permission] });
    expect([status, body.permissions]).toEqual([201, [permission]]);
  });
});

describe('POST', () => {
  const tag = '§4 POST /api/v1/integrations';
  checkFields(
    { tag, accepted: 201, send: create },
    { node_id: 'UUID!', name: 'text!', permissions: 'array', expires_at: 'datetime' },
  );

  it('§4 POST /api/v1/integrations: permissions are names of permissions (anything else in the list: 400)', async () => {
    for (const value of ['payments', 'payments.fly', 'PAYMENTS.READ', '', 7, null, {}]) {
      const [status, fields] = outcomeOf(await create({ permissions: ['payments.read', value] }));
      expect([value, status, fields]).toEqual([value, 400, ['permissions/1']]);
    }
  });

  it("§4 POST /api/v1/integrations: permissions default to the creator's", async () => {
    const creator = await api.actor('shop', ['integrations.create', 'payments.read']);
    const { status, body } = await create({}, creator.token);
    expect([status, body.permissions.toSorted()]).toEqual([201, ['integrations.create', 'payments.read']]);
    expect((await create({ permissions: [] })).body.permissions).toEqual([]);
  });

  it('§4 POST /api/v1/integrations: expires_at is null when it is omitted or null', async () => {
    for (const { status, body } of [await create(), await create({ expires_at: null })]) {
      expect([status, body.expires_at]).toEqual([201, null]);
    }
  });

  it('§4 POST /api/v1/integrations: expires_at is an ISO 8601 datetime, answered in UTC', async () => {
    for (const [sent, answered] of [
      ['2099-01-01T00:00:00Z', '2099-01-01T00:00:00.000Z'],
      ['2099-01-01T00:00:00.125Z', '2099-01-01T00:00:00.125Z'],
      ['2099-01-01T02:00:00+02:00', '2099-01-01T00:00:00.000Z'],
    ]) {
      const { status, body } = await create({ expires_at: sent });
      expect([status, body.expires_at]).toEqual([201, answered]);
    }
    expectRefused('expires_at', [['past', await create({ expires_at: '2020-01-01T00:00:00Z' })]]);
  });

  it('§4 POST /api/v1/integrations: an integration ends at its expires_at', async () => {
    const { body: made } = await create({ expires_at: tomorrow() });
    const { body: token } = await tokenOf(made);
    await api
      .knex('integrations')
      .where({ id: made.id })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    expect(codeOf(await tokenOf(made))).toEqual([401, 'invalid_client']);
    const list = withQuery('/api/v1/wallets', { node_id: shop.nodeId });
    expect(codeOf(await api.call('GET', list, { token: token.access_token }))).toEqual([401, 'invalid_token']);
  });

  it('§4 POST /api/v1/integrations: 401 without a token and with an invalid one', async () => {
    const json = { node_id: shop.nodeId, name: randomUUID() };
    expect(codeOf(await api.call('POST', path, { json }))).toEqual([401, 'missing_token']);
    expect(codeOf(await api.call('POST', path, { json, token: 'none' }))).toEqual([401, 'invalid_token']);
  });

  it('§4 POST /api/v1/integrations: Content-Type is application/json (415 otherwise)', async () => {
    const raw = JSON.stringify({ node_id: shop.nodeId, name: randomUUID() });
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
      const answer = await api.call('POST', path, { token: shop.token, raw, headers: { 'content-type': type } });
      expect(codeOf(answer)).toEqual([415, 'unsupported_media_type']);
    }
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await api.call('POST', path, { token: shop.token, raw, headers })).status).toBe(201);
  });

  it('§4 POST /api/v1/integrations: 404 for a missing node, and one out of reach', async () => {
    expect(codeOf(await create({ node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await create({ node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
  });

  it('§4 POST /api/v1/integrations: 409 for a second one of the same name on the node', async () => {
    const name = randomUUID();
    expect((await create({ name })).status).toBe(201);
    expect(codeOf(await create({ name }))).toEqual([409, 'integration_exists']);
    expect((await create({ name, node_id: rival.nodeId }, rival.token)).status).toBe(201);
  });

  it('§4 POST /api/v1/integrations: 400 for an unknown field, and for a body that is not an object', async () => {
    expect(outcomeOf(await create({ scope: 'x' }))).toEqual([400, ['scope']]);
    for (const raw of ['[]', '"x"', '7', 'null', '{']) {
      expect((await api.call('POST', path, { token: shop.token, raw })).status).toBe(400);
    }
  });
});
