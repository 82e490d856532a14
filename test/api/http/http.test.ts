import net from 'node:net';
import { listenHttp } from '../../../api/http/http-server.ts';
import { connect } from '../../../db/connection.ts';
import { eventually } from '../../support/eventually.ts';
import { startApi } from '../support/api-under-test.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';

const api = await startApi();
const shop = await api.actor('shop');

const post = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/v1/wallets', { token: shop.token, raw, headers });

/** The server's answer to these bytes, until it closes the connection. */
const sendBytes = async (port: number | string, bytes: string): Promise<string> => {
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.write(bytes);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const expectProblem = (answer: string, status: number): void => {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toMatch(/^content-type: application\/problem\+json$/im);
  const problem = JSON.parse(body) as Record<string, unknown>;
  expect(problem).toMatchObject({ status, code: 'invalid_request' });
  expect(/^x-request-id: (.*)$/im.exec(head)?.[1]).toBe(problem.request_id);
};

it('a request without a required body is refused, even if the body has no required member', async () => {
  const wallet = await api.wallet(shop);
  const head = `PUT /api/v1/wallets/${wallet.id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.token}`;
  const answer = await sendBytes(
    new URL(api.url).port,
    `${head}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain(`"path":"/body","message":"is required"`);
});

describe('routes', () => {
  it.each([
    '/',
    '/api/v1/payment',
    '/api/v1/payments/',
    '/API/v1/payments',
    '/api/v1/payments/a/b',
    '/docs/x',
    '/%E0%A4%A',
  ])('answers 404 route_not_found for %s', async (path) => {
    const { status, body, headers } = await api.call('GET', path);
    expect([status, body.code]).toEqual([404, 'route_not_found']);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toEqual({
      type: '/docs#route_not_found',
      title: 'Route not found',
      status: 404,
      detail: expect.any(String),
      code: 'route_not_found',
      request_id: headers.get('x-request-id'),
      errors: [],
    });
  });

  it('answers 405 with the allowed methods for a wrong one', async () => {
    const { status, body, headers } = await api.call('PATCH', '/api/v1/payments', { token: shop.token });
    expect([status, body.code]).toEqual([405, 'method_not_allowed']);
    expect(headers.get('allow')).toBe('POST, GET');
  });

  it('answers 400 for a path that is not percent-encoded UTF-8', async () => {
    const { status, body } = await api.call('GET', '/api/v1/payments/%E0%A4%A', { token: shop.token });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  it('answers a HEAD like a GET, without a body', async () => {
    const { status, text } = await api.call('HEAD', '/healthz');
    expect([status, text]).toEqual([200, '']);
  });

  it('takes a harmless request id and replaces any other', async () => {
    const given = await api.call('GET', '/healthz', { headers: { 'x-request-id': 'order-7:a.b' } });
    expect(given.headers.get('x-request-id')).toBe('order-7:a.b');
    const refused = await api.call('GET', '/healthz', { headers: { 'x-request-id': 'a b"c' } });
    expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('names the part of the path that is not percent-encoded UTF-8', async () => {
    const { status, body } = await api.call('GET', '/api/v1/wallets/%zz', { token: shop.token });
    expect([status, body.errors]).toEqual([400, [{ path: '/params/id', message: 'must be percent-encoded UTF-8' }]]);
  });

  it.each([
    ['bytes that are no HTTP', 'GARBAGE\r\n\r\n', 400],
    ['a target that is no path', 'GET http://[/healthz HTTP/1.0\r\n\r\n', 400],
    ['a request to a proxy for a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 400],
    ['a request without Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['a head that is too large', `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('answers %s with a problem', async (_, bytes, status) => {
    expectProblem(await sendBytes(new URL(api.url).port, bytes), status);
  });

  it.each([
    ['Host', 'Host: y'],
    ['Authorization', 'Authorization: Bearer a\r\nAuthorization: Bearer b'],
    ['Content-Type', 'Content-Type: application/json\r\nContent-Type: text/plain'],
    ['Content-Length', 'Content-Length: 0\r\nContent-Length: 0'],
    ['Content-Length of another value', 'Content-Length: 0\r\nContent-Length: 5'],
    ['Transfer-Encoding', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
    ['Content-Length beside Transfer-Encoding', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
  ])('answers a request with a second %s with a problem', async (_, header) => {
    const head = `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}`;
    expectProblem(await sendBytes(new URL(api.url).port, `${head}\r\n\r\n`), 400);
  });

  it.each([
    ['the target that a proxy gets', 'GET http://pay.test/healthz HTTP/1.1\r\nHost: x\r\n'],
    ['a fragment in its target', 'GET /healthz#top HTTP/1.1\r\nHost: x\r\n'],
    ['an expectation it does not know', 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: x\r\n'],
    ['a condition, as nothing is cached', 'GET /healthz HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n'],
    ['no Host in HTTP/1.0', 'GET /healthz HTTP/1.0\r\n'],
  ])('answers a request with %s like any other', async (_, head) => {
    const answer = await sendBytes(new URL(api.url).port, `${head}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*{"status":"ok"}$/);
  });

  it('answers a head that takes too long with a problem', async () => {
    const deadlines = { requestTimeout: 100, headersTimeout: 100 };
    const server = await listenHttp((_request, response) => void response.end(), '127.0.0.1', 0, deadlines);
    expectProblem(await sendBytes(server.port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n'), 408);
    await server.stop(0);
  });
});

describe('bodies', () => {
  it.each([
    ['{"name":', 'malformed_json'],
    ['{"name":"x",}', 'malformed_json'],
    ['\u0000', 'malformed_json'],
    [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'malformed_json'],
    ['', 'invalid_request'],
    ['"text"', 'invalid_request'],
    ['null', 'invalid_request'],
    ['[]', 'invalid_request'],
    ['['.repeat(200_000), 'malformed_json'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'invalid_request'],
  ])('answers 400 for body %#', async (raw, code) => {
    const { status, body } = await post(raw);
    expect([status, body.code]).toEqual([400, code]);
  });

  it('answers 400 for a deeply nested body, even with an Idempotency-Key', async () => {
    const deep = (open: string, close: string): string => `${open.repeat(20_000)}1${close.repeat(20_000)}`;
    for (const raw of [deep('[', ']'), deep('{"a":', '}'), deep('[{"__proto__":', '}]')]) {
      for (const headers of [{}, { 'idempotency-key': 'deep' }] as Record<string, string>[]) {
        const { status, body } = await post(raw, headers);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
      }
    }
  });

  it('refuses a body with too many values before it is parsed, which would delay all others', async () => {
    const many = [
      `[${'1,'.repeat(200_000)}1]`,
      `{"a":[${'{},'.repeat(1_000)}{}]}`,
      '[{"a":'.repeat(600) + '1' + '}]'.repeat(600),
    ];
    for (const raw of many) {
      for (const headers of [{}, { 'idempotency-key': 'many' }] as Record<string, string>[]) {
        const { status, body } = await post(raw, headers);
        expect([status, body.detail]).toEqual([400, '/body must not hold more than 1000 values']);
      }
    }
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'a/b', ''])(
    'answers 415 for the content type %s',
    async (type) => {
      const { status, body } = await post('{}', { 'content-type': type });
      expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  it('takes JSON with any parameters of its content type', async () => {
    for (const type of [
      'APPLICATION/JSON',
      'application/json;charset="utf-8"',
      'application/json; x=1; Charset=UTF-8',
    ]) {
      const { body } = await post('{}', { 'content-type': type });
      expect(body.code).toBe('invalid_request');
    }
  });

  it('answers 415 for a compressed body', async () => {
    const { status, body } = await post('{}', { 'content-encoding': 'gzip' });
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('does not read a large body when the request is refused without it', async () => {
    const head = (length: number): string =>
      `POST /api/v1/wallets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Length: ${length}\r\n`;
    const { port } = new URL(api.url);
    expect(await sendBytes(port, `${head(200_000)}\r\n{`)).toMatch(/^HTTP\/1\.1 401 [^]*\r\nConnection: close\r\n/);
    const small = await sendBytes(port, `${head(2)}\r\n{}${head(2)}Connection: close\r\n\r\n{}`);
    expect(small.match(/HTTP\/1\.1 401/g)).toHaveLength(2);
  });

  it('answers 413 for a body above the limit', async () => {
    const { status, body } = await post(`{"name":"${'x'.repeat(600_000)}"}`);
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
    const chunks = `${'x'.repeat(600_000).replaceAll(/.{60000}/g, (part) => `ea60\r\n${part}\r\n`)}0\r\n\r\n`;
    const head = `Host: x\r\nAuthorization: Bearer ${shop.token}\r\nTransfer-Encoding: chunked\r\nConnection: close`;
    const send = (type: string) =>
      sendBytes(
        new URL(api.url).port,
        `POST /api/v1/wallets HTTP/1.1\r\n${head}\r\nContent-Type: ${type}\r\n\r\n${chunks}`,
      );
    expect(await send('application/json')).toMatch(/^HTTP\/1\.1 413 /);
    expect(await send('a/b')).toMatch(/^HTTP\/1\.1 415 /);
  });

  it.each([
    [{ name: 'a' }, '/body/node_id', 'is required'],
    [{ node_id: 1, chain_id: shop.nodeId, name: 'a' }, '/body/node_id', 'must be a string'],
    [{ node_id: 'x', chain_id: shop.nodeId, name: 'a' }, '/body/node_id', 'must be a UUID'],
    [
      { node_id: `urn:uuid:${shop.nodeId}`.slice(0, 36), chain_id: shop.nodeId, name: 'a' },
      '/body/node_id',
      'must be a UUID',
    ],
    [{ node_id: shop.nodeId, chain_id: shop.nodeId, name: '' }, '/body/name', 'must not be empty'],
    [
      { node_id: shop.nodeId, chain_id: shop.nodeId, name: 'x'.repeat(256) },
      '/body/name',
      'must have at most 255 characters',
    ],
    [{ node_id: shop.nodeId, chain_id: shop.nodeId, name: 'a', id: shop.nodeId }, '/body/id', 'is unknown'],
    [
      { node_id: shop.nodeId, chain_id: shop.nodeId, name: 'a\0b' },
      '/body/name',
      'must not contain NUL characters or unpaired surrogates',
    ],
    [
      { node_id: shop.nodeId, chain_id: shop.nodeId, name: 'a\uD800b' },
      '/body/name',
      'must not contain NUL characters or unpaired surrogates',
    ],
  ])('names field and rule, %#', async (json, path, message) => {
    const { status, body } = await api.call('POST', '/api/v1/wallets', { token: shop.token, json });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ path, message }]);
  });

  it('refuses __proto__ like any other unknown field', async () => {
    const { status, body } = await post('{"__proto__":{"node_id":"x"}}');
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('queries', () => {
  const node = `node_id=${shop.nodeId}`;

  it.each([
    [`${node}&page=1000001`, '/query/page'],
    [`${node}&page=1e400`, '/query/page'],
    [`${node}&per_page=-1e400`, '/query/per_page'],
    [`${node}&page=1&page=2`, '/query/page'],
    [`${node}&include_descendants=maybe`, '/query/include_descendants'],
  ])('answers 400 with the path for ?%s', async (query, path) => {
    const { status, body } = await api.call('GET', `/api/v1/wallets?${query}`, { token: shop.token });
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe(path);
  });

  it('takes no longer for unknown content types, and answers them in the same way', async () => {
    const ask = async (type: (index: number) => string): Promise<number> => {
      const started = performance.now();
      for (let index = 0; index < 100; index += 1) {
        const headers = { 'content-type': type(index) };
        expect((await api.call('GET', '/api/v1/nodes', { token: shop.token, headers })).status).toBe(200);
      }
      return performance.now() - started;
    };
    await ask(() => 'a/b');
    const [same, different]: [number[], number[]] = [[], []];
    for (const round of [1, 2, 3]) {
      same.push(await ask(() => 'a/b'));
      different.push(await ask((index) => `a/b${round}-${index}; x=${index}`));
    }
    // Each of them used to cost a compiled schema, twenty times as much. The least of each, as the machine has other work in between.
    expect(Math.min(...different) / Math.min(...same)).toBeLessThan(5);
  });

  it('answers 400 for NUL in a query', async () => {
    const { status, body } = await api.call('GET', `/api/v1/payments?${node}&external_id=a%00b`, { token: shop.token });
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe('/query/external_id');
  });
});

describe('order of refusal', () => {
  it('is 404 and 405 of the route, 401, 403, 413, 415, 400, then the refusals of the handler', async () => {
    const poor = await api.actor('shop', []);
    const send = (token: string | undefined, headers: Record<string, string>, raw: string) =>
      api.call('POST', '/api/v1/wallets', { ...(token ? { token } : {}), headers, raw });
    const large = 'x'.repeat(600_000);
    expect((await send(undefined, { 'content-type': 'a/b' }, large)).status).toBe(401);
    expect((await send(poor.token, { 'content-type': 'a/b' }, large)).status).toBe(403);
    expect((await send(shop.token, { 'content-type': 'a/b' }, large)).status).toBe(413);
    expect((await send(shop.token, { 'content-type': 'a/b' }, '{')).status).toBe(415);
    expect((await send(shop.token, {}, '{')).status).toBe(400);
    const unknown = { node_id: shop.id, chain_id: shop.id, name: 'a' };
    expect((await send(shop.token, {}, JSON.stringify(unknown))).status).toBe(404);
  });
});

describe('the service itself', () => {
  it('checks each part once for many simultaneous readiness requests, which no limit counts', async () => {
    let [asking, most] = [0, 0];
    const isLook = ({ sql }: { sql: string }): boolean => sql === 'SELECT 1';
    api.knex.on('query', (query: { sql: string }) => isLook(query) && (most = Math.max(most, (asking += 1))));
    api.knex.on('query-response', (_answer, query: { sql: string }) => isLook(query) && (asking -= 1));
    const answers = await Promise.all(Array.from({ length: 100 }, () => api.call('GET', '/readyz')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(most).toBe(1);
  });

  it('is alive and ready, even while Temporal is not reachable', async () => {
    expect((await api.call('GET', '/healthz')).body).toEqual({ status: 'ok' });
    const { status, body } = await api.call('GET', '/readyz');
    expect([status, body]).toEqual([200, { status: 'ready', database: 'reachable', temporal: 'unreachable' }]);
  });

  it('keeps its answers out of caches and frames', async () => {
    const { headers } = await api.call('GET', '/healthz');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('does not answer other origins, except on the widget endpoint', async () => {
    const origin = { headers: { origin: 'https://shop.example' } };
    expect((await api.call('GET', '/healthz', origin)).headers.get('access-control-allow-origin')).toBeNull();
    expect((await api.call('OPTIONS', '/api/v1/payments', origin)).status).toBe(405);
  });
});

describe('without a database', () => {
  it('answers 503 unavailable, is alive but not ready, and goes on when the database is back', async () => {
    const proxy = await createTcpProxy();
    const alone = await startApi({ through: proxy.through });
    const { token, nodeId } = await alone.actor('shop');
    const list = () => alone.call('GET', `/api/v1/wallets?node_id=${nodeId}`, { token });
    proxy.cut();
    const { status, body, headers } = await list();
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    const figures = await alone.call('GET', '/api/v1/status', { token });
    expect([figures.status, figures.body.code]).toEqual([503, 'unavailable']);
    expect((await alone.call('GET', '/healthz')).status).toBe(200);
    const ready = await alone.call('GET', '/readyz');
    expect([ready.status, ready.body.database]).toEqual([503, 'unreachable']);
    proxy.mend();
    expect(await eventually(async () => ((await list()).status === 200 ? 'back' : null))).toBe('back');
    await alone.stop();
    await proxy.close();
  });

  it('answers 503 unavailable while the database accepts connections and stays silent', async () => {
    const proxy = await createTcpProxy();
    const alone = await startApi({ through: proxy.through });
    const { token, nodeId } = await alone.actor('shop');
    const list = () => alone.call('GET', `/api/v1/wallets?node_id=${nodeId}`, { token });
    proxy.cut();
    proxy.mend();
    proxy.freeze();
    // More than the pool has connections: some wait for one that is being made, others for one that is free.
    const answers = await Promise.all(Array.from({ length: 20 }, list));
    expect(answers.map(({ status, body }) => `${status} ${String(body.code)}`)).toEqual(
      answers.map(() => '503 unavailable'),
    );
    proxy.cut();
    proxy.mend();
    expect(await eventually(async () => ((await list()).status === 200 ? 'back' : null))).toBe('back');
    await alone.stop();
    await proxy.close();
  });

  it('answers 503 unavailable to requests in flight when the database closes its connections', async () => {
    const proxy = await createTcpProxy();
    let direct = '';
    const alone = await startApi({ through: (url) => proxy.through((direct = url)) });
    const { token, nodeId } = await alone.actor('shop');
    const json = { node_id: nodeId, chain_id: alone.ids.chains.Main, name: 'Shop' };
    const owner = connect(direct, { pool: 2 });
    const lock = await owner.transaction();
    await lock.raw('LOCK TABLE wallets, members');
    const answers = Promise.all([
      alone.call('GET', `/api/v1/wallets?node_id=${nodeId}`, { token }),
      alone.call('GET', `/api/v1/members?node_id=${nodeId}`, { token }),
      alone.call('POST', '/api/v1/wallets', { token, json }),
    ]);
    await eventually(async () => {
      const { rows } = await owner.raw<{ rows: unknown[] }>(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length === 3;
    });
    proxy.hangUp();
    const told = (await answers).map(({ status, body }) => `${status} ${String(body.code)}`);
    expect(told).toEqual(told.map(() => '503 unavailable'));
    await lock.rollback();
    await owner.destroy();
    await alone.stop();
    await proxy.close();
  });

  it('answers 503 unavailable to changes while a failover leaves it with a read-only database', async () => {
    const proxy = await createTcpProxy();
    const alone = await startApi({ through: proxy.through });
    const { token, nodeId } = await alone.actor('shop');
    const list = () => alone.call('GET', `/api/v1/wallets?node_id=${nodeId}`, { token });
    const create = () =>
      alone.call('POST', '/api/v1/wallets', {
        token,
        json: { node_id: nodeId, chain_id: alone.ids.chains.Main, name: 'W' },
      });
    const onlyRead = async (value: 'on' | 'off'): Promise<void> => {
      await alone.knex.transaction(async (trx) => {
        await trx.raw('SET TRANSACTION READ WRITE');
        const { rows } = await trx.raw<{ rows: { name: string }[] }>('SELECT current_database() AS name');
        await trx.raw(`ALTER DATABASE ?? SET default_transaction_read_only = ${value}`, [rows[0]!.name]);
      });
      // The setting is that of new connections.
      proxy.cut();
      proxy.mend();
      await eventually(async () => ((await list()).status === 200 ? 'reads' : null));
    };
    await onlyRead('on');
    const { status, body, headers } = await create();
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    await onlyRead('off');
    expect((await create()).status).toBe(201);
    await alone.stop();
    await proxy.close();
  });
});
