import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { permissions as allPermissions, type Permission } from '../../../domain/access.ts';
import { bankTransfer, operations, startApi } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const [key] = api.keyRing.access();
const issuer = 'https://pay.test';
const audience = `${issuer}/api/v1`;
const now = Math.floor(Date.now() / 1_000);

interface Forgery {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  signWith?: Parameters<SignJWT['sign']>[0];
}

const tokenOf = ({ claims = {}, header = {}, signWith = key!.privateKey }: Forgery): Promise<string> =>
  new SignJWT({
    iss: issuer,
    aud: audience,
    sub: shop.id,
    jti: randomUUID(),
    iat: now,
    nbf: now,
    exp: now + 900,
    node: shop.nodeId,
    permissions: allPermissions,
    ...claims,
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: key!.kid, ...header })
    .sign(signWith);

const unsigned = (): string => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: issuer, aud: audience, sub: shop.id, exp: now + 900, nbf: now, iat: now, jti: 'x' };
  return `${part({ alg: 'none', typ: 'at+jwt', kid: key!.kid })}.${part({ ...claims, node: shop.nodeId, permissions: allPermissions })}.`;
};

const { privateKey: strangerKey } = await import('node:crypto').then((crypto) => crypto.generateKeyPairSync('ed25519'));
const publicKeyBytes = Buffer.from(key!.jwk.x, 'base64url');
const revoked = await api.actor('shop');
await api.knex('integrations').where({ id: revoked.id }).update({ revoked_at: new Date() });
const expired = await api.actor('shop');
await api
  .knex('integrations')
  .where({ id: expired.id })
  .update({ expires_at: new Date(Date.now() - 1_000) });

/** A payment whose widget token is real. */
const payment = (
  await api.call('POST', '/api/v1/payments', {
    token: shop.token,
    json: api.paymentBody(bankTransfer),
  })
).body;

const refusedTokens: Record<string, string | undefined> = {
  'no token': undefined,
  garbage: 'garbage',
  'three parts of garbage': 'a.b.c',
  expired: await tokenOf({ claims: { iat: now - 901, nbf: now - 901, exp: now - 1 } }),
  'issued too long ago': await tokenOf({ claims: { iat: now - 1_000, nbf: now - 1_000 } }),
  'without an end': await tokenOf({ claims: { exp: undefined } }),
  'not yet valid': await tokenOf({ claims: { nbf: now + 600 } }),
  'of a wrong key': await tokenOf({ signWith: strangerKey }),
  'of an unknown key': await tokenOf({ header: { kid: 'unknown' }, signWith: strangerKey }),
  'with alg none': unsigned(),
  'HS256 with the public key': await tokenOf({ header: { alg: 'HS256' }, signWith: publicKeyBytes }),
  'of a wrong issuer': await tokenOf({ claims: { iss: 'https://evil.test' } }),
  'for a wrong audience': await tokenOf({ claims: { aud: issuer } }),
  'of a wrong type': await tokenOf({ header: { typ: 'JWT' } }),
  'of an unknown integration': await tokenOf({ claims: { sub: randomUUID() } }),
  'of a revoked integration': revoked.token,
  'of an expired integration': expired.token,
  'of a widget': payment.access_token,
};

const guarded = operations.filter((operation) => operation.access !== 'public');
const forIntegrations = guarded.filter((operation) => operation.access === 'integration');
const cells = guarded.flatMap((operation) => Object.keys(refusedTokens).map((name) => ({ operation, name })));

const call = (operation: (typeof guarded)[number], token: string | undefined) =>
  api.call(
    operation.method.toUpperCase(),
    operation.path.replaceAll(/\{\w+\}/g, () => randomUUID()),
    {
      ...(token === undefined ? {} : { token }),
      ...(operation.consumes.length > 0 ? { json: {} } : {}),
    },
  );

describe('every guarded operation', () => {
  it('is tried with every kind of token', () => {
    expect(Object.keys(refusedTokens).length).toBeGreaterThanOrEqual(13);
    expect(cells.length).toBe(guarded.length * Object.keys(refusedTokens).length);
    expect(cells.length).toBeGreaterThanOrEqual(450);
  });

  it.each(cells)('$operation.id refuses a token $name', async ({ operation, name }) => {
    const { status, body, headers } = await call(operation, refusedTokens[name]);
    expect(status).toBe(401);
    expect(body.code).toBe(refusedTokens[name] === undefined ? 'missing_token' : 'invalid_token');
    expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="carat"/);
  });

  it.each(guarded.flatMap((operation) => operation.permissions.map((lacked) => ({ ...operation, lacked }))))(
    '$id refuses a token that has every permission but $lacked',
    async ({ lacked, ...operation }) => {
      const others = allPermissions.filter((permission): permission is Permission => permission !== lacked);
      // Of another node: a node may have 100 integrations.
      const { token } = await api.actor('branch', others);
      const { status, body } = await call(operation, token);
      expect([status, body.code]).toEqual([403, 'permission_denied']);
      expect(body.detail).toContain(lacked);
    },
  );

  it.each(forIntegrations)(
    '$id accepts a token that has only its permissions, and then judges the request',
    async (operation) => {
      const { token } = await api.actor('shop', operation.permissions);
      const { status, body } = await call(operation, token);
      if (operation.id === 'getStatus') expect([status, body.code]).toEqual([403, 'node_access_denied']);
      else expect([200, 400, 404]).toContain(status);
    },
  );

  it.each(guarded.filter((operation) => operation.access === 'widget'))(
    '$id refuses the token of an integration',
    async (operation) => {
      const path = operation.path.replace('{id}', payment.id);
      const { status, body } = await api.call(operation.method.toUpperCase(), path, { token: shop.token });
      expect([status, body.code]).toEqual([401, 'invalid_token']);
    },
  );

  it('accepts the scheme in any case and refuses two tokens in one header', async () => {
    const ask = (authorization: string) => api.call('GET', '/api/v1/nodes', { headers: { authorization } });
    expect((await ask(`bearer ${shop.token}`)).status).toBe(200);
    expect((await ask(`Bearer ${shop.token}, Bearer ${shop.token}`)).status).toBe(401);
    expect((await ask(`Basic ${shop.token}`)).status).toBe(401);
  });

  it('refuses a token at once when its integration is revoked, even a remembered one', async () => {
    // The node of the others has as many integrations as it may have.
    const actor = await api.actor('branch');
    expect((await api.call('GET', '/api/v1/nodes', { token: actor.token })).status).toBe(200);
    await api.knex('integrations').where({ id: actor.id }).update({ revoked_at: new Date() });
    expect((await api.call('GET', '/api/v1/nodes', { token: actor.token })).status).toBe(401);
  });
});
