import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import { paymentsFile } from '../../../api/payments/csv.ts';
import { createCaratClient } from '../../../client/client.ts';
import { readAllPayments } from '../../../db/payments/lists.ts';
import { eventually } from '../../support/eventually.ts';
import { codeOf, pathsOf } from '../support/answers.ts';
import { bankTransfer, startApi } from '../support/api-under-test.ts';
import { readCsv } from '../../support/csv.ts';

const api = await startApi();
const shop = await api.actor('shop');
const other = await api.actor('shop');
const rival = await api.actor('rival');
const branch = await api.actor('branch');

/** Payments by bank transfer as rows, `seconds` apart. */
const insert = async (nodeId: string, count: number, change: Record<string, unknown> = {}): Promise<void> => {
  await api.knex.raw(
    `INSERT INTO payments SELECT p.* FROM generate_series(1, :count) i CROSS JOIN LATERAL jsonb_populate_record(
       NULL::payments, jsonb_build_object('id', gen_random_uuid(), 'node_id', :nodeId::uuid, 'external_id', gen_random_uuid(),
         'chain_id', :chainId::uuid, 'network_id', :networkId::uuid, 'currency_id', :currencyId::uuid, 'decimals', 2,
         'price_units', 1000 + i, 'paid_price_units', i, 'payment_method', 'bank_transfer', 'payment_group', 'product',
         'payment_address', 'DE00 1234 5678', 'retry', true, 'retry_count', 3, 'expires_at', now(), 'expires_unix', 1,
         'status', 'completed', 'sequence', 2, 'create_generation', 1, 'retries_used', 0, 'deal_mode', 'created', 'cancel_on_chain', false, 'is_blocked', false, 'metadata', repeat('m', 1000),
         'created_at', timestamptz '2026-01-01Z' + i / 3 * interval '1 second', 'updated_at', now(),
         'terminal_at', timestamptz '2026-02-01Z' + i * interval '1 second') || :change::jsonb) p`,
    {
      nodeId,
      count,
      change: JSON.stringify(change),
      chainId: api.ids.chains.Main!,
      networkId: api.ids.networks.A!,
      currencyId: api.ids.currencies.USD!,
    },
  );
};

const file = (query: string, { token = shop.token, accept = 'text/csv' } = {}) =>
  api.call('GET', `/api/v1/payments?node_id=${shop.nodeId}${query}`, { token, headers: { accept } });
const rowsOf = async (query: string) => readCsv((await file(query)).text);

beforeAll(() => insert(shop.nodeId, 1_000));

