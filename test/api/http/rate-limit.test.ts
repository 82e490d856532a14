import { randomUUID } from 'node:crypto';
import { addressGroups } from '../../../api/request/client-address.ts';
import { HOLD_MS, PROMPT_REFUSALS } from '../../../api/limits/rate-limit.ts';
import { eventually } from '../../support/eventually.ts';
import { startApi, type Answer, type ApiUnderTest } from '../support/api-under-test.ts';

/** So slow that a busy machine makes no difference: a token in ten seconds. */
const size = { rate: 0.1, burst: 3 };
/** Spent requests do not come back while a test runs, however busy the machine is. */
const never = { rate: 0.000_1, burst: 1 };
const local = ['127.0.0.1'];

/** Buckets of their own for the next test. */
const fresh = (api: ApiUnderTest): Promise<unknown> => api.knex('rate_limits').delete();

const tokenRequest = (api: ApiUnderTest, headers: Record<string, string> = {}): Promise<Answer> =>
  api.call('POST', '/api/v1/auth/token', {
    json: { grant_type: 'client_credentials', client_id: 'ck_nobody', client_secret: 'cs_nothing' },
    headers,
  });

const widgetRequest = (api: ApiUnderTest, headers: Record<string, string> = {}): Promise<Answer> =>
  api.call('GET', `/api/v1/widget/payments/${randomUUID()}`, { token: 'wt_wrong', headers });

const statuses = async (count: number, request: () => Promise<Answer>): Promise<number[]> => {
  const answers: number[] = [];
  for (let index = 0; index < count; index += 1) answers.push((await request()).status);
  return answers;
};

describe('the limit of a caller', () => {
  let api: ApiUnderTest;
  beforeAll(async () => {
    api = await startApi({ rateLimits: { caller: size } });
  });

  it('is shown in every answer that counts, and refuses the excess with 429', async () => {
    const { token } = await api.actor('shop');
    const first = await api.call('GET', '/api/v1/networks', { token });
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-policy')).toBe('"caller";q=3;w=30');
    expect(first.headers.get('ratelimit')).toMatch(/^"caller";r=2;t=(\d|10)$/);
    // A refusal for another reason counts too, and has the headers.
    const second = await api.call('GET', `/api/v1/payments/${randomUUID()}`, { token });
    expect(second.status).toBe(404);
    expect(second.headers.get('ratelimit')).toMatch(/^"caller";r=1;t=(1\d|20)$/);
    expect((await api.call('GET', '/api/v1/networks?page=0', { token })).status).toBe(400);
    const refused = await api.call('GET', '/api/v1/networks', { token });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.body).toMatchObject({ code: 'rate_limited', status: 429, title: 'Too many requests' });
    expect(refused.headers.get('retry-after')).toMatch(/^(\d|10)$/);
    expect(refused.headers.get('ratelimit')).toMatch(/^"caller";r=0;t=(2\d|30)$/);
    expect(refused.headers.get('ratelimit-policy')).toBe('"caller";q=3;w=30');
  });

  it('delays its refusals when they come again and again', async () => {
    const { token } = await api.actor('shop');
    const timed = async (): Promise<{ status: number; ms: number }> => {
      const started = performance.now();
      const { status } = await api.call('GET', '/api/v1/networks', { token });
      return { status, ms: performance.now() - started };
    };
    const refused = (await Promise.all(Array.from({ length: 100 }, timed))).filter(({ status }) => status === 429);
    // A few more than allowed pass, because they do not arrive at one instant; a timer may be early by a millisecond.
    const held = refused.filter(({ ms }) => ms >= HOLD_MS - 1);
    expect(held.length).toBeGreaterThan(refused.length - 2 * PROMPT_REFUSALS);
  });

  it('belongs to one integration, and is counted after 401 and before 403', async () => {
    const [shop, rival] = await Promise.all([api.actor('shop', []), api.actor('rival')]);
    const create = () => api.call('POST', '/api/v1/payments', { token: shop.token, json: {} });
    expect(await statuses(5, create)).toEqual([403, 403, 403, 429, 429]);
    expect((await api.call('GET', '/api/v1/networks', { token: rival.token })).status).toBe(200);
    const unknown = await api.call('GET', '/api/v1/networks', { token: 'garbage' });
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get('ratelimit')).toBeNull();
  });

  it('does not count public operations', async () => {
    expect(await statuses(5, () => api.call('GET', '/healthz'))).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(5, () => tokenRequest(api))).toEqual([401, 401, 401, 401, 401]);
  });
});

