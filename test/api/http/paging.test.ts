import { randomUUID } from 'node:crypto';
import { bankTransfer, startApi } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');

/** Payments of the bank, several of them in the same microsecond. */
const insert = async (nodeId: string, count: number): Promise<void> => {
  await api.knex.raw(
    `INSERT INTO payments (node_id, external_id, chain_id, network_id, currency_id, decimals, price_units,
       paid_price_units, payment_method, payment_group, payment_address, expires_at, expires_unix, created_at)
     SELECT ?, gen_random_uuid(), n.chain_id, n.id, ?, 2, 100, 100, 'bank_transfer', 'product', 'DE00 1234 5678',
       now() + interval '1 day', 4102444800, timestamptz '2026-01-01 00:00:00.123456Z' + (i / 3) * interval '1 microsecond'
     FROM networks n, generate_series(1, ?) i WHERE n.id = ?`,
    [nodeId, api.ids.currencies.USD!, count, api.ids.networks.A!],
  );
};
await insert(shop.nodeId, 250);
await insert(rival.nodeId, 30);

const list = (query: string, token = shop.token) =>
  api.call('GET', `/api/v1/payments?node_id=${shop.nodeId}&${query}`, { token });
const idsOf = (body: { items: { id: string }[] }): string[] => body.items.map(({ id }) => id);

describe('lists', () => {
  it('gives every entry once behind a cursor, in the order of the pages, with page and total', async () => {
    const byPage = [];
    for (const page of [1, 2, 3]) byPage.push(...idsOf((await list(`per_page=100&page=${page}`)).body));
    const byCursor: string[] = [];
    let [query, page] = ['per_page=100', 1];
    for (;;) {
      const { status, body } = await list(query);
      expect([status, body.page, body.per_page, body.total]).toEqual([200, page, 100, 250]);
      byCursor.push(...idsOf(body));
      if (body.next_cursor === null) break;
      [query, page] = [`per_page=100&cursor=${body.next_cursor}`, page + 1];
    }
    expect(page).toBe(3);
    expect(byCursor).toEqual(byPage);
    expect(new Set(byCursor).size).toBe(250);
  });

  it('keep the rows behind a cursor in place when entries are added', async () => {
    const first = await list('per_page=50');
    const second = idsOf((await list('per_page=50&page=2')).body);
    const made = await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      json: api.paymentBody(bankTransfer),
    });
    expect(made.status).toBe(201);
    expect(idsOf((await list(`per_page=50&cursor=${first.body.next_cursor}`)).body)).toEqual(second);
    await api.knex('outbox').where({ payment_id: made.body.id }).del();
  });

  it('are empty on the last page that exists', async () => {
    const { body } = await list('page=1000000&per_page=100');
    expect(body).toMatchObject({ items: [], page: 1_000_000, next_cursor: null });
  });

  it('mark the last page as the last, even if it is full', async () => {
    const { total } = (await list('')).body;
    const pages = Math.ceil(total / 50);
    const last = await list(`per_page=50&page=${pages}`);
    expect(last.body.next_cursor).toBeNull();
    const single = await api.call('GET', `/api/v1/payments?node_id=${rival.nodeId}&per_page=30`, {
      token: rival.token,
    });
    expect([single.body.items.length, single.body.total, single.body.next_cursor]).toEqual([30, 30, null]);
  });

  it.each([
    'x',
    'ä',
    Buffer.from('1 2 3').toString('base64url'),
    Buffer.from(`1 7 3 1`).toString('base64url'),
    'a'.repeat(128),
  ])('refuses the cursor %s', async (cursor) => {
    const { status, body } = await list(`cursor=${encodeURIComponent(cursor)}`);
    expect([status, body.errors[0].path]).toEqual([400, '/query/cursor']);
  });

  it("give away nothing by a cursor of another tenant, which shows only rows within the caller's reach", async () => {
    const foreign = await api.call('GET', `/api/v1/payments?node_id=${rival.nodeId}&per_page=5`, {
      token: rival.token,
    });
    const { body } = await list(`per_page=100&cursor=${foreign.body.next_cursor}`);
    expect(body.items.every((item: { node_id: string }) => item.node_id === shop.nodeId)).toBe(true);
  });

  it('page the log of a payment by its numbers', async () => {
    const [payment] = (await list('per_page=1&page=2')).body.items;
    await api.knex.raw(
      `INSERT INTO payment_logs (payment_id, sequence, event_type, status, message, actor_type)
       SELECT ?, i, 'retry_requested', 'pending', 'again', 'system' FROM generate_series(1, 25) i`,
      [payment.id],
    );
    const path = `/api/v1/payments/${payment.id}/logs`;
    const first = await api.call('GET', path, { token: shop.token });
    const second = await api.call('GET', `${path}?cursor=${first.body.next_cursor}`, { token: shop.token });
    const sequences = [...first.body.items, ...second.body.items].map((entry) => entry.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => b - a));
    expect(new Set(sequences).size).toBe(20);
    const wrong = await list(`cursor=${first.body.next_cursor}`);
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, '/query/cursor']);
  });

  it('read as few rows for a deep page behind a cursor as for the first one', async () => {
    await insert(shop.nodeId, 20_000);
    await api.knex.raw('ANALYZE payments');
    const start = { at: '1767225600123456', tie: randomUUID() };
    const { rows } = await api.knex.raw(
      `EXPLAIN (ANALYZE, FORMAT JSON) SELECT id FROM payments WHERE node_id = ? AND (created_at, id) <
         (timestamptz 'epoch' + ?::bigint * interval '1 microsecond', ?) ORDER BY created_at DESC, id DESC LIMIT 11`,
      [shop.nodeId, String(BigInt(start.at) + 100n), start.tie],
    );
    const plan = JSON.stringify(rows[0]);
    expect(plan).toContain('payments_list');
    expect(plan).not.toContain('"Sort"');
  });
});
