import { randomUUID } from 'node:crypto';
import { createAccessTokens } from '../../api/auth/access-tokens.ts';
import { permissions, type Permission } from '../../domain/access.ts';
import { codeOf } from '../api/support/answers.ts';
import { publicUrl, startApi } from '../api/support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
const branch = await api.actor('branch');
const wallet = await api.wallet(shop);

const id = '01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72';
/** The endpoints of the contract that this version has, all of them but the widget's, with the permissions they need. */
const endpoints: readonly (readonly [method: string, path: string, ...needed: Permission[]])[] = [
  ['POST', '/integrations', 'integrations.create'],
  ['GET', '/node-network-wallet-defaults', 'defaults.read'],
  ['POST', '/node-network-wallet-defaults', 'defaults.create'],
  ['PUT', '/node-network-wallet-defaults', 'defaults.update'],
  ['DELETE', '/node-network-wallet-defaults', 'defaults.delete'],
  ['POST', '/payments', 'payments.create'],
  ['GET', '/payments', 'payments.read'],
  ['GET', `/payments/${id}`, 'payments.read'],
  ['GET', `/payments/${id}/logs`, 'payments.read'],
  ['GET', '/webhooks', 'webhooks.read'],
  ['POST', '/webhooks', 'webhooks.create', 'payments.read'],
  ['PUT', '/webhooks', 'webhooks.update', 'payments.read'],
  ['DELETE', '/webhooks', 'webhooks.delete'],
  ['POST', '/wallets', 'wallets.create'],
  ['GET', '/wallets', 'wallets.read'],
  ['GET', `/wallets/${id}`, 'wallets.read'],
  ['PUT', `/wallets/${id}`, 'wallets.update'],
  ['DELETE', `/wallets/${id}`, 'wallets.delete'],
  ['POST', `/wallets/${id}/deploy`, 'wallets.deploy'],
  ['POST', '/members', 'members.create'],
  ['GET', '/members', 'members.read'],
  ['GET', `/members/${id}`, 'members.read'],
  ['PUT', `/members/${id}`, 'members.update'],
  ['DELETE', `/members/${id}`, 'members.delete'],
];

const bearer = { integrationId: shop.id, nodeId: shop.nodeId, permissions: ['payments.read' as const] };
const ofAnHourAgo = createAccessTokens({ keyRing: api.keyRing, issuer: publicUrl, now: () => Date.now() - 3_600_000 });
const ofAnotherIssuer = createAccessTokens({ keyRing: api.keyRing, issuer: 'https://other.test' });

const [head, claims, signature] = shop.token.split('.') as [string, string, string];
const forged = Buffer.from(claims, 'base64url').toString().replace(shop.nodeId, rival.nodeId);
const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');

const invalid: Record<string, string> = {
  'is no JWT': 'token',
  'has expired': await ofAnHourAgo.issue(bearer),
  'was made by another issuer': await ofAnotherIssuer.issue(bearer),
  'names another node than was signed': `${head}.${Buffer.from(forged).toString('base64url')}.${signature}`,
  'has no signature': `${none}.${claims}.`,
  'is of an integration that is not there': await createAccessTokens({
    keyRing: api.keyRing,
    issuer: publicUrl,
  }).issue({ ...bearer, integrationId: randomUUID() }),
};