describe('the limit of an address', () => {
  let api: ApiUnderTest;
  beforeAll(async () => {
    api = await startApi({ rateLimits: { address: size } });
  });

  it('is checked before the credentials of a token request, and answers in the form of OAuth', async () => {
    await fresh(api);
    expect(await statuses(3, () => tokenRequest(api))).toEqual([401, 401, 401]);
    const refused = await tokenRequest(api);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toBe('application/json');
    expect(refused.headers.get('retry-after')).toMatch(/^(\d|10)$/);
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0;t=(2\d|30)$/);
    expect(refused.body).toEqual({
      error: 'invalid_request',
      error_description: `Too many requests; try again in ${refused.headers.get('retry-after')} s`,
      code: 'rate_limited',
      request_id: refused.headers.get('x-request-id'),
    });
  });

  it('does not count requests of known callers', async () => {
    const { token } = await api.actor('shop');
    const answers = await statuses(6, () => api.call('GET', '/api/v1/networks', { token }));
    expect(answers).toEqual([200, 200, 200, 200, 200, 200]);
  });

  it('ignores X-Forwarded-For while no proxy is trusted', async () => {
    await fresh(api);
    const other = await startApi({ rateLimits: { address: size } });
    let client = 0;
    const request = () => widgetRequest(other, { 'x-forwarded-for': `192.0.2.${(client += 1)}` });
    expect(await statuses(5, request)).toEqual([401, 401, 401, 429, 429]);
  });

  it('tells a page of any origin how long to wait', async () => {
    const other = await startApi({ rateLimits: { address: { ...size, burst: 1 } } });
    await widgetRequest(other);
    const refused = await widgetRequest(other, { origin: 'https://shop.test' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});

describe('public and failed requests', () => {
  const documents = ['/.well-known/jwks.json', '/docs', '/docs/redoc.js', '/docs/guides/webhooks', '/openapi.json'];

  it.each(documents)('%s counts for the address', async (path) => {
    const api = await startApi({ rateLimits: { address: size } });
    expect(await statuses(5, () => api.call('GET', path))).toEqual([200, 200, 200, 429, 429]);
  });

  it('health checks do not count', async () => {
    const api = await startApi({ rateLimits: { address: size } });
    expect(await statuses(5, () => tokenRequest(api))).toEqual([401, 401, 401, 429, 429]);
    expect(await statuses(5, () => api.call('GET', '/healthz'))).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(5, () => api.call('GET', '/readyz'))).toEqual([200, 200, 200, 200, 200]);
  });

  it('a missing or invalid token counts, and never locks out a caller with a valid one', async () => {
    const api = await startApi({ rateLimits: { address: size } });
    const { token } = await api.actor('shop');
    const failed = (wrong: Record<string, string>) => api.call('GET', '/api/v1/networks', wrong);
    expect((await failed({})).body.code).toBe('missing_token');
    const first = await failed({ token: 'garbage' });
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([401, '"address";q=3;w=30']);
    expect((await failed({ token: `${token}x` })).status).toBe(401);
    const refused = await failed({ token: 'garbage' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^(\d|10)$/)]);
    expect(await statuses(3, () => api.call('GET', '/api/v1/networks', { token }))).toEqual([200, 200, 200]);
  });

  it('a /48 of IPv6 has ten times the limit of a /64', async () => {
    const api = await startApi({ rateLimits: { address: { ...size, burst: 1 } }, trustedProxies: local });
    let client = 0;
    const next = (site: string) => () =>
      widgetRequest(api, { 'x-forwarded-for': `2001:db8:${site}:${(client += 1).toString(16)}::1` });
    const answers = (await Promise.all(Array.from({ length: 60 }, next('7')))).map(({ status }) => status);
    expect(answers.filter((status) => status === 401).length).toBeGreaterThanOrEqual(10);
    expect(answers).toContain(429);
    expect((await next('8')()).status).toBe(401);
  });

  it('a /64 of an exhausted /48 costs no row of its own', async () => {
    const api = await startApi({ rateLimits: { address: never }, trustedProxies: local });
    const from = (client: number) => widgetRequest(api, { 'x-forwarded-for': `2001:db8:9:${client.toString(16)}::1` });
    for (let client = 0; client < 30; client += 1) await from(client);
    expect(await api.knex('rate_limits').where('key', 'like', 'address 2001:db8:9%/64')).toHaveLength(10);
  });

  it('a /64 that goes on after its refusal takes nothing from the others of its /48', async () => {
    const api = await startApi({ rateLimits: { address: never }, trustedProxies: local });
    const from = (client: number) => widgetRequest(api, { 'x-forwarded-for': `2001:db8:a:${client.toString(16)}::1` });
    const flood = await statuses(100, () => from(0));
    expect(flood.slice(1)).toEqual(flood.slice(1).map(() => 429));
    expect(await statuses(1, () => from(1))).toEqual([401]);
  });

  it("log the client's address after 401 and 429, and only then", async () => {
    const api = await startApi({ rateLimits: { address: { ...size, burst: 1 } }, trustedProxies: local });
    const { token } = await api.actor('shop');
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    await api.call('GET', '/api/v1/networks', { token, headers });
    expect((await tokenRequest(api, headers)).status).toBe(401);
    expect((await tokenRequest(api, headers)).status).toBe(429);
    expect((await api.call('GET', '/api/v1/networks', { headers: { 'x-forwarded-for': '192.0.2.78' } })).status).toBe(
      401,
    );
    const logged = await eventually(() => {
      const lines = api.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const answered = lines.filter(({ message }) => message === 'request');
      return Promise.resolve(answered.length === 4 && answered.map(({ status, address }) => [status, address]));
    });
    expect(logged).toEqual([
      [200, undefined],
      [401, '192.0.2.77'],
      [429, '192.0.2.77'],
      [401, '192.0.2.78'],
    ]);
  });
});

describe('behind a trusted proxy', () => {
  let api: ApiUnderTest;
  beforeAll(async () => {
    api = await startApi({ rateLimits: { address: size }, trustedProxies: [...local, '198.51.100.0/24'] });
  });
  const from = (forwarded: string): Promise<number[]> =>
    statuses(4, () => widgetRequest(api, { 'x-forwarded-for': forwarded }));

  it('each client has a limit of its own, even through several proxies', async () => {
    expect(await from('192.0.2.1')).toEqual([401, 401, 401, 429]);
    expect(await from('192.0.2.2, 198.51.100.7')).toEqual([401, 401, 401, 429]);
    expect((await widgetRequest(api, { 'x-forwarded-for': '192.0.2.2' })).status).toBe(429);
  });

  it('addresses that a client writes before its own do not count', async () => {
    expect(await from('192.0.2.3')).toEqual([401, 401, 401, 429]);
    let spoofed = 0;
    const request = () => widgetRequest(api, { 'x-forwarded-for': `10.9.8.${(spoofed += 1)}, 192.0.2.3` });
    expect(await statuses(4, request)).toEqual([429, 429, 429, 429]);
    // Even if it claims to have come through a trusted proxy.
    expect((await widgetRequest(api, { 'x-forwarded-for': '10.1.1.1, 198.51.100.1, 192.0.2.3' })).status).toBe(429);
  });

  it('an entry that is no address counts as the proxy', async () => {
    expect(await from('unknown')).toEqual([401, 401, 401, 429]);
    expect((await widgetRequest(api, { 'x-forwarded-for': 'x'.repeat(5_000) })).status).toBe(429);
    expect((await widgetRequest(api)).status).toBe(429);
  });

  it('the addresses of a /64 are one client', async () => {
    expect(await from('2001:db8:1:2::1')).toEqual([401, 401, 401, 429]);
    expect((await widgetRequest(api, { 'x-forwarded-for': '2001:db8:1:2:aaaa:bbbb:cccc:dddd' })).status).toBe(429);
    expect((await widgetRequest(api, { 'x-forwarded-for': '2001:db8:1:3::1' })).status).toBe(401);
  });

  it("the client's address is that of the audit log", async () => {
    const { token, nodeId } = await api.actor('shop');
    const json = { node_id: nodeId, chain_id: api.ids.chains.Main, name: 'wallet' };
    await api.call('POST', '/api/v1/wallets', { token, json, headers: { 'x-forwarded-for': '192.0.2.9' } });
    expect(await api.knex('audit_log').where({ action: 'wallet.created' }).pluck('address')).toEqual(['192.0.2.9']);
  });
});

describe('the address that counts', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:7f00:1%1', '127.0.0.1'],
    ['::fffe:7f00:1', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    [null, 'unknown'],
  ])('%s is %s', (address, group) => {
    expect(addressGroups(address).client).toBe(group);
  });

  it.each([
    ['192.0.2.1', null],
    ['::ffff:192.0.2.1', null],
    ['::ffff:c000:201', null],
    ['2001:db8:1:2::1', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    [null, null],
  ])('the site of %s is %s', (address, site) => {
    expect(addressGroups(address).site).toBe(site);
  });
});
