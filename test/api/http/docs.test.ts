import type { Knex } from 'knex';
import { problems } from '../../../api/errors/problems.ts';
import { loadSpecification } from '../../../api/request/specification.ts';
import { createServiceHandlers } from '../../../api/service/health.ts';
import { operationsOf, readOpenApi, type OpenApi, type Operation } from '../../../scripts/openapi.ts';
import { startApi, type ApiUnderTest } from '../support/api-under-test.ts';

type Paths = Record<string, Record<string, Operation>>;
type Served = OpenApi & { openapi: string; servers: unknown; webhooks: Paths };

let api: ApiUnderTest;
let served: Served;
beforeAll(async () => {
  api = await startApi();
  served = (await api.call('GET', '/openapi.json')).body as Served;
});

const get = (path: string, headers: Record<string, string>) => fetch(`${api.url}${path}`, { headers });

describe('/docs', () => {
  it('is a page with Redoc and the errors, all from this origin', async () => {
    const { text, headers } = await api.call('GET', '/docs');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    expect(text).toContain('<redoc spec-url="openapi.json">');
    for (const code of Object.keys(problems)) expect(text).toContain(`<tr id="${code}">`);
    // Nothing from another origin, and no script but that of a file.
    expect(text).not.toMatch(/https?:|<script(?! src="docs\/redoc.js"><\/script>)| on\w+=/);
    const script = await api.call('GET', '/docs/redoc.js');
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(script.text).toContain('Redoc');
  });

  it('fits a phone', async () => {
    const { text } = await api.call('GET', '/docs');
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text).toMatch(/@media\(max-width:\w+\)\{main thead\{display:none\}main tr,main td\{display:block\}/);
  });
});

describe('/openapi.json', () => {
  it('is openapi.yaml with the URL of the api, its schemas, examples and extensions unchanged', () => {
    const written = JSON.parse(JSON.stringify(readOpenApi())) as Served;
    expect(served.openapi).toBe('3.1.0');
    expect(served.servers).toEqual([{ url: 'https://pay.test' }]);
    expect(served.components).toEqual(written.components);
    const withoutWords = (operation: Operation) => ({ ...operation, description: '', callbacks: null });
    const operations = ({ paths }: OpenApi) =>
      Object.values(paths).flatMap((methods) => Object.values(methods).map(withoutWords));
    expect(operations(served)).toEqual(operations(written));
  });

  it('names permission and error codes beside each operation, with links to their explanation', () => {
    const { description = '' } = served.paths['/api/v1/payments']!.post!;
    expect(description).toContain('**Permission:** `payments.create`');
    expect(description).toContain('[`payment_exists`](/docs#payment_exists)');
    expect(served.paths['/api/v1/nodes']!.get!.description).toContain('**Permission:** none; any valid token');
    expect(served.paths['/healthz']!.get!.description).toContain('**Permission:** none; no token');
    expect(served.paths['/api/v1/widget/payments/{id}']!.get!.description).toContain('`access_token`');
    for (const { method, path, responses, 'x-permission': permission } of operationsOf(readOpenApi())) {
      const told = served.paths[path]![method.toLowerCase()]!.description ?? '';
      const codes = Object.values(responses).flatMap((response) => response['x-codes'] ?? []);
      expect([...told.matchAll(/\(\/docs#(\w+)\)/g)].map(([, code]) => code)).toEqual(codes);
      if (permission !== undefined) expect(told).toContain(`**Permission:** \`${permission}\``);
    }
  });

  it('names events by their type, and says who sends and who signs them', () => {
    const events = Object.entries(served.webhooks).map(([type, { post }]) => [type, post!] as const);
    expect(events.length).toBeGreaterThan(10);
    for (const [type, { summary, description = '', security }] of events) {
      expect(summary).toMatch(new RegExp(`^${type.replace('.', String.raw`\.`)}: \\S.*[^.]$`));
      expect(description).toMatch(/^Carat POSTs this event to /);
      expect(description).toContain('Standard Webhooks');
      // Tokens are for requests to Carat.
      expect(security).toEqual([]);
    }
  });
});

describe.each(['/docs', '/docs/redoc.js', '/openapi.json'])('%s', (path) => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ])('is compressed as the client accepts it: %s', async (accepted, encoding) => {
    const plain = await (await get(path, { 'accept-encoding': 'identity' })).text();
    const answer = await get(path, { 'accept-encoding': accepted });
    const { status, headers } = answer;
    expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([200, encoding, 'Accept-Encoding']);
    if (encoding !== null) expect(Number(headers.get('content-length'))).toBeLessThan(plain.length / 2);
    expect(await answer.text()).toBe(plain);
  });

  it('is cached, and answered 304 without a body to a client that has it in that encoding', async () => {
    const first = await get(path, { 'accept-encoding': 'br' });
    const etag = first.headers.get('etag')!;
    expect(first.headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': known });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
      expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
    }
    expect((await get(path, { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(200);
    expect((await get(path, { 'accept-encoding': 'br', 'if-none-match': '"other"' })).status).toBe(200);
  });
});

it('a static answer is made and compressed once, however often it is requested', async () => {
  const { getDocs, getDocsScript, getSpecification } = createServiceHandlers({
    knex: {} as Knex,
    specification: loadSpecification(new URL('../../../openapi.yaml', import.meta.url)),
    publicUrl: 'https://pay.test',
    isTemporalReachable: () => Promise.resolve(false),
  });
  const request = {} as never;
  for (const answer of [getDocs, getDocsScript, getSpecification]) {
    const [first, second] = [await answer(request), await answer(request)];
    expect('forms' in first && first.forms.map(({ encoding }) => encoding)).toEqual(['br', 'gzip', 'identity']);
    expect(second).toBe(first);
  }
});
