import { randomUUID } from 'node:crypto';
import { codeOf, created } from '../api/support/answers.ts';
import { bankTransfer, payee, startApi } from '../api/support/api-under-test.ts';
import {
  anyAddress,
  anyTimestamp,
  anyUuid,
  checkChoices,
  checkFields,
  checkLengths,
  checkList,
  expectRefused,
  outcomeOf,
  text,
  withQuery,
} from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
const wallet = await api.wallet(shop);
const path = '/api/v1/payments';

type Change = Record<string, unknown>;
const create = (change: Change = {}, token = shop.token) =>
  api.call('POST', path, { token, json: api.paymentBody({ wallet_id: wallet.id, ...change }) });
const get = (id: string, token = shop.token) => api.call('GET', `${path}/${id}`, { token });
const logs = (id: string, query: Record<string, string | undefined> = {}, token = shop.token) =>
  api.call('GET', withQuery(`${path}/${id}/logs`, query), { token });
const list = (query: Record<string, string | undefined> = {}, token = shop.token) =>
  api.call('GET', withQuery(path, { node_id: shop.nodeId, ...query }), { token });
const payment = (change: Change = {}) => created(create(change));
const transfer = { ...bankTransfer, wallet_id: undefined };
const idsOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id);
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

const statuses = [
  'pending',
  'awaiting_payment',
  'processing',
  'completed',
  'expired',
  'canceling',
  'canceled',
  'failed',
];

const ended = ['completed', 'expired', 'canceled', 'failed'];

describe('the payment', () => {
  it('§2 Payment: has the requested values, with access_token, status and transaction_hash', async () => {
    const expires_at = inSeconds(3_600);
    const member = await api.call('POST', '/api/v1/members', {
      token: shop.token,
      json: { node_id: shop.nodeId, external_id: randomUUID(), name: 'Ada' },
    });
    const json = {
      external_id: randomUUID(),
      node_id: shop.nodeId,
      chain_id: api.ids.chains.Main,
      network_id: api.ids.networks.A,
      wallet_id: wallet.id,
      member_id: member.body.id,
      currency_id: api.ids.currencies.USD,
      price: 15,
      paid_price: 12.5,
      payment_method: 'web3',
      payment_group: 'listing_or_subscription',
      payment_address: payee,
      metadata: '{"cart":"c-9"}',
      expires_at,
      retry: false,
      retry_count: 7,
      client_ip: '203.0.113.9',
    };
    const { status, body } = await create({ ...json, items: [{ name: 'Shirt', price: 12.5, external_id: 'sku-1' }] });
    expect(status).toBe(201);
    expect(body).toEqual({
      ...json,
      id: anyUuid,
      member: member.body,
      items: [{ name: 'Shirt', price: 12.5, price_units: '12500000', external_id: 'sku-1' }],
      price_units: '15000000',
      paid_price_units: '12500000',
      status: 'pending',
      status_detail: 'diamond_missing',
      deal_id: expect.any(Number),
      diamond_address: anyAddress,
      eip155: 31_337,
      currency: 'USD',
      transaction_hash: null,
      deal_transaction_hash: null,
      paid_at: null,
      payer: null,
      completed_at: null,
      access_token: expect.stringMatching(/^\S+$/),
      success_url: null,
      cancel_url: null,
      locale: null,
      checkout_id: null,
      checkout_url: `https://pay.test/pay/${body.id}#${body.access_token}`,
      created_at: anyTimestamp,
      updated_at: anyTimestamp,
    });
  });

  it('§2 Payment: an omitted field has its default: no member, no items, retry true, retry_count 3', async () => {
    expect(await payment()).toMatchObject({
      chain_id: api.ids.chains.Main,
      member_id: null,
      member: null,
      items: [],
      metadata: null,
      retry: true,
      retry_count: 3,
      client_ip: null,
    });
  });

  it('§2 Payment: external_id is unique per node, so another node may have the same', async () => {
    const { external_id } = await payment();
    expect(codeOf(await create({ external_id }))).toEqual([409, 'payment_exists']);
    const elsewhere = await create({ ...transfer, external_id, node_id: rival.nodeId }, rival.token);
    expect(elsewhere.status).toBe(201);
  });

  it('§3 Payment status: a new web3 payment is pending', async () => {
    const { status } = await payment();
    expect(status).toBe('pending');
  });

  it.each(statuses)('§3 Payment status: %s can be answered, listed and filtered by', async (status) => {
    const { id } = await payment();
    await api
      .knex('payments')
      .where({ id })
      .update({ status, terminal_at: ended.includes(status) ? new Date() : null });
    expect((await get(id)).body.status).toBe(status);
    const { body } = await list({ status, per_page: '100' });
    expect(body.items.find((item: { id: string }) => item.id === id).status).toBe(status);
  });

  it('§2 Payment: transaction_hash is text once there is a transaction', async () => {
    const { id } = await payment();
    const hash = (byte: string) => `0x${byte.repeat(32)}`;
    await api
      .knex('payments')
      .where({ id })
      .update({ deal_tx_hash: hash('aa'), deal_block_number: 1 });
    expect((await get(id)).body.transaction_hash).toBe(hash('aa'));
    await api
      .knex('payments')
      .where({ id })
      .update({ paid_tx_hash: hash('bb'), paid_block_number: 2 });
    expect((await get(id)).body.transaction_hash).toBe(hash('bb'));
  });
});