describe('the file of a list', () => {
  it('holds each payment once, newest first, with the facts of JSON, and nothing secret or personal', async () => {
    const { status, headers, text } = await file('');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(headers.get('content-disposition')).toContain('attachment');
    expect(text.endsWith('\r\n')).toBe(true);
    const rows = readCsv(text);
    expect(rows).toHaveLength(1_000);
    const listed = [];
    for (const page of [1, 2, 3]) {
      const { body } = await api.call('GET', `/api/v1/payments?node_id=${shop.nodeId}&per_page=100&page=${page}`, shop);
      listed.push(...body.items);
    }
    const pageFields = ['success_url', 'cancel_url', 'locale'];
    for (const [index, payment] of listed.entries()) {
      const row = rows[index]!;
      for (const hidden of ['member', 'items', 'client_ip', 'access_token', 'checkout_url', ...pageFields]) {
        expect(row).not.toHaveProperty(hidden);
        delete payment[hidden];
      }
      const { price, paid_price, ...rest } = payment;
      const texts = Object.entries(rest).map(([name, value]) => [name, value === null ? '' : String(value)]);
      expect(row).toMatchObject(Object.fromEntries(texts));
      expect([Number(row.price), Number(row.paid_price)]).toEqual([price, paid_price]);
      expect(Object.keys(row).toSorted()).toEqual(Object.keys(payment).toSorted());
    }
  });

  it('is filtered like the list, and has its line of names even when empty', async () => {
    const month = '&completed_from=2026-02-01T00:00:10Z&completed_to=2026-02-01T00:00:20Z';
    const rows = await rowsOf(month);
    const units = rows.map(({ paid_price_units }) => Number(paid_price_units)).toSorted((a, b) => a - b);
    expect(units).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(await rowsOf('&status=failed')).toEqual([]);
    expect((await file('&status=failed')).text).toMatch(/^id,external_id,[a-z_,0-9]+\r\n$/);
    await insert(branch.nodeId, 2);
    expect(await rowsOf(`${month}&include_descendants=true`)).toHaveLength(10);
    expect(await rowsOf('&include_descendants=true&completed_to=2026-02-01T00:00:03Z')).toHaveLength(4);
  });

  it('has amounts to the unit, and texts that no spreadsheet takes for a formula', async () => {
    const decimals = { decimals: 18, price_units: '9007199254740991000000000000000001', paid_price_units: '1' };
    const begun = ['=1+1', '+1', '-1', '@a', '\t=1', '\r=1', "'quoted", 'a "b", c\r\nd; e', ' =x', '5', 'ünï'];
    const quoted = ['a;"=1+1', 'a\t""@b', `a;"'b`, 'a;"b'];
    const texts = [...begun, ...quoted, "a;=cmd|'/C calc'!A0;b", 'a\n+1', "a;'b", "'a;@b"];
    const { nodeId, token } = rival;
    for (const text of texts) await insert(nodeId, 1, { ...decimals, external_id: text, metadata: text });
    const { text: body } = await api.call('GET', `/api/v1/payments?node_id=${nodeId}`, {
      token,
      headers: { accept: 'text/csv' },
    });
    const rows = readCsv(body);
    for (const row of rows) {
      expect([row.price, row.paid_price]).toEqual(['9007199254740991.000000000000000001', '0.000000000000000001']);
      expect([row.price_units, row.paid_price_units]).toEqual([decimals.price_units, '1']);
      for (const cell of Object.values(row)) {
        expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
        // Where a spreadsheet splits at semicolons, quotes do not count, and quotes at the start of a cell are removed.
        expect(cell).not.toMatch(/[;\t\r\n]"*[=+\-@]/);
      }
    }
    const read = rows.flatMap(({ external_id, metadata }) =>
      [external_id!, metadata!].map((cell) => cell.replaceAll(/(^|[;\t\r\n])'/g, '$1')),
    );
    expect(read.toSorted()).toEqual([...texts, ...texts].toSorted());
  });

  it('goes to a client that prefers it to JSON', async () => {
    const few = '&completed_to=2026-02-01T00:00:03Z';
    const isFile = async (accept: string) =>
      (await file(few, { accept })).headers.get('content-type')!.startsWith('text/csv');
    const csv = [
      'text/csv',
      'Text/CSV',
      'text/*',
      'text/csv, */*;q=0.1',
      'application/json;q=0.5, text/csv',
      'text/csv;header=present',
    ];
    for (const accept of csv) expect([accept, await isFile(accept)]).toEqual([accept, true]);
    const json = [
      '*/*',
      'application/*',
      'application/json',
      'text/csv, application/json',
      'text/csv;q=0',
      'image/png',
      '',
      'text/csv;q=0.5, */*',
      'text/csv;q=0.4, application/*;q=0.5',
      'text/csv;q=2, application/json;q=0.1',
      'text',
    ];
    for (const accept of json) expect([accept, await isFile(accept)]).toEqual([accept, false]);
  });

  it('exists for HEAD as well, and not for HTTP/1.0, where a broken connection looks like an end', async () => {
    const { hostname, port } = new URL(api.url);
    const path = `/api/v1/payments?node_id=${shop.nodeId}`;
    const answerTo = async (line: string): Promise<string> => {
      const socket = net.connect(Number(port), hostname);
      socket.write(
        `${line}\r\nHost: ${hostname}\r\nAuthorization: Bearer ${shop.token}\r\nAccept: text/csv\r\nConnection: close\r\n\r\n`,
      );
      let text = '';
      for await (const bytes of socket) text += String(bytes);
      return text;
    };
    const head = await answerTo(`HEAD ${path} HTTP/1.1`);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).toMatch(/content-type: text\/csv/i);
    expect(head.endsWith('\r\n\r\n')).toBe(true);
    const old = await answerTo(`GET ${path} HTTP/1.0`);
    expect(old).toMatch(/^HTTP\/1\.1 400 /);
    expect(old).toContain('"path":"/headers/accept"');
    // The process that answered both goes on.
    expect((await file('&per_page=1', { accept: 'application/json' })).status).toBe(200);
  });

  it('has no pages, and is refused by problems as JSON is', async () => {
    for (const name of ['page=1', 'per_page=10', 'cursor=abc']) {
      const refused = await file(`&${name}`);
      expect([codeOf(refused), pathsOf(refused)]).toEqual([[400, 'invalid_request'], [`/query/${name.split('=')[0]}`]]);
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
    }
    expect(codeOf(await file('&status=lost'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await file('', { token: rival.token }))).toEqual([404, 'node_not_found']);
    const blind = await api.actor('shop', ['webhooks.read']);
    expect(codeOf(await file('', blind))).toEqual([403, 'permission_denied']);
    expect((await file('&page=1', { accept: '*/*' })).status).toBe(200);
  });
});

/** A file over a connection of its own, read only on request. */
const open = async (query = '', { token } = shop) => {
  const request = http.get(`${api.url}/api/v1/payments?node_id=${shop.nodeId}${query}`, {
    headers: { accept: 'text/csv', authorization: `Bearer ${token}` },
    agent: false,
  });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return { request, response };
};

const drain = async (response: http.IncomingMessage): Promise<number> => {
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
};

/** Statements that have read a page so far. */
const pagesRead = (statements: readonly string[]): number =>
  statements.filter((sql) => sql.includes('cursor_at') && sql.includes('limit')).length;

describe('a long file', () => {
  const statements: string[] = [];
  api.knex.on('query', ({ sql }: { sql: string }) => void statements.push(sql));

  beforeAll(() => insert(shop.nodeId, 30_000, { metadata: 'm'.repeat(4_000), status: 'failed' }));

  it('is rendered in slices, and others are served between them', async () => {
    const { parts } = paymentsFile(
      readAllPayments(api.knex, { nodeId: shop.nodeId, includeDescendants: false, status: 'failed' }),
    );
    const lengths: number[] = [];
    let turns = 0;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    for (let rows = 0; rows < 200;) {
      const part = (await parts.next()).value!;
      rows += part.rows;
      lengths.push(part.text.length);
    }
    clearImmediate(immediate);
    await parts.return?.();
    expect(Math.max(...lengths)).toBeLessThan(80_000);
    expect(turns).toBeGreaterThanOrEqual(lengths.length - 1);
  });

  it('gives its number of rows in its trailer, and is rendered no faster than it is read, without a transaction', async () => {
    statements.length = 0;
    const { response } = await open();
    await once(response, 'readable');
    await eventually(() => Promise.resolve(pagesRead(statements) > 0));
    // No more is read ahead than sockets buffer by themselves.
    let before = -1;
    await eventually(
      async () => {
        const { rows } = await api.knex.raw(
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'",
        );
        expect(rows[0].n).toBe(0);
        const isStill = pagesRead(statements) === before;
        before = pagesRead(statements);
        return isStill;
      },
      20_000,
      1_000,
    );
    expect(before).toBeLessThan(100);
    expect(await drain(response)).toBeGreaterThan(31_000 * 4_000);
    expect(response.complete).toBe(true);
    expect(response.trailers['row-count']).toBe('31000');
  });

  it('is one at a time for each caller, beside all other requests of its node', async () => {
    const { request, response } = await open();
    let begun = false;
    const second = open('&completed_to=2026-02-01T00:00:03Z').then((opened) => {
      begun = true;
      return opened;
    });
    // Another caller of the node is let in, and no other request waits.
    expect((await file('&completed_to=2026-02-01T00:00:03Z', other)).status).toBe(200);
    const list = await api.call('GET', `/api/v1/payments?node_id=${shop.nodeId}&per_page=1`, shop);
    expect([list.status, begun]).toEqual([200, false]);
    request.destroy();
    response.destroy();
    expect((await second).response.statusCode).toBe(200);
    await drain((await second).response);
  });

  it('is not rendered on for a client that has gone', async () => {
    const { request, response } = await open();
    await once(response, 'readable');
    statements.length = 0;
    request.destroy();
    await file('&completed_to=2026-02-01T00:00:03Z');
    expect(pagesRead(statements)).toBeLessThan(5);
  });

  it('ends its connection where the database fails on the way, and the client throws', async () => {
    const carat = createCaratClient({ url: api.url, ...apiKeyOf(shop), retries: { retries: 0 } });
    const whole = await new Response(await carat.listPaymentsCsv({ node_id: shop.nodeId, status: 'completed' })).text();
    expect(readCsv(whole)).toHaveLength(1_000);
    await expect(carat.listPaymentsCsv({ node_id: rival.nodeId })).rejects.toMatchObject({ code: 'node_not_found' });

    const stream = await carat.listPaymentsCsv({ node_id: shop.nodeId });
    await api.knex.raw('ALTER TABLE payments RENAME TO moved');
    try {
      await expect(new Response(stream).text()).rejects.toThrow('terminated');
    } finally {
      await api.knex.raw('ALTER TABLE moved RENAME TO payments');
    }
    expect(api.lines.some((line) => line.includes('request failed'))).toBe(true);
  });
});

const apiKeyOf = ({ credentials }: typeof shop) => ({ apiKey: credentials.apiKey, secret: credentials.secret });

it('a payment made a moment ago is in the file', async () => {
  const { body } = await api.call('POST', '/api/v1/payments', { ...shop, json: api.paymentBody(bankTransfer) });
  expect(await rowsOf(`&external_id=${body.external_id}`)).toMatchObject([{ id: body.id, paid_price: '12.5' }]);
});
