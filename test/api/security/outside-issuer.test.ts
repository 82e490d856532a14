import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { base64url, exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { dump } from 'js-yaml';
import { readOutsideIssuers } from '../../../api/auth/outside-issuers.ts';
import { createOutsideTokens } from '../../../api/auth/outside-tokens.ts';
import { onMeasure } from '../../../runtime/measures.ts';
import { eventually } from '../../support/eventually.ts';
import { payee, publicUrl, startApi } from '../support/api-under-test.ts';

/** An issuer with a real server of its keys. */
const startIssuer = async () => {
  const keys: JWK[] = [];
  const state = { fetches: 0, status: 200, hang: false };
  const server = http.createServer((_request, response) => {
    state.fetches += 1;
    if (state.hang) return;
    response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // If the api does not start, this server must not prevent the end of the run.
  server.unref();
  const { port } = server.address() as AddressInfo;
  const addKey = async (alg: string, kid = randomUUID()) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    keys.push({ ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' });
    return { ...pair, kid, alg };
  };
  const stop = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { keys, state, addKey, stop, port, jwksUri: `http://127.0.0.1:${port}/keys` };
};

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-issuers-'));
const fileOf = (content: unknown): string => {
  const file = path.join(directory, `${randomUUID()}.yaml`);
  fs.writeFileSync(file, typeof content === 'string' ? content : dump(content));
  return file;
};

const issuer = await startIssuer();
const issuers: Awaited<ReturnType<typeof startIssuer>>[] = [issuer];
const key = await issuer.addKey('ES256');
const rsa = await issuer.addKey('RS256');
const url = 'https://login.example';
const audience = 'carat';
const ceiling = ['payments.read', 'payments.create', 'wallets.read', 'wallets.create', 'integrations.create'];
const entry = (change: Record<string, unknown> = {}) => ({
  issuer: url,
  audience,
  jwks_uri: issuer.jwksUri,
  algorithms: ['ES256'],
  node: 'shop',
  permissions: ceiling,
  ...change,
});
const api = await startApi({ outsideIssuers: fileOf([entry()]) });

afterAll(async () => {
  await Promise.all(issuers.map((started) => started.stop()));
  fs.rmSync(directory, { recursive: true, force: true });
});

interface Wish {
  claims?: Record<string, unknown>;
  sign?: { privateKey: CryptoKey | Uint8Array; kid: string; alg: string };
}
const seconds = () => Math.floor(Date.now() / 1_000);
const tokenOf = ({ claims = {}, sign = key }: Wish = {}): Promise<string> => {
  const now = seconds();
  const permissions = ['payments.read', 'wallets.read', 'members.read'];
  return new SignJWT({ iss: url, aud: audience, sub: 'ada', nbf: now, exp: now + 600, permissions, ...claims })
    .setProtectedHeader({ alg: sign.alg, kid: sign.kid })
    .sign(sign.privateKey);
};
const ask = (token: string, target = '/api/v1/nodes') => api.call('GET', target, { token });

describe('a token of an outside issuer', () => {
  it('reaches the node of its issuer and those below, with the permissions that both sides allow', async () => {
    const token = await tokenOf();
    const names = (await ask(token)).body.items.map((node: { name: string }) => node.name);
    expect(names.toSorted()).toEqual(['branch', 'shop']);
    expect((await ask(token, `/api/v1/wallets?node_id=${api.ids.nodes.shop}`)).status).toBe(200);
    // Above the ceiling, and below it but not in the token.
    expect((await ask(token, `/api/v1/integrations?node_id=${api.ids.nodes.shop}`)).status).toBe(403);
    const create = await api.call('POST', '/api/v1/wallets', { token, json: {} });
    expect([create.status, create.body.code]).toEqual([403, 'permission_denied']);
    expect((await ask(token, `/api/v1/wallets?node_id=${api.ids.nodes.rival}`)).status).toBe(404);
    expect((await ask(token, `/api/v1/wallets?node_id=${api.ids.nodes.root}`)).status).toBe(404);
  });

  it('may name a node below, and none elsewhere', async () => {
    const branch = await tokenOf({ claims: { node: api.ids.nodes.branch!.toUpperCase() } });
    expect((await ask(branch)).body.items).toHaveLength(1);
    expect((await ask(branch, `/api/v1/wallets?node_id=${api.ids.nodes.shop}`)).status).toBe(404);
    expect((await ask(await tokenOf({ claims: { node: api.ids.nodes.shop } }))).status).toBe(200);
    const foreign = [api.ids.nodes.root, api.ids.nodes.rival, randomUUID(), 'shop', 7, null, ['x']];
    for (const node of foreign) {
      const { status, body } = await ask(await tokenOf({ claims: { node } }));
      expect([status, body.code]).toEqual([401, 'invalid_token']);
    }
  });

  it('may name its permissions by scope; without any it has those of any token', async () => {
    const wallets = `/api/v1/wallets?node_id=${api.ids.nodes.shop}`;
    const scoped = await tokenOf({ claims: { permissions: undefined, scope: 'openid wallets.read audit.read' } });
    expect((await ask(scoped, wallets)).status).toBe(200);
    const none = await tokenOf({ claims: { permissions: undefined } });
    expect((await ask(none, wallets)).status).toBe(403);
    expect((await ask(none)).status).toBe(200);
    for (const claims of [
      { permissions: 'wallets.read' },
      { permissions: [1] },
      { permissions: undefined, scope: 5 },
      { scope: 5 },
    ]) {
      expect((await ask(await tokenOf({ claims }), wallets)).status).toBe(401);
    }
  });

  it('has the permissions that both claims name, where both name some', async () => {
    const statuses = async (scope: string) => {
      const token = await tokenOf({ claims: { permissions: ['payments.read', 'wallets.read'], scope } });
      const of = async (what: string) => (await ask(token, `/api/v1/${what}?node_id=${api.ids.nodes.shop}`)).status;
      return [await of('payments'), await of('wallets')];
    };
    expect(await statuses('openid payments.read')).toEqual([200, 403]);
    expect(await statuses('openid profile')).toEqual([200, 200]);
    expect(await statuses('members.read')).toEqual([403, 403]);
  });

  it('leaves its act unnamed below, whatever the same person does from there', async () => {
    const { branch } = api.ids.nodes;
    const json = api.paymentBody({ node_id: branch, payment_method: 'bank_transfer', payment_address: payee });
    const headers = { 'idempotency-key': randomUUID() };
    const above = await tokenOf({ claims: { permissions: ceiling } });
    const { body: payment } = await api.call('POST', '/api/v1/payments', { token: above, json, headers });
    const below = await tokenOf({ claims: { permissions: ceiling, node: branch } });
    const reader = await api.actor('branch', ['payments.read', 'audit.read']);
    const acts = async () => {
      const { body } = await ask(reader.token, `/api/v1/payments/${payment.id}/logs`);
      return body.items.map((item: Record<string, unknown>) => [item.event_type, item.actor_type, item.actor_id]);
    };
    expect(await acts()).toEqual([['payment_created', 'operator', null]]);
    const replayed = await api.call('POST', '/api/v1/payments', { token: below, json, headers });
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(await acts()).toEqual([['payment_created', 'operator', null]]);
    await api.knex('audit_log').insert({
      node_id: branch,
      actor_id: `${url}#ada`,
      actor_node_id: branch,
      action: 'payment.retry_requested',
      resource_id: payment.id,
    });
    expect(await acts()).toEqual([['payment_created', 'operator', null]]);
  });

  it("works like an integration's: payments, logs, idempotency, audit", async () => {
    const token = await tokenOf({ claims: { permissions: ceiling } });
    const headers = { 'idempotency-key': randomUUID() };
    const json = api.paymentBody({ payment_method: 'bank_transfer', payment_address: payee });
    const first = await api.call('POST', '/api/v1/payments', { token, json, headers });
    expect(first.status).toBe(201);
    // Another token of the same subject is the same caller, one of another subject is not.
    const again = await tokenOf({ claims: { permissions: ceiling, jti: randomUUID() } });
    const replayed = await api.call('POST', '/api/v1/payments', { token: again, json, headers });
    expect([replayed.status, replayed.text]).toEqual([201, first.text]);
    const eve = await tokenOf({ claims: { permissions: ceiling, sub: 'eve' } });
    expect((await api.call('POST', '/api/v1/payments', { token: eve, json, headers })).status).toBe(409);
    const logs = await ask(token, `/api/v1/payments/${first.body.id}/logs`);
    expect(logs.body.items[0]).toMatchObject({ event_type: 'payment_created', actor_id: `${url}#ada` });
    const audit = await api.knex('audit_log').where({ resource_id: first.body.id }).orderBy('id');
    const actor = { actor_id: `${url}#ada`, actor_node_id: api.ids.nodes.shop };
    expect(audit).toMatchObject([
      { action: 'payment.created', ...actor },
      { action: 'answer.replayed', ...actor },
    ]);
  });

  it('makes integrations without an inherited end, and grants at most its own permissions', async () => {
    const token = await tokenOf({ claims: { permissions: ['integrations.create', 'payments.read', 'audit.read'] } });
    const create = (permissions?: string[]) =>
      api.call('POST', '/api/v1/integrations', {
        token,
        json: { node_id: api.ids.nodes.shop, name: randomUUID(), ...(permissions && { permissions }) },
      });
    const { status, body } = await create();
    expect([status, body.permissions, body.expires_at]).toEqual([201, ['payments.read', 'integrations.create'], null]);
    expect(await api.knex('integrations').where({ id: body.id }).first('created_by')).toEqual({ created_by: null });
    for (const lacked of ['audit.read', 'wallets.read']) expect((await create([lacked])).status).toBe(403);
  });
});

describe('refused as invalid_token:', () => {
  const spki = async () => new TextEncoder().encode(await exportSPKI(key.publicKey));
  const unsigned = () => {
    const part = (value: unknown) => base64url.encode(JSON.stringify(value));
    const claims = { iss: url, aud: audience, sub: 'ada', nbf: seconds(), exp: seconds() + 600 };
    return Promise.resolve(`${part({ alg: 'none', kid: key.kid })}.${part(claims)}.`);
  };
  const now = seconds();
  const own = api.keyRing.access()[0]!;
  const cases: Record<string, () => Promise<string>> = {
    'alg none': unsigned,
    'HS256 with the public key': async () => tokenOf({ sign: { ...key, alg: 'HS256', privateKey: await spki() } }),
    'HS256 with the JWK': () =>
      tokenOf({ sign: { ...key, alg: 'HS256', privateKey: base64url.decode(issuer.keys[0]!.x!) } }),
    'an algorithm that is not allowed, though its key is published': () => tokenOf({ sign: rsa }),
    'a wrong key': async () => {
      const { privateKey } = await generateKeyPair('ES256');
      return tokenOf({ sign: { ...key, privateKey } });
    },
    'a key that is not published': async () => {
      const { privateKey } = await generateKeyPair('ES256');
      return tokenOf({ sign: { privateKey, kid: 'unknown', alg: 'ES256' } });
    },
    'a wrong audience': () => tokenOf({ claims: { aud: `${publicUrl}/api/v1` } }),
    'no audience': () => tokenOf({ claims: { aud: undefined } }),
    'an issuer that is not trusted': () => tokenOf({ claims: { iss: `${url}/` } }),
    'no issuer': () => tokenOf({ claims: { iss: undefined } }),
    'the issuer of Carat, by an outside key': () => tokenOf({ claims: { iss: publicUrl } }),
    'an outside issuer, by a key of Carat': () =>
      tokenOf({ sign: { ...own, alg: 'EdDSA', privateKey: own.privateKey as unknown as CryptoKey } }),
    'an end that has passed': () => tokenOf({ claims: { exp: now - 1 } }),
    'no end': () => tokenOf({ claims: { exp: undefined } }),
    'an end more than a day ahead': () => tokenOf({ claims: { exp: now + 86_400 + 120 } }),
    'no beginning': () => tokenOf({ claims: { nbf: undefined } }),
    'a beginning to come': () => tokenOf({ claims: { nbf: now + 300 } }),
    'no subject': () => tokenOf({ claims: { sub: undefined } }),
    'an empty subject': () => tokenOf({ claims: { sub: '' } }),
    'a subject of control characters': () => tokenOf({ claims: { sub: 'a\nb' } }),
    'a subject too long': () => tokenOf({ claims: { sub: 'a'.repeat(256) } }),
    'a changed signature': async () => (await tokenOf()).slice(0, -4) + 'AAAA',
  };
  it.each(Object.keys(cases))('%s', async (name) => {
    const before = issuer.state.fetches;
    const { status, body, headers } = await ask(await cases[name]!());
    expect([status, body.code]).toEqual([401, 'invalid_token']);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="carat", error="invalid_token"/);
    expect(issuer.state.fetches - before).toBeLessThanOrEqual(1);
  });

  it('a remembered token, after a minute or its end', async () => {
    let time = Date.now();
    const resolved = await readOutsideIssuers({ file: fileOf([entry()]), ownIssuer: publicUrl, knex: api.knex });
    const tokens = createOutsideTokens({ knex: api.knex, issuers: resolved, now: () => time, keysMaxAgeMs: 0 });
    const short = await tokenOf({ claims: { exp: seconds() + 30 } });
    const long = await tokenOf();
    await tokens.verify(short);
    const caller = await tokens.verify(long);
    const before = issuer.state.fetches;
    time += 29_000;
    expect(await tokens.verify(short)).not.toBeNull();
    expect(await tokens.verify(long)).toBe(caller);
    expect(issuer.state.fetches).toBe(before);
    time += 2_000;
    await expect(tokens.verify(short)).rejects.toMatchObject({ code: 'invalid_token' });
    time += 30_000;
    expect(await tokens.verify(long)).toEqual(caller);
    expect(issuer.state.fetches).toBeGreaterThan(before);
  });
});

describe('the keys of an outside issuer', () => {
  const tokensOf = async (jwks_uri: string, options: Partial<Parameters<typeof createOutsideTokens>[0]> = {}) => {
    const file = fileOf([entry({ jwks_uri })]);
    const resolved = await readOutsideIssuers({ file, ownIssuer: publicUrl, knex: api.knex });
    return createOutsideTokens({ knex: api.knex, issuers: resolved, ...options });
  };
  const another = async () => {
    const started = await startIssuer();
    issuers.push(started);
    return started;
  };

  it('may rotate: a new one is fetched on first use, an old one opens nothing once it is gone', async () => {
    const server = await another();
    const old = await server.addKey('ES256');
    const tokens = await tokensOf(server.jwksUri, { cooldownMs: 0 });
    const oldToken = await tokenOf({ sign: old });
    expect(await tokens.verify(oldToken)).toMatchObject({ actorId: `${url}#ada`, integrationId: null });
    const added = await server.addKey('ES256');
    expect(await tokens.verify(await tokenOf({ sign: added }))).not.toBeNull();
    expect(server.state.fetches).toBe(2);
    server.keys.shift();
    const later = await tokensOf(server.jwksUri);
    await expect(later.verify(oldToken)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('are fetched once for many simultaneous requests, and not again for a recently unknown key', async () => {
    const server = await another();
    const good = await server.addKey('ES256');
    const tokens = await tokensOf(server.jwksUri);
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        tokens.verify(await tokenOf({ sign: good, claims: { sub: `u${index}` } })),
      ),
    );
    expect(new Set(all.map((caller) => caller?.actorId)).size).toBe(20);
    const unknown = await tokenOf({ sign: { ...good, kid: 'unknown' } });
    for (let times = 0; times < 5; times += 1) {
      await expect(tokens.verify(unknown)).rejects.toMatchObject({ code: 'invalid_token' });
    }
    expect(server.state.fetches).toBe(1);
  });

  it('that cannot be fetched mean 503, not 401, without repeated fetches; fresh ones stay valid', async () => {
    const server = await another();
    const good = await server.addKey('ES256');
    server.state.status = 500;
    const tokens = await tokensOf(server.jwksUri, { cooldownMs: 0 });
    const token = await tokenOf({ sign: good });
    for (let times = 0; times < 5; times += 1) {
      await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(server.state.fetches).toBe(1);
    server.state.status = 200;
    const recovered = await tokensOf(server.jwksUri, { cooldownMs: 0 });
    expect(await recovered.verify(token)).not.toBeNull();
    await server.stop();
    expect(await recovered.verify(await tokenOf({ sign: good, claims: { sub: 'bob' } }))).not.toBeNull();
    const unknown = await tokenOf({ sign: { ...good, kid: 'unknown' } });
    await expect(recovered.verify(unknown)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await recovered.verify(await tokenOf({ sign: good, claims: { sub: 'cleo' } }))).not.toBeNull();
    const down = await tokensOf(server.jwksUri);
    await expect(down.verify(token)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.each([0, 600_000])(
    'may rotate after the clock was set back by %d ms: a new one is fetched on first use, an old one opens nothing',
    async (ms) => {
      const server = await another();
      const old = await server.addKey('ES256');
      const real = Date.now;
      const claims = { nbf: seconds() - 60, exp: seconds() + 1_200 };
      // The clock is ten minutes ahead, and then put right.
      mock.method(Date, 'now', () => real() + ms);
      try {
        const tokens = await tokensOf(server.jwksUri, { cooldownMs: 100, keysMaxAgeMs: 300, now: () => Date.now() });
        expect(await tokens.verify(await tokenOf({ sign: old, claims }))).not.toBeNull();
        mock.restoreAll();
        server.keys.shift();
        const added = await server.addKey('ES256');
        const fresh = await tokenOf({ sign: added, claims });
        await eventually(() => tokens.verify(fresh));
        const stale = await tokenOf({ sign: old, claims: { ...claims, sub: 'bob' } });
        await expect(tokens.verify(stale)).rejects.toMatchObject({ code: 'invalid_token' });
      } finally {
        mock.restoreAll();
      }
    },
  );

  it('that never arrive mean 503 after three seconds, in the form of every problem', async () => {
    const server = await another();
    server.state.hang = true;
    const slow = await startApi({ outsideIssuers: fileOf([entry({ jwks_uri: server.jwksUri })]) });
    const faults: boolean[] = [];
    onMeasure('request', ({ isFault }) => void faults.push(isFault));
    const { status, body, headers } = await slow.call('GET', '/api/v1/nodes', { token: await tokenOf() });
    // A fault of the issuer is not a fault of this installation.
    await eventually(() => faults.length > 0);
    expect([faults, slow.lines.filter((line) => line.includes('request failed'))]).toEqual([[false], []]);
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect(body.detail).not.toContain(server.jwksUri);
    const ours = await slow.actor('shop');
    expect((await slow.call('GET', '/api/v1/nodes', { token: ours.token })).status).toBe(200);
    await slow.stop();
  });
});

describe('the file of outside issuers', () => {
  const problemsOf = async (content: unknown): Promise<string[]> => {
    const file = fileOf(content);
    const result = await readOutsideIssuers({ file, ownIssuer: publicUrl, knex: api.knex }).catch(
      (error: { problems: string[] }) =>
        error.problems.map((problem) => problem.replace('CARAT_OUTSIDE_ISSUERS: ', '')),
    );
    return result.map((problem) => String(problem));
  };

  it('may be JSON, may be empty, and finds nodes by id or by name', async () => {
    const read = (content: unknown) =>
      readOutsideIssuers({ file: fileOf(content), ownIssuer: publicUrl, knex: api.knex });
    expect(await readOutsideIssuers({ file: '', ownIssuer: publicUrl, knex: api.knex })).toEqual([]);
    expect(await read([])).toEqual([]);
    const byId = await read(JSON.stringify([entry({ node: api.ids.nodes.branch })]));
    expect(byId).toMatchObject([{ issuer: url, nodeId: api.ids.nodes.branch, permissions: ceiling }]);
    expect(await read([entry({ jwks_uri: 'https://login.example/keys' })])).toMatchObject([
      { nodeId: api.ids.nodes.shop },
    ]);
  });

  it('reports every problem at once, with its place', async () => {
    const wrong = {
      ...entry({ issuer: publicUrl, audience: '', jwks_uri: 'http://login.example/keys', node: '' }),
      algorithms: ['HS256'],
      permissions: ['payments.steal'],
      color: 'red',
    };
    const problems = await problemsOf([wrong, 5, entry({ node: 'nowhere' }), entry({ node: randomUUID() })]);
    expect(problems.map((problem) => problem.split(' ', 3).join(' '))).toEqual([
      '[0].color is unknown;',
      '[0].audience must be',
      '[0].jwks_uri must be',
      '[0].algorithms must list',
      '[0].node must be',
      '[0].permissions must list',
      '[0].issuer must not',
      '[1] must be',
      `issuer ${url}: the`,
      `the issuer ${url}`,
      `issuer ${url}: the`,
    ]);
  });

  it.each([
    ['issuer', 'login.example'],
    ['issuer', 'https://login.example/#x'],
    ['issuer', 7],
    ['jwks_uri', 'https://user:password@login.example/keys'],
    ['jwks_uri', 'http://127.0.0.1.evil.example/keys'],
    ['jwks_uri', 'file:///etc/passwd'],
    ['jwks_uri', null],
    ['algorithms', []],
    ['algorithms', ['none']],
    ['algorithms', ['ES256', 'ES256']],
    ['algorithms', 'ES256'],
    ['permissions', []],
    ['permissions', undefined],
  ])('refuses %s %p', async (field, value) => {
    const problems = await problemsOf(JSON.stringify([entry({ [field]: value })]));
    expect(problems).toEqual([expect.stringMatching(new RegExp(String.raw`^\[0\]\.${field} must `))]);
  });

  it('that is missing or no YAML is a problem too', async () => {
    expect(await problemsOf('[{')).toEqual([expect.stringContaining('cannot be read')]);
    expect(await problemsOf('issuers: []')).toEqual(['must hold a list of issuers']);
    const missing = readOutsideIssuers({ file: '/nowhere/x.yaml', ownIssuer: publicUrl, knex: api.knex });
    await expect(missing).rejects.toMatchObject({ problems: [expect.stringContaining('ENOENT')] });
  });
});
