import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createAccessTokens } from '../../../api/auth/access-tokens.ts';
import { createKeyRing, makeTokenKey } from '../../../api/auth/key-ring.ts';
import { rotateTokenKey } from '../../../db/auth/token-keys.ts';
import { permissions as allPermissions } from '../../../domain/access.ts';
import { together } from '../support/answers.ts';
import { startApi, type CallOptions } from '../support/api-under-test.ts';

const api = await startApi();
const path = '/api/v1/auth/token';
const shop = await api.actor('shop', ['payments.read', 'wallets.read']);
const { apiKey, secret } = shop.credentials;

const form = (fields: Record<string, string>, headers: Record<string, string> = {}): CallOptions => ({
  raw: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
});
const basic = (id: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(password)}`).toString('base64')}`,
});
const grant = { grant_type: 'client_credentials' };

describe('POST /api/v1/auth/token', () => {
  it.each<[string, CallOptions]>([
    ['a form', form({ ...grant, client_id: apiKey, client_secret: secret })],
    ['JSON', { json: { ...grant, client_id: apiKey, client_secret: secret } }],
    ['JSON by the names of an integration', { json: { ...grant, api_key: apiKey, secret } }],
    ['HTTP Basic and a form', form(grant, basic(apiKey, secret))],
    ['HTTP Basic, a form and the same client_id', form({ ...grant, client_id: apiKey }, basic(apiKey, secret))],
    ['HTTP Basic and JSON', { json: grant, headers: basic(apiKey, secret) }],
  ])('gives a token for %s', async (_, options) => {
    const { status, body, headers } = await api.call('POST', path, options);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'payments.read wallets.read',
    });
    const list = await api.call('GET', `/api/v1/wallets?node_id=${shop.nodeId}`, { token: body.access_token });
    expect(list.status).toBe(200);
  });

  it('gives an EdDSA JWT of 15 minutes whose key is published', async () => {
    const { body } = await api.call('POST', path, form({ ...grant, client_id: apiKey, client_secret: secret }));
    const token: string = body.access_token;
    const { kid, ...header } = decodeProtectedHeader(token);
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt' });
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({
      iss: 'https://pay.test',
      aud: 'https://pay.test/api/v1',
      sub: shop.id,
      client_id: shop.id,
      node: shop.nodeId,
      permissions: ['payments.read', 'wallets.read'],
    });
    expect(claims.exp! - claims.iat!).toBe(900);
    expect(claims.nbf).toBe(claims.iat);

    const keys = await api.call('GET', '/.well-known/jwks.json');
    const jwk = keys.body.keys.find((key: { kid: string }) => key.kid === kid);
    expect(jwk).toEqual({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x: expect.any(String) });
    const [head = '', payload = '', signature = ''] = token.split('.');
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    expect(verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('narrows the token to a scope that the integration holds', async () => {
    const credentials = { ...grant, client_id: apiKey, client_secret: secret };
    const { body } = await api.call('POST', path, form({ ...credentials, scope: 'wallets.read' }));
    expect(decodeJwt(body.access_token).permissions).toEqual(['wallets.read']);
    const wide = await api.call('POST', path, form({ ...credentials, scope: 'wallets.read wallets.create' }));
    expect([wide.status, wide.body.error]).toEqual([400, 'invalid_scope']);
  });

  it('takes an empty scope for absent in a form, as RFC 6749 says, and refuses it in JSON', async () => {
    const credentials = { ...grant, client_id: apiKey, client_secret: secret };
    const { body } = await api.call('POST', path, form({ ...credentials, scope: '' }));
    expect(decodeJwt(body.access_token).permissions).toEqual(['payments.read', 'wallets.read']);
    for (const scope of ['', '   ']) {
      const refused = await api.call('POST', path, { json: { ...credentials, scope } });
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_scope']);
    }
  });

  const wrong = 'cs_tn7zWRUuC7P4Dl2L6nHDrEoV3NVpJK9ecuNxYyFQ3bE';
  it.each<[string, CallOptions, number, string]>([
    ['a wrong secret', form({ ...grant, client_id: apiKey, client_secret: wrong }), 401, 'invalid_client'],
    ['an unknown api_key', form({ ...grant, client_id: 'ck_x', client_secret: secret }), 401, 'invalid_client'],
    ['a wrong secret by Basic', form(grant, basic(apiKey, wrong)), 401, 'invalid_client'],
    ['Basic that is no Basic', form(grant, { authorization: 'Basic ###' }), 401, 'invalid_client'],
    ...['Basic', 'Basic ###', 'basic bm8tY29sb24=', `Basic ${Buffer.from('a\0b:c').toString('base64')}`].map(
      (authorization): [string, CallOptions, number, string] => [
        `a broken ${authorization} beside good credentials in the body`,
        form({ ...grant, client_id: apiKey, client_secret: secret }, { authorization }),
        401,
        'invalid_client',
      ],
    ),
    ['NUL in Basic', form(grant, basic('a\0b', 'c')), 401, 'invalid_client'],
    ['NUL behind an escape in Basic', form(grant, basic('%00', 'c')), 401, 'invalid_client'],
    [
      'another client_id than in Basic',
      form({ ...grant, client_id: 'ck_other' }, basic(apiKey, secret)),
      400,
      'invalid_request',
    ],
    ['a bearer token in its place', form(grant, { authorization: `Bearer ${shop.token}` }), 401, 'invalid_client'],
    ['no credentials', form(grant), 400, 'invalid_request'],
    [
      'credentials twice',
      form({ ...grant, client_id: apiKey, client_secret: secret }, basic(apiKey, secret)),
      400,
      'invalid_request',
    ],
    ['no grant', form({ client_id: apiKey, client_secret: secret }), 400, 'invalid_request'],
    [
      'another grant',
      form({ grant_type: 'password', client_id: apiKey, client_secret: secret }),
      400,
      'unsupported_grant_type',
    ],
    [
      'an unknown field',
      form({ ...grant, client_id: apiKey, client_secret: secret, admin: 'yes' }),
      400,
      'invalid_request',
    ],
    ['a field twice', { ...form(grant), raw: `grant_type=a&grant_type=b` }, 400, 'invalid_request'],
    ['malformed JSON', { raw: '{' }, 400, 'invalid_request'],
    ['a wrong type', { json: { ...grant, client_id: 1, client_secret: secret } }, 400, 'invalid_request'],
    ['NUL', { json: { ...grant, client_id: 'a\0b', client_secret: secret } }, 400, 'invalid_request'],
    ['another content type', { raw: 'x', headers: { 'content-type': 'text/plain' } }, 415, 'invalid_request'],
    ['a body too large', { raw: JSON.stringify({ x: 'x'.repeat(600_000) }) }, 413, 'invalid_request'],
  ])('refuses %s in the form of RFC 6749', async (_, options, status, error) => {
    const answer = await api.call('POST', path, options);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.body).toEqual({
      error,
      error_description: expect.any(String),
      code: error,
      request_id: answer.headers.get('x-request-id'),
    });
    if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Basic realm="carat"');
  });

  it('gives a wrong secret and an unknown api_key the same answer', async () => {
    const ask = async (client_id: string) => {
      const { body } = await api.call('POST', path, form({ ...grant, client_id, client_secret: wrong }));
      return { ...body, request_id: '' };
    };
    expect(await ask(apiKey)).toEqual(await ask('ck_unknown'));
  });

  it('gives nothing to a revoked or expired integration', async () => {
    for (const change of [{ revoked_at: new Date() }, { expires_at: new Date(Date.now() - 1) }]) {
      const ended = await api.actor('shop');
      await api.knex('integrations').where({ id: ended.id }).update(change);
      const { apiKey: client_id, secret: client_secret } = ended.credentials;
      const { status, body } = await api.call('POST', path, form({ ...grant, client_id, client_secret }));
      expect([status, body.code]).toEqual([401, 'invalid_client']);
    }
  });

  it('records the last use of an integration', async () => {
    const actor = await api.actor('shop');
    const { apiKey: client_id, secret: client_secret } = actor.credentials;
    const asked = Date.now();
    await api.call('POST', path, form({ ...grant, client_id, client_secret }));
    const row = await api.knex('integrations').where({ id: actor.id }).first('last_used_at');
    expect(row.last_used_at.getTime()).toBeGreaterThanOrEqual(asked);
  });

  it('keeps secrets and tokens out of database and log', async () => {
    const { rows } = await api.knex.raw(
      'SELECT i::text AS text FROM integrations i UNION ALL SELECT k::text FROM token_keys k',
    );
    const dump = rows.map((row: { text: string }) => row.text).join('\n') + api.lines.join('');
    expect(dump).toContain(apiKey);
    for (const value of [secret, shop.token, Buffer.from(secret).toString('hex')]) expect(dump).not.toContain(value);
  });
});