describe('POST', () => {
  const write = { tag: '§4 POST /api/v1/payments', accepted: 201, send: create };
  checkFields(write, {
    external_id: 'text!',
    node_id: 'UUID!',
    chain_id: 'UUID',
    network_id: 'UUID!',
    member_id: 'UUID',
    member: 'object',
    currency_id: 'UUID!',
    price: 'number!',
    paid_price: 'number!',
    payment_method: 'text!',
    payment_group: 'text!',
    payment_address: 'text!',
    items: 'array',
    metadata: 'text',
    expires_at: 'datetime!',
    retry: 'bool',
    retry_count: 'int',
    client_ip: 'IPv4',
  });
  checkFields({ ...write, send: (change) => create({ ...transfer, ...change }) }, { wallet_id: 'UUID' });
  checkLengths(write, { external_id: [1, 255], metadata: [0, 8_192] });
  checkChoices(write, {
    payment_group: ['product', 'listing_or_subscription'],
    payment_method: ['web3', 'credit_card', 'bank_transfer'],
  });

  it('§4 POST /api/v1/payments: 201 is the payment with an access_token for the widget', async () => {
    await api.activate(wallet, 'B');
    const { status, body } = await create({ network_id: api.ids.networks.B });
    expect(status).toBe(201);
    const widget = await api.call('GET', `/api/v1/widget/payments/${body.id}`, { token: body.access_token });
    expect(widget.status).toBe(200);
    expect((await get(body.id)).body).toEqual(body);
  });

  it('§4 POST /api/v1/payments: price and paid_price are positive float64 and never rounded (0, less, more digits than the currency: 400)', async () => {
    for (const field of ['price', 'paid_price']) {
      for (const value of [0.000001, 0.1, 1, 12.5, 1e6, 123_456_789.123456]) {
        const { status, body } = await create({ [field]: value });
        expect([field, status, body[field]]).toEqual([field, 201, value]);
      }
      const refused = [];
      for (const value of [0, -1, -0.01, 0.0000001, 1.2345678, 1e40]) {
        refused.push([value, await create({ [field]: value })] as const);
      }
      expectRefused(field, refused);
    }
  });

  it.each(['chain_id', 'member_id', 'member', 'items', 'metadata', 'retry', 'retry_count', 'client_ip'])(
    '§4 POST /api/v1/payments: %s that is null counts as omitted',
    async (field) => {
      const [absent, empty] = [await payment({ [field]: undefined }), await payment({ [field]: null })];
      expect(empty[field]).toEqual(absent[field]);
    },
  );

  it('§4 POST /api/v1/payments: wallet_id that is null counts as omitted', async () => {
    const { status, body } = await create({ ...transfer, wallet_id: null });
    expect([status, body.wallet_id]).toEqual([201, null]);
  });

  it('§4 POST /api/v1/payments: client_ip is any IPv4 address in its one form (leading zeros and ports: 400)', async () => {
    for (const client_ip of ['0.0.0.0', '10.0.0.1', '255.255.255.255']) {
      expect((await payment({ client_ip })).client_ip).toBe(client_ip);
    }
    const refused = [];
    for (const value of ['256.0.0.0', '1.2.3.04', '1.2.3.4:80', '1.2.3.4/8', ' 1.2.3.4', '16909060']) {
      refused.push([value, await create({ client_ip: value })] as const);
    }
    expectRefused('client_ip', refused);
  });

  it('§4 POST /api/v1/payments: wallet_id is optional and defaults to the default wallet of the node', async () => {
    const json = { node_id: shop.nodeId, network_id: api.ids.networks.A, wallet_id: wallet.id, type: 'node' };
    const mapping = '/api/v1/node-network-wallet-defaults';
    expect(codeOf(await create({ wallet_id: undefined }))).toEqual([404, 'wallet_not_found']);
    await api.call('POST', mapping, { token: shop.token, json });
    const { status, body } = await create({ wallet_id: undefined });
    expect([status, body.wallet_id]).toEqual([201, wallet.id]);
  });

  it('§4 POST /api/v1/payments: member is inline member data, which creates or finds the member', async () => {
    const member = {
      external_id: randomUUID(),
      name: 'Ada',
      surname: 'Lovelace',
      email: 'ada@example.com',
      phone: '1',
      identity_number: '2',
      tax_office: '3',
      tax_number: '4',
      address: '5',
      district: '6',
      city: '7',
      country: '8',
      contact_name: '9',
      locale: 'en',
    };
    const first = await payment({ member });
    expect(first.member).toMatchObject({ ...member, id: first.member_id, node_id: shop.nodeId });
    const second = await payment({ member: { ...member, name: 'Eve' } });
    expect([second.member_id, second.member.name]).toEqual([first.member_id, 'Ada']);
    expect(outcomeOf(await create({ member, member_id: first.member_id }))).toEqual([400, ['member_id']]);
  });

  it.each([
    ['external_id', 'absent', undefined],
    ['external_id', 'empty', ''],
    ['external_id', 'longer than 255', text(256)],
    ['name', 'absent', undefined],
    ['name', 'empty', ''],
    ['name', 'no text', 7],
    ['email', 'no email', 'ada'],
    ['country', 'longer than 10', text(11)],
    ['nickname', 'there at all', 'x'],
  ])('§4 POST /api/v1/payments: 400 that names member/%s when it is %s', async (field, _, value) => {
    const member = { external_id: randomUUID(), name: 'Ada', [field]: value };
    const [status, fields] = outcomeOf(await create({ member }));
    expect(status).toBe(400);
    expect(fields).toContain(`member/${field}`);
  });

  it('§4 POST /api/v1/payments: items have name, price and external_id, at most 100 of them (101: 400)', async () => {
    const item = { name: 'Shirt', price: 0.5, external_id: 'sku' };
    const { items } = await payment({ items: [item, { name: 'Free', price: 0 }] });
    expect(items).toEqual([
      { ...item, price_units: '500000' },
      { name: 'Free', price: 0, price_units: '0', external_id: null },
    ]);
    expect((await create({ items: Array.from({ length: 100 }, () => item) })).body.items).toHaveLength(100);
    expectRefused('items', [[101, await create({ items: Array.from({ length: 101 }, () => item) })]]);
  });

  it.each([
    ['name', undefined],
    ['name', 7],
    ['price', undefined],
    ['price', '0,5'],
    ['price', -1],
    ['price', 0.0000001],
    ['external_id', 7],
    ['colour', 'blue'],
  ])('§4 POST /api/v1/payments: 400 that names items/0/%s when it is %j', async (field, value) => {
    const [status, fields] = outcomeOf(await create({ items: [{ name: 'Shirt', price: 1, [field]: value }] }));
    expect([status, fields]).toEqual([400, [`items/0/${field}`]]);
  });

  it('§4 POST /api/v1/payments: payment_address of a web3 payment is an EVM address (400 otherwise)', async () => {
    const answers = [];
    for (const value of [
      '0123456789',
      `0x${'0'.repeat(40)}`,
      payee.slice(0, -1),
      `${payee}0`,
      payee.replace('F', 'f'),
    ]) {
      answers.push([value, await create({ payment_address: value })] as const);
    }
    expectRefused('payment_address', answers);
    for (const value of [payee, payee.toLowerCase()]) {
      expect((await create({ payment_address: value })).body.payment_address).toBe(payee);
    }
  });

  it('§4 POST /api/v1/payments: expires_at is an RFC 3339 datetime in the future, at most 366 days ahead', async () => {
    const day = 86_400;
    for (const value of [inSeconds(30), inSeconds(366 * day - 60)]) {
      expect((await create({ expires_at: value })).status).toBe(201);
    }
    const answers = [];
    for (const value of [inSeconds(-1), '2020-01-01T00:00:00Z', inSeconds(366 * day + 60)]) {
      answers.push([value, await create({ expires_at: value })] as const);
    }
    expectRefused('expires_at', answers);
  });

  it('§4 POST /api/v1/payments: expires_at may have an offset and is answered in UTC', async () => {
    const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000);
    const local = new Date(at.getTime() + 2 * 3_600_000).toISOString().replace('.000Z', '+02:00');
    const { body } = await create({ expires_at: local });
    expect(body.expires_at).toBe(at.toISOString());
  });

  it('§4 POST /api/v1/payments: retry_count is 0 to 10 (-1 and 11: 400), retry is true or false', async () => {
    for (const retry_count of [0, 10]) expect((await create({ retry_count })).body.retry_count).toBe(retry_count);
    expectRefused('retry_count', [
      [-1, await create({ retry_count: -1 })],
      [11, await create({ retry_count: 11 })],
    ]);
    for (const retry of [true, false]) expect((await create({ retry })).body.retry).toBe(retry);
  });

  it('§4 POST /api/v1/payments: 404 for a missing node or currency, and for a node out of reach', async () => {
    expect(codeOf(await create({ node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await create({ node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await create({ currency_id: randomUUID() }))).toEqual([404, 'currency_not_found']);
  });

  it('§4 POST /api/v1/payments: 404 for a missing network, wallet or member, and one out of reach', async () => {
    const foreign = await api.wallet(rival);
    expect(codeOf(await create({ network_id: randomUUID() }))).toEqual([404, 'network_not_found']);
    expect(codeOf(await create({ wallet_id: randomUUID() }))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await create({ wallet_id: foreign.id }))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await create({ member_id: randomUUID() }))).toEqual([404, 'member_not_found']);
  });

  it("§4 POST /api/v1/payments: 400 for a chain other than the network's, and a currency that the network lacks", async () => {
    expect(outcomeOf(await create({ chain_id: api.ids.chains.Side }))).toEqual([400, ['chain_id']]);
    const elsewhere = await create({ network_id: api.ids.networks.B, currency_id: api.ids.currencies.BIG });
    expect(outcomeOf(elsewhere)).toEqual([400, ['currency_id']]);
  });

  it('§4 POST /api/v1/payments: 409 for an external_id that the node has used, and the first payment stays unchanged', async () => {
    const made = await payment();
    const { status, body } = await create({ external_id: made.external_id });
    expect([status, body.code, body.existing_id, body.errors]).toEqual([409, 'payment_exists', made.id, []]);
    expect((await get(made.id)).body).toEqual(made);
  });

  it('§4 POST /api/v1/payments: 409 for an external_id that the node has used with other terms names each of them', async () => {
    const made = await payment();
    const { status, body } = await create({ external_id: made.external_id, paid_price: 1, metadata: 'other' });
    expect([status, body.code, body.existing_id]).toEqual([409, 'payment_exists_with_other_terms', made.id]);
    expect(body.errors).toEqual([
      { path: '/body/paid_price', message: 'must equal that of the existing payment' },
      { path: '/body/metadata', message: 'must equal that of the existing payment' },
    ]);
    expect((await get(made.id)).body).toEqual(made);
  });

  it.each(['id', 'status', 'access_token', 'transaction_hash', 'created_at', 'deal_id', 'discount'])(
    '§4 POST /api/v1/payments: 400 for %s, which a request does not have',
    async (field) => {
      expect(outcomeOf(await create({ [field]: 'x' }))).toEqual([400, [field]]);
    },
  );
});

describe('GET', () => {
  checkList({ tag: '§4 GET /api/v1/payments', get: list, ids: ['node_id!', 'wallet_id', 'network_id'] });

  it('§4 GET /api/v1/payments: items are the same objects as a single payment', async () => {
    const made = await payment();
    const { body } = await list();
    expect(body.items[0]).toEqual(made);
    expect((await get(made.id)).body).toEqual(made);
  });

  it('§4 GET /api/v1/payments: payments are of that node only', async () => {
    const theirs = await create({ ...transfer, node_id: rival.nodeId }, rival.token);
    const { body } = await list({ per_page: '100' });
    expect(idsOf(body)).not.toContain(theirs.body.id);
    expect(new Set(body.items.map((item: { node_id: string }) => item.node_id))).toEqual(new Set([shop.nodeId]));
  });

  it('§4 GET /api/v1/payments: wallet_id and network_id filter the list', async () => {
    const other = await api.wallet(shop);
    const [a, b] = [api.ids.networks.A!, api.ids.networks.B!];
    const onA = await payment({ wallet_id: other.id, network_id: a });
    const onB = await payment({ wallet_id: other.id, network_id: b });
    expect(idsOf((await list({ wallet_id: other.id })).body)).toEqual([onB.id, onA.id]);
    expect(idsOf((await list({ wallet_id: other.id, network_id: a })).body)).toEqual([onA.id]);
    const { items } = (await list({ network_id: b, per_page: '100' })).body;
    expect(new Set(items.map((item: { network_id: string }) => item.network_id))).toEqual(new Set([b]));
  });

  it('§4 GET /api/v1/payments: 404 for a missing node, wallet or network, and one out of reach', async () => {
    const foreign = await api.wallet(rival);
    expect(codeOf(await list({ node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await list({ node_id: rival.nodeId }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await list({ wallet_id: randomUUID() }))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await list({ wallet_id: foreign.id }))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await list({ network_id: randomUUID() }))).toEqual([404, 'network_not_found']);
  });

  it('§4 GET /api/v1/payments/{id}: 200 is the full payment with access_token, status and transaction_hash', async () => {
    const made = await payment();
    const { status, body } = await get(made.id);
    expect(status).toBe(200);
    expect(body).toEqual(made);
    expect(body).toMatchObject({ access_token: expect.any(String), status: 'pending', transaction_hash: null });
  });

  it('§4 GET /api/v1/payments/{id}: 404 for a missing payment and one out of reach, 400 for an id that is no UUID', async () => {
    const { id } = await payment();
    expect(codeOf(await get(randomUUID()))).toEqual([404, 'payment_not_found']);
    expect(codeOf(await get(id, rival.token))).toEqual([404, 'payment_not_found']);
    expect(outcomeOf(await get('x'))).toEqual([400, ['id']]);
  });
});

describe('logs', () => {
  checkList({
    tag: '§4 GET /api/v1/payments/{id}/logs',
    get: async (query) => logs((await payment()).id, query),
    ids: [],
  });

  it('§2 Payment log: an entry has event_type, message, actor_type and created_at', async () => {
    const { id } = await payment(transfer);
    const { status, body } = await logs(id);
    expect([status, body.total]).toEqual([200, 1]);
    expect(body.items).toEqual([
      {
        id: anyUuid,
        payment_id: id,
        sequence: 1,
        event_type: 'payment_created',
        message: expect.any(String),
        actor_type: 'integration',
        actor_id: shop.id,
        data: {},
        created_at: anyTimestamp,
      },
    ]);
  });

  it('§4 GET /api/v1/payments/{id}/logs: simultaneous entries are ordered too, the later one first', async () => {
    const { id } = await payment(transfer);
    const [{ created_at }] = await api.knex('payment_logs').where({ payment_id: id }).select('created_at');
    const entry = { payment_id: id, status: 'pending', event_type: 'retry_requested', actor_type: 'system', data: {} };
    await api.knex('payment_logs').insert([
      { ...entry, sequence: 3, message: 'three', created_at },
      { ...entry, sequence: 2, message: 'two', created_at },
    ]);
    const { body } = await logs(id);
    expect(body.items.map((item: { sequence: number }) => item.sequence)).toEqual([3, 2, 1]);
  });

  it('§4 GET /api/v1/payments/{id}/logs: entries are ordered by created_at descending', async () => {
    const { id } = await payment(transfer);
    const entry = { payment_id: id, status: 'pending', event_type: 'retry_requested', actor_type: 'system', data: {} };
    const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes));
    await api
      .knex('payment_logs')
      .where({ payment_id: id })
      .update({ created_at: at(0) });
    await api.knex('payment_logs').insert([
      { ...entry, sequence: 2, message: 'two', created_at: at(1) },
      { ...entry, sequence: 3, message: 'three', created_at: at(2) },
      { ...entry, sequence: 4, message: 'four', created_at: at(3) },
    ]);
    const { body } = await logs(id);
    const times = body.items.map((item: { created_at: string }) => item.created_at);
    expect(times).toEqual([3, 2, 1, 0].map((minutes) => at(minutes).toISOString()));
    const second = await logs(id, { page: '2', per_page: '3' });
    expect(second.body.items).toEqual(body.items.slice(3));
  });

  it('§4 GET /api/v1/payments/{id}/logs: 404 for a missing payment, and one out of reach', async () => {
    const { id } = await payment();
    expect(codeOf(await logs(randomUUID()))).toEqual([404, 'payment_not_found']);
    expect(codeOf(await logs(id, {}, rival.token))).toEqual([404, 'payment_not_found']);
    expect(outcomeOf(await logs('x'))).toEqual([400, ['id']]);
  });

  it('§6 Payment logs: each action of the merchant has an entry with event_type, message and actor_type', async () => {
    const { id } = await payment(transfer);
    const json = { outcome: 'completed', reference: 'T-1' };
    expect((await api.call('POST', `${path}/${id}/settle`, { token: shop.token, json })).status).toBe(200);
    const { body } = await logs(id);
    expect(body.items).toMatchObject([
      { event_type: 'payment_settled', actor_type: 'integration', message: expect.any(String) },
      { event_type: 'payment_created', actor_type: 'integration', message: expect.any(String) },
    ]);
  });
});
