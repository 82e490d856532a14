import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { root } from '../../../tools/paths.ts';
import { problems } from '../../../api/errors/problems.ts';
import { renderGuide } from '../../../api/service/guides.ts';
import { createServiceHandlers } from '../../../api/service/health.ts';
import { operationsOf, type OpenApi, type Operation } from '../../../tools/build/openapi.ts';
import { startApi, type ApiUnderTest } from '../support/api-under-test.ts';
import { openApi, specification } from '../../support/once/specification.ts';

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

describe('/docs/guides', () => {
  const list = fs.readFileSync(path.join(root, 'docs/guides/README.md'), 'utf8');
  const names = [...list.matchAll(/\]\((.+)\.md\)/g)].map(([, name]) => name!);

  it.each(names)('%s is a page without scripts, whose links lead to pages of the api', async (name) => {
    const path = `/docs/guides/${name}`;
    const { text, headers } = await api.call('GET', path);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none';/,
    );
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(text) ?? [];
    expect(headers.get('content-security-policy')).toContain(createHash('sha256').update(style).digest('base64'));
    expect(text).not.toMatch(/<script|<img| on\w+="| style="/);
    expect(text).toContain(`<a href="${name}" aria-current="page">`);
    const links = [...text.matchAll(/<a href="(.+?)"/g)].map(([, link]) => new URL(link!, `http://api${path}`));
    expect(links.length).toBeGreaterThan(names.length);
    const known = ['/docs', ...names.map((one) => `/docs/guides/${one}`)];
    expect(links.filter(({ pathname }) => !known.includes(pathname))).toEqual([]);
    const ids = links.flatMap(({ hash }) => (hash === '' ? [] : [hash.slice(1)]));
    const docs = (await api.call('GET', '/docs')).text;
    expect(ids.filter((id) => !docs.includes(`id="${id}"`))).toEqual([]);
  });

  it('lists every file of the folder, and no other', async () => {
    const files = fs.readdirSync(path.join(root, 'docs/guides')).filter((file) => file !== 'README.md');
    expect(names.map((name) => `${name}.md`).toSorted()).toEqual(files.toSorted());
    expect((await api.call('GET', '/docs/guides/unknown')).body).toMatchObject({
      status: 404,
      code: 'route_not_found',
    });
  });

  it('shows HTML as text, and refuses links that lead out of the api', () => {
    expect(renderGuide('a <b onclick="x()">b</b>\n\n<script>x()</script>')).not.toMatch(/<b|<script/);
    expect(() => renderGuide('[x](javascript:x)')).toThrow('The api serves no javascript:x');
    expect(() => renderGuide('[x](../operations/install.md)')).toThrow('The api serves no');
  });
});

describe('/openapi.json', () => {
  it('is openapi.yaml with the URL of the api, its schemas, examples and extensions unchanged', () => {
    const written = JSON.parse(JSON.stringify(openApi)) as Served;
    expect(served.openapi).toBe('3.1.0');
    expect(served.servers).toEqual([{ url: 'https://pay.test' }]);
    expect(served.components).toEqual(written.components);
    const withoutWords = (operation: Operation) => ({ ...operation, description: '', callbacks: null });
    const operations = ({ paths }: OpenApi) =>
      Object.values(paths).flatMap((methods) => Object.values(methods).map(withoutWords));
    expect(operations(served)).toEqual(operations(written));
  });

  it('names permissions and error codes beside each operation, with links to their explanation', () => {
    const { description = '' } = served.paths['/api/v1/payments']!.post!;
    expect(description).toContain('**Permission:** `payments.create`');
    expect(description).toContain('[`payment_exists`](/docs#payment_exists)');
    expect(served.paths['/api/v1/nodes']!.get!.description).toContain('**Permission:** none; any valid token');
    expect(served.paths['/healthz']!.get!.description).toContain('**Permission:** none; no token');
    expect(served.paths['/api/v1/widget/payments/{id}']!.get!.description).toContain('`access_token`');
    for (const { method, path, responses, 'x-permission': permission } of operationsOf(openApi)) {
      const told = served.paths[path]![method.toLowerCase()]!.description ?? '';
      const codes = Object.values(responses).flatMap((response) => response['x-codes'] ?? []);
      expect([...told.matchAll(/\(\/docs#(\w+)\)/g)].map(([, code]) => code)).toEqual(codes);
      for (const name of [permission ?? []].flat()) expect(told).toMatch(new RegExp(`Permission:.*\`${name}\``));
    }
  });

  it('names events by their type, and their sender and signer', () => {
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

describe.each(['/docs', '/docs/redoc.js', '/docs/guides/webhooks', '/openapi.json'])('%s', (place) => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ])('is compressed as the client accepts: %s', async (accepted, encoding) => {
    const plain = await (await get(place, { 'accept-encoding': 'identity' })).text();
    const answer = await get(place, { 'accept-encoding': accepted });
    const { status, headers } = answer;
    expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([200, encoding, 'Accept-Encoding']);
    if (encoding !== null) expect(Number(headers.get('content-length'))).toBeLessThan(plain.length / 2);
    expect(await answer.text()).toBe(plain);
  });

  it('is cached, and answered by 304 without a body to a client that has it in that encoding', async () => {
    const first = await get(place, { 'accept-encoding': 'br' });
    const etag = first.headers.get('etag')!;
    expect(first.headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await get(place, { 'accept-encoding': 'br', 'if-none-match': known });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
      expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
    }
    expect((await get(place, { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(200);
    expect((await get(place, { 'accept-encoding': 'br', 'if-none-match': '"other"' })).status).toBe(200);
  });
});

it('a static answer is rendered and compressed once, however often it is requested', async () => {
  const { getDocs, getDocsScript, getSpecification } = createServiceHandlers({
    knex: {} as Knex,
    specification,
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