describe('POST /api/v1/integrations', () => {
  const create = (token: string, json: Record<string, unknown>) =>
    api.call('POST', '/api/v1/integrations', { token, json });

  it('shows a new integration with its secret, which works', async () => {
    const owner = await api.actor('shop', ['integrations.create', 'payments.read']);
    const { status, body } = await create(owner.token, {
      node_id: api.ids.nodes.branch,
      name: 'till',
      permissions: ['payments.read'],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      node_id: api.ids.nodes.branch,
      name: 'till',
      api_key: expect.stringMatching(/^ck_[\w-]{22}$/),
      secret: expect.stringMatching(/^cs_[\w-]{43}$/),
      permissions: ['payments.read'],
      expires_at: null,
      created_at: expect.any(String),
    });
    const token = await api.call('POST', path, { json: { ...grant, api_key: body.api_key, secret: body.secret } });
    expect(token.body.scope).toBe('payments.read');
  });

  it("grants its creator's permissions when it names none, and ends with its creator", async () => {
    const owner = await api.actor('shop', ['integrations.create', 'payments.read']);
    const end = new Date(Date.now() + 3_600_000);
    await api.knex('integrations').where({ id: owner.id }).update({ expires_at: end });
    const { body } = await create(owner.token, { node_id: owner.nodeId, name: 'copy', permissions: null });
    expect(body.permissions).toEqual(['integrations.create', 'payments.read']);
    expect(body.expires_at).toBe(end.toISOString());
    const longer = await create(owner.token, {
      node_id: owner.nodeId,
      name: 'longer',
      expires_at: new Date(end.getTime() + 1).toISOString(),
    });
    expect([longer.status, longer.body.errors[0].path]).toEqual([400, '/body/expires_at']);
  });

  it('refuses permissions that the creator lacks, foreign nodes and a name in use', async () => {
    const owner = await api.actor('shop', ['integrations.create', 'payments.read']);
    const attempt = async (json: Record<string, unknown>) => {
      const { status, body } = await create(owner.token, { node_id: owner.nodeId, name: 'x', ...json });
      return [status, body.code];
    };
    expect(await attempt({ permissions: ['payments.create'] })).toEqual([403, 'permission_denied']);
    for (const node_id of [api.ids.nodes.root, api.ids.nodes.rival, owner.id]) {
      expect(await attempt({ node_id })).toEqual([404, 'node_not_found']);
    }
    expect(await attempt({ name: 'taken' })).toEqual([201, undefined]);
    expect(await attempt({ name: 'taken' })).toEqual([409, 'integration_exists']);
    expect(await attempt({ permissions: ['payments.steal'] })).toEqual([400, 'invalid_request']);
    expect(await attempt({ permissions: ['payments.read', 'payments.read'] })).toEqual([400, 'invalid_request']);
    expect(await attempt({ expires_at: new Date(Date.now() - 1_000).toISOString() })).toEqual([400, 'invalid_request']);
    expect(await attempt({ expires_at: '2030-02-30T00:00:00Z' })).toEqual([400, 'invalid_request']);
    // In UTC it is the year 10000, which RFC 3339 cannot write.
    expect(await attempt({ expires_at: '9999-12-31T23:59:59-01:00' })).toEqual([400, 'invalid_request']);
    expect(await attempt({ expires_at: '9999-12-31T23:59:59Z', name: 'old' })).toEqual([201, undefined]);
    expect(await attempt({ secret: 'mine' })).toEqual([400, 'invalid_request']);
  });
});