describe.each(endpoints.map(([method, path, ...needed]) => [method, path, needed] as const))(
  '%s %s',
  (method, path, needed) => {
    const call = (token?: string, headers: Record<string, string> = {}) =>
      api.call(method, `/api/v1${path}`, { ...(token === undefined ? {} : { token }), headers });

    it('§5 Bearer token: 401 without Authorization, with another scheme and with an empty token', async () => {
      const answers = [
        await call(),
        await call(undefined, { authorization: '' }),
        await call(undefined, { authorization: 'Bearer' }),
        await call(undefined, { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }),
        await call(undefined, { authorization: shop.token }),
      ];
      expect(answers.map(codeOf)).toEqual(answers.map(() => [401, 'missing_token']));
      for (const { headers } of answers) expect(headers.get('www-authenticate')).toMatch(/^Bearer /);
    });

    it("§5 JWT: 401 for every token that is not a live integration's", async () => {
      for (const [what, token] of Object.entries(invalid)) {
        expect([what, ...codeOf(await call(token))]).toEqual([what, 401, 'invalid_token']);
      }
    });

    it('§5 Permissions: 403 for a token without the permission, before any other check', async () => {
      for (const lacked of needed) {
        const { token } = await api.actor(
          'shop',
          permissions.filter((other) => other !== lacked),
        );
        expect(codeOf(await call(token))).toEqual([403, 'permission_denied']);
      }
    });

    it('§5 Permissions: what it needs suffices', async () => {
      const { token } = await api.actor('shop', needed);
      const { status } = await call(token);
      expect([401, 403]).not.toContain(status);
    });
  },
);

describe('tokens', () => {
  const list = (token: string) => api.call('GET', `/api/v1/wallets?node_id=${shop.nodeId}`, { token });
  const issue = async (json: Record<string, unknown>) =>
    api.call('POST', '/api/v1/auth/token', { json: { grant_type: 'client_credentials', ...json } });

  it('§5 api_key and secret: an integration turns them into a bearer token of its own permissions', async () => {
    const { body: made } = await api.call('POST', '/api/v1/integrations', {
      token: shop.token,
      json: { node_id: shop.nodeId, name: randomUUID(), permissions: ['wallets.read'] },
    });
    const { status, body } = await issue({ client_id: made.api_key, client_secret: made.secret });
    expect([status, body.token_type]).toEqual([200, 'Bearer']);
    expect(body.access_token.split('.')).toHaveLength(3);
    expect((await list(body.access_token)).status).toBe(200);
    expect((await api.call('GET', `/api/v1/members?node_id=${shop.nodeId}`, { token: body.access_token })).status).toBe(
      403,
    );
  });

  it('§5 api_key and secret: 401 for a wrong secret and an unknown api_key', async () => {
    const { apiKey, secret } = shop.credentials;
    expect((await issue({ client_id: apiKey, client_secret: `${secret}x` })).status).toBe(401);
    expect((await issue({ client_id: `${apiKey}x`, client_secret: secret })).status).toBe(401);
  });

  it('§5 JWT: a token of a revoked integration is 401', async () => {
    const { id: revoked, token } = await api.actor('shop');
    expect((await list(token)).status).toBe(200);
    await api.call('DELETE', `/api/v1/integrations/${revoked}`, { token: shop.token });
    expect(codeOf(await list(token))).toEqual([401, 'invalid_token']);
  });

  it("§5 JWT: a token by another service's key is 401", async () => {
    const foreign = await startApi();
    const token = await createAccessTokens({ keyRing: foreign.keyRing, issuer: publicUrl }).issue(bearer);
    expect(codeOf(await list(token))).toEqual([401, 'invalid_token']);
  });

  it('§5 Node scope: an integration reaches its node and those below it, and no other', async () => {
    const read = async (token: string) => (await api.call('GET', `/api/v1/wallets/${wallet.id}`, { token })).status;
    const root = await api.actor('root');
    expect([await read(shop.token), await read(root.token)]).toEqual([200, 200]);
    expect([await read(rival.token), await read(branch.token)]).toEqual([404, 404]);
    const below = await api.wallet(branch);
    expect((await api.call('GET', `/api/v1/wallets/${below.id}`, { token: shop.token })).status).toBe(200);
  });

  it('§5 Node scope: an object out of reach is answered like a missing one', async () => {
    const absent = await api.call('GET', `/api/v1/wallets/${randomUUID()}`, { token: rival.token });
    const foreign = await api.call('GET', `/api/v1/wallets/${wallet.id}`, { token: rival.token });
    const stripped = ({ body }: { body: object }) => ({ ...body, request_id: '' });
    expect(stripped(foreign)).toEqual(stripped(absent));
  });
});
