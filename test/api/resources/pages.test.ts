import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startApi } from '../support/api-under-test.ts';

const api = await startApi();
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${api.url}${path}`, { headers });
const id = '6f1d2c3b-4a59-4e68-8f7d-9c0b1a2d3e4f';

const policyOf = (response: Response): Map<string, string> =>
  new Map(
    response.headers
      .get('content-security-policy')!
      .split('; ')
      .map((rule) => [rule.split(' ')[0]!, rule.split(' ').slice(1).join(' ')]),
  );

describe('GET /pay/{id}', () => {
  it('is the same page for every id', async () => {
    const [one, other] = await Promise.all([get(`/pay/${id}`), get('/pay/anything')]);
    expect([one.status, one.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await other.text()).toBe(await one.text());
  });

  it('is shown although a third party has added a query to its link', async () => {
    const [plain, followed] = await Promise.all([
      get(`/pay/${id}`),
      get(`/pay/${id}?fbclid=a&utm_source=b&utm_source=c`),
    ]);
    expect(followed.status).toBe(200);
    expect(await followed.text()).toBe(await plain.text());
  });

  it('runs only its own scripts, and shows only its own styles', async () => {
    const response = await get(`/pay/${id}`);
    const policy = policyOf(response);
    const text = await response.text();
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('require-trusted-types-for')).toBe("'script'");
    const digest = (tag: string): string[] =>
      [...text.matchAll(new RegExp(`<${tag}(?: type="module")?>(.*?)</${tag}>`, 'gs'))].map(
        ([, inner]) => `'sha256-${createHash('sha256').update(inner!).digest('base64')}'`,
      );
    expect(policy.get('script-src')).toBe(`'self' ${digest('script').join(' ')}`);
    expect(policy.get('style-src')).toBe(digest('style').join(' '));
    expect(text).not.toMatch(/https?:| on\w+=| style=/);
  });

  it('can be framed by the origins of its node alone', async () => {
    const shop = await api.actor('shop');
    const json = api.paymentBody({ wallet_id: (await api.wallet(shop)).id });
    const payment = (await api.call('POST', '/api/v1/payments', { token: shop.token, json })).body as { id: string };
    const frames = async () => policyOf(await get(`/pay/${payment.id}`)).get('frame-ancestors');
    expect(await frames()).toBe("'none'");
    const origins = ['https://shop.example', 'https://www.shop.example:8443'];
    const branding = { frame_origins: origins };
    const path = `/api/v1/nodes/${shop.nodeId}/branding`;
    expect((await api.call('PUT', path, { token: shop.token, json: branding })).status).toBe(200);
    expect(await frames()).toBe(origins.join(' '));
    expect(policyOf(await get(`/pay/${id}`)).get('frame-ancestors')).toBe("'none'");
  });

  it('cannot be framed, is not indexed, and sends no referrer', async () => {
    const response = await get(`/pay/${id}`);
    expect(policyOf(response).get('frame-ancestors')).toBe("'none'");
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toContain('<meta name="robots" content="noindex">');
  });

  it('runs no script in its id', async () => {
    const response = await get(`/pay/${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain('alert(1)');
  });
});

describe('GET /widget/v1/{file}', () => {
  const script = readFileSync(new URL('../../../widget/built/carat-pay.js', import.meta.url), 'utf8');
  const pinned = `carat-pay-${createHash('sha256').update(script).digest('base64').slice(0, 12).replaceAll(/[+/]/g, '_')}.js`;

  it('is the element, for pages of any origin, at most five minutes old', async () => {
    const response = await get('/widget/v1/carat-pay.js');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(response.headers.get('cache-control')).toBe('private, max-age=300');
    expect(await response.text()).toBe(script);
  });

  it('is the same under the hash of its content, for a year', async () => {
    const response = await get(`/widget/v1/${pinned}`);
    expect(response.headers.get('cache-control')).toBe('private, max-age=31536000');
    expect(await response.text()).toBe(script);
  });

  it('is compressed', async () => {
    const sizes = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) => {
        const response = await fetch(`${api.url}/widget/v1/carat-pay.js`, { headers: { 'Accept-Encoding': encoding } });
        return [response.headers.get('content-encoding'), (await response.text()) === script];
      }),
    );
    expect(sizes).toEqual([
      ['br', true],
      ['gzip', true],
      [null, true],
    ]);
  });

  it.each(['nothing.js', 'page.js', 'README.md', '..%2Fpackage.json', '%2e%2e', 'carat-pay-000000000000.js'])(
    '%s does not exist',
    async (file) => {
      const { status, body } = await api.call('GET', `/widget/v1/${file}`);
      expect([status, body.code]).toEqual([404, 'route_not_found']);
    },
  );
});