describe('keys', () => {
  it('are made once by four processes that start together, and open only with their master key', async () => {
    await api.knex('token_keys').delete();
    const masterKey = new Uint8Array(32).fill(7);
    const rings = await Promise.all([1, 2, 3, 4].map(() => createKeyRing({ knex: api.knex, masterKey })));
    const kids = rings.map((ring) => `${ring.access()[0]?.kid} ${ring.widget()[0]?.kid}`);
    expect(new Set(kids).size).toBe(1);
    expect(await api.knex('token_keys').count().first()).toEqual({ count: '2' });
    const stranger = createKeyRing({ knex: api.knex, masterKey: new Uint8Array(32).fill(8) });
    await expect(stranger).rejects.toMatchObject({ name: 'DecryptionError' });
  });

  it('are looked up once for twenty simultaneous requests, and at most once a second', async () => {
    let now = 0;
    const ring = await createKeyRing({ knex: api.knex, masterKey: new Uint8Array(32).fill(7), now: () => now });
    const looks: string[] = [];
    const count = ({ sql }: { sql: string }): void => void (sql.includes('token_keys') && looks.push(sql));
    api.knex.on('query', count);
    const refreshAll = () => together(20, () => ring.refresh());
    await refreshAll();
    expect(looks).toHaveLength(0);
    for (const [time, times] of [
      [1_000, 1],
      [1_999, 1],
      [2_000, 2],
    ] as const) {
      now = time;
      await refreshAll();
      expect(looks).toHaveLength(times);
    }
    api.knex.off('query', count);
  });

  it('that a rotation replaces verify until their end, also in a process that starts meanwhile', async () => {
    await api.knex('token_keys').delete();
    const masterKey = new Uint8Array(32).fill(7);
    let aheadMs = 0;
    const start = async () => {
      const keyRing = await createKeyRing({ knex: api.knex, masterKey, now: () => Date.now() + aheadMs });
      return { keyRing, tokens: createAccessTokens({ keyRing, issuer: 'https://pay.test' }) };
    };
    const first = await start();
    const token = await first.tokens.issue({ integrationId: shop.id, nodeId: shop.nodeId, permissions: [] });
    const [old] = first.keyRing.access();
    const rotation = { signsInSeconds: 0, retireAfterSeconds: 300 };
    const { kid } = await rotateTokenKey(api.knex, makeTokenKey(masterKey, 'access'), rotation);
    const { keyRing, tokens } = await start();
    expect(keyRing.access().map((key) => key.kid)).toEqual([kid, old?.kid]);
    await expect(tokens.verify(token)).resolves.toMatchObject({ integrationId: shop.id });
    aheadMs = 301_000;
    expect(keyRing.access().map((key) => key.kid)).toEqual([kid]);
  });

  it('open under no name but their own', async () => {
    const masterKey = new Uint8Array(32).fill(7);
    for (const purpose of ['access', 'widget'] as const) {
      await api.knex('token_keys').delete();
      await createKeyRing({ knex: api.knex, masterKey });
      const rotation = { signsInSeconds: 0, retireAfterSeconds: null };
      const { kid, encrypted_secret } = await rotateTokenKey(api.knex, makeTokenKey(masterKey, purpose), rotation);
      await api.knex('token_keys').where({ purpose }).whereNot({ kid }).update({ encrypted_secret });
      const swapped = createKeyRing({ knex: api.knex, masterKey });
      await expect(swapped).rejects.toMatchObject({ name: 'DecryptionError' });
    }
  });

  it('of a stranger with the same kid open nothing', async () => {
    const other = await startApi();
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const [own] = other.keyRing.access();
    const forged = createAccessTokens({
      keyRing: { ...other.keyRing, access: () => [{ ...own!, privateKey, publicKey }] },
      issuer: 'https://pay.test',
    });
    const caller = { integrationId: shop.id, nodeId: other.ids.nodes.shop!, permissions: allPermissions };
    const token = await forged.issue(caller);
    const { status, body } = await other.call('GET', '/api/v1/nodes', { token });
    expect([status, body.code]).toEqual([401, 'invalid_token']);
    await other.stop();
  });
});
