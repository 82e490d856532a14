import { randomUUID } from 'node:crypto';
import { termsHash } from '../../../chain/pure/terms-hash.ts';
import { ZERO_ADDRESS } from '../../../domain/deal.ts';
import { payee, startApi, tokenAddress } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const root = await api.actor('root');
const branch = await api.actor('branch');
const rival = await api.actor('rival');
const wallet = await api.wallet(shop);
await api.activate(wallet, 'A');

const create = (change: Record<string, unknown> = {}, token = shop.token) =>
  api.call('POST', '/api/v1/payments', { token, json: api.paymentBody({ wallet_id: wallet.id, ...change }) });
const get = (id: string, token = shop.token) => api.call('GET', `/api/v1/payments/${id}`, { token });
/** Status, code and path of the first field of a refusal. */
const refusal = async (change: Record<string, unknown>, token = shop.token) => {
  const { status, body } = await create(change, token);
  return [status, body.code, body.errors?.[0]?.path];
};
const bank = { payment_method: 'bank_transfer', payment_address: 'DE00 1234 5678', wallet_id: undefined };

describe('POST /api/v1/payments', () => {
  it('answers the payment with everything it has', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { status, body } = await create({
      external_id: 'order-1',
      chain_id: api.ids.chains.Main,
      items: [
        { name: 'shirt', price: 12.25, external_id: 'sku' },
        { name: 'gift', price: 0 },
      ],
      metadata: '{"a":1}',
      expires_at,
      retry: false,
      retry_count: 7,
      client_ip: '203.0.113.9',
      payment_address: payee.toLowerCase(),
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      external_id: 'order-1',
      node_id: shop.nodeId,
      chain_id: api.ids.chains.Main,
      network_id: api.ids.networks.A,
      wallet_id: wallet.id,
      member_id: null,
      member: null,
      currency_id: api.ids.currencies.USD,
      price: 15,
      price_units: '15000000',
      paid_price: 12.5,
      paid_price_units: '12500000',
      payment_method: 'web3',
      payment_group: 'product',
      payment_address: payee,
      items: [
        { name: 'shirt', price: 12.25, price_units: '12250000', external_id: 'sku' },
        { name: 'gift', price: 0, price_units: '0', external_id: null },
      ],
      metadata: '{"a":1}',
      expires_at,
      retry: false,
      retry_count: 7,
      client_ip: '203.0.113.9',
      status: 'pending',
      status_detail: null,
      deal_id: expect.any(Number),
      diamond_address: wallet.address,
      transaction_hash: null,
      access_token: expect.stringMatching(/^wt_/),
      checkout_url: null,
      created_at: expect.any(String),
      updated_at: body.created_at,
    });
    expect((await get(body.id)).body).toEqual(body);
  });

  it('stores the deal, the first log entry and the command together, and says so to the dispatcher', async () => {
    const { body } = await create();
    const row = await api.knex('payments').where({ id: body.id }).first();
    const expires = Math.floor(Date.parse(body.expires_at) / 1_000);
    expect(row).toMatchObject({
      sequence: 1,
      decimals: 6,
      deal_id: String(body.deal_id),
      token_address: tokenAddress,
      diamond_address: wallet.address.toLowerCase(),
      payment_address: payee.toLowerCase(),
      expires_unix: String(expires),
      terms_hash: termsHash(31_337, wallet.address, {
        dealId: BigInt(body.deal_id),
        token: tokenAddress,
        payee,
        payer: ZERO_ADDRESS,
        amount: 12_500_000n,
        expiresAt: BigInt(expires),
      }),
    });
    const [log] = await api.knex('payment_logs').where({ payment_id: body.id });
    expect(log).toMatchObject({ sequence: 1, event_type: 'payment_created', status: 'pending', actor_id: shop.id });
    const [command] = await api.knex('outbox').where({ payment_id: body.id });
    const group = `${api.ids.networks.A}:web3`;
    expect(command).toMatchObject({ topic: 'create_payment', group_key: group, workflow_id: null, delivered_at: null });
    expect(command.payload).toEqual({
      payment_id: body.id,
      node_id: shop.nodeId,
      wallet_id: wallet.id,
      network_id: api.ids.networks.A,
      method: 'web3',
      expires_at: body.expires_at,
    });
    expect(api.dispatches.at(-1)).toBe(group);
  });

  it('fills in what is left out, and takes null for it', async () => {
    const optional = ['chain_id', 'member_id', 'member', 'items', 'metadata', 'retry', 'retry_count', 'client_ip'];
    const { status, body } = await create(Object.fromEntries(optional.map((name) => [name, null])));
    expect(status).toBe(201);
    expect(body).toMatchObject({ items: [], metadata: null, retry: true, retry_count: 3, client_ip: null });
    expect((await create()).body).toMatchObject({ items: [], metadata: null, retry: true, retry_count: 3 });
  });

  it('pays the native coin without a token, with 18 digits', async () => {
    const { body } = await create({ currency_id: api.ids.currencies.ETH, price: 1, paid_price: 1e-18 });
    expect(body).toMatchObject({ paid_price: 1e-18, paid_price_units: '1', price_units: '1000000000000000000' });
    expect(await api.knex('payments').where({ id: body.id }).first('token_address')).toEqual({ token_address: null });
  });

  it('waits with diamond_missing until the diamond is active', async () => {
    const fresh = await api.wallet(shop);
    expect((await create({ wallet_id: fresh.id })).body.status_detail).toBe('diamond_missing');
    await api.activate(fresh, 'A', 'deploying');
    expect((await create({ wallet_id: fresh.id })).body.status_detail).toBe('diamond_missing');
    await api.knex('diamonds').where({ wallet_id: fresh.id }).update({ status: 'active' });
    expect((await create({ wallet_id: fresh.id })).body.status_detail).toBeNull();
  });

  it('gives deals random ids of 53 bits', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await create()).body.deal_id as number));
    expect(new Set(ids).size).toBe(20);
    expect(Math.max(...ids)).toBeGreaterThan(2 ** 50);
    expect(ids.every((id) => Number.isSafeInteger(id) && id > 0)).toBe(true);
  });

  it.each(['credit_card', 'bank_transfer'])(
    'takes %s without wallet and token, with the digits of the currency',
    async (method) => {
      const { status, body } = await create({ ...bank, payment_method: method, price: 9.99, paid_price: 9.99 });
      expect(status).toBe(201);
      expect(body).toMatchObject({
        wallet_id: null,
        deal_id: null,
        diamond_address: null,
        checkout_url: null,
        status_detail: null,
        payment_address: 'DE00 1234 5678',
        paid_price_units: '999',
      });
      expect(await refusal({ ...bank, paid_price: 9.999 })).toEqual([400, 'invalid_request', '/body/paid_price']);
      const [command] = await api.knex('outbox').where({ payment_id: body.id });
      expect(command).toMatchObject({
        group_key: `${api.ids.networks.A}:offchain`,
        payload: { method: 'offchain', wallet_id: null },
      });
    },
  );
});

describe('amounts', () => {
  const big = { currency_id: api.ids.currencies.BIG };
  it.each<[Record<string, unknown>, string]>([
    [{ paid_price: 0.1 }, '100000'],
    [{ paid_price: 0.000001 }, '1'],
    [{ paid_price: 999999999.999999 }, '999999999999999'],
    [{ ...big, paid_price: 123456.789 }, '123456789000000000000000'],
    [{ ...big, paid_price: 1e-18 }, '1'],
    [{ ...big, paid_price: 0.1 }, '100000000000000000'],
  ])('%j is exactly %s base units', async (change, units) => {
    const { status, body } = await create(change);
    expect([status, body.paid_price_units, body.paid_price]).toEqual([201, units, change.paid_price]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['0', { paid_price: 0 }],
    ['-0', { paid_price: -0 }],
    ['negative', { paid_price: -1 }],
    ['one digit too many', { paid_price: 1e-7 }],
    ['0.1234567', { paid_price: 0.1234567 }],
    ['16 significant digits', { paid_price: 1234567890.123456 }],
    ['2^53+1', { paid_price: 2 ** 53 + 2 }],
    ['1e308', { paid_price: 1e308 }],
    ['more whole coins than the widget can show', { ...big, paid_price: 1e16 }],
    ['text', { paid_price: '12.5' }],
    ['null', { paid_price: null }],
    ['true', { paid_price: true }],
  ])('%s is 400 with the path of the field', async (_, change) => {
    expect(await refusal(change)).toEqual([400, 'invalid_request', '/body/paid_price']);
  });

  it('sends -0 and 1e400 as they are written', async () => {
    for (const text of ['-0', '-0.0', '1e400', '-1e400', '1E-400']) {
      const raw = JSON.stringify(api.paymentBody({ wallet_id: wallet.id })).replace(
        '"paid_price":12.5',
        `"paid_price":${text}`,
      );
      const { status, body } = await api.call('POST', '/api/v1/payments', { token: shop.token, raw });
      expect([status, body.errors[0].path]).toEqual([400, '/body/paid_price']);
    }
  });

  it('names what is wrong: the sign first, then digits of every amount at once, of any currency and then of this one', async () => {
    const errorsOf = async (price: number, second: number) => {
      const items = [
        { name: 'a', price: 1 },
        { name: 'b', price: second },
      ];
      return (await create({ price, paid_price: price, items })).body.errors;
    };
    expect((await create({ paid_price: 0 })).body.errors).toEqual([
      { path: '/body/paid_price', message: 'must be > 0' },
    ]);
    const significant = 'must have at most 15 significant digits';
    expect(await errorsOf(0.1234567890123456, 0.1234567890123456)).toEqual(
      ['price', 'paid_price', 'items/1/price'].map((field) => ({ path: `/body/${field}`, message: significant })),
    );
    const digits = 'must have at most 6 digits after the decimal point';
    expect(await errorsOf(1e-9, 1e-9)).toEqual(
      ['price', 'paid_price', 'items/1/price'].map((field) => ({ path: `/body/${field}`, message: digits })),
    );
  });
});

describe('refusals', () => {
  it.each([
    ...[
      'external_id',
      'node_id',
      'network_id',
      'currency_id',
      'price',
      'paid_price',
      'payment_method',
      'payment_group',
    ],
    ...['payment_address', 'expires_at'],
  ])('400 without %s', async (field) => {
    expect(await refusal({ [field]: undefined })).toEqual([400, 'invalid_request', `/body/${field}`]);
  });

  const day = 24 * 3_600_000;
  const at = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  it.each<[string, Record<string, unknown>]>([
    ['/body/external_id', { external_id: '' }],
    ['/body/external_id', { external_id: 'x'.repeat(256) }],
    ['/body/external_id', { external_id: 'a\0' }],
    ['/body/node_id', { node_id: 'x' }],
    ['/body/wallet_id', { wallet_id: 'x' }],
    ['/body/payment_method', { payment_method: 'cash' }],
    ['/body/payment_group', { payment_group: 'other' }],
    ['/body/payment_address', { payment_address: '0x123456' }],
    ['/body/payment_address', { payment_address: `${payee}0` }],
    ['/body/payment_address', { payment_address: payee.replace('F79bf', 'f79Bf') }],
    ['/body/payment_address', { payment_address: ZERO_ADDRESS }],
    ['/body/payment_address', { payment_address: wallet.address }],
    ['/body/payment_address', { ...bank, payment_address: 'short' }],
    ['/body/expires_at', { expires_at: at(-1_000) }],
    ['/body/expires_at', { expires_at: at(367 * day) }],
    ['/body/expires_at', { expires_at: 'tomorrow' }],
    ['/body/expires_at', { expires_at: '2030-02-30T00:00:00Z' }],
    ['/body/expires_at', { expires_at: '2030-01-01 00:00:00Z' }],
    ['/body/expires_at', { expires_at: '2030-01-01T23:59:60Z' }],
    ['/body/expires_at', { expires_at: 1_900_000_000 }],
    ['/body/client_ip', { client_ip: '::1' }],
    ['/body/client_ip', { client_ip: '256.0.0.1' }],
    ['/body/retry_count', { retry_count: 11 }],
    ['/body/retry_count', { retry_count: -1 }],
    ['/body/retry_count', { retry_count: 1.5 }],
    ['/body/retry', { retry: 'yes' }],
    ['/body/metadata', { metadata: 'x'.repeat(8_193) }],
    ['/body/metadata', { metadata: 'é'.repeat(4_097) }],
    ['/body/metadata', { metadata: { a: 1 } }],
    ['/body/items', { items: Array.from({ length: 101 }, () => ({ name: 'a', price: 1 })) }],
    ['/body/items/0/price', { items: [{ name: 'a' }] }],
    ['/body/items/0/price', { items: [{ name: 'a', price: -1 }] }],
    ['/body/items/0/sku', { items: [{ name: 'a', price: 1, sku: 'x' }] }],
    ['/body/items/0/name', { items: [{ name: 'a\uDC00', price: 1 }] }],
    ['/body/member/name', { member: { external_id: 'm' } }],
    ['/body/member/email', { member: { external_id: 'm', name: 'n', email: 'x' } }],
    ['/body/member/node_id', { member: { external_id: 'm', name: 'n', node_id: randomUUID() } }],
    ['/body/member_id', { member: { external_id: 'm', name: 'n' }, member_id: randomUUID() }],
    ['/body/status', { status: 'completed' }],
    ['/body/id', { id: randomUUID() }],
    ['/body/deal_id', { deal_id: 1 }],
    ['/body/chain_id', { chain_id: api.ids.chains.Side }],
    ['/body/chain_id', { chain_id: randomUUID() }],
    ['/body/currency_id', { network_id: api.ids.networks.B, currency_id: api.ids.currencies.ETH }],
    ['/body/wallet_id', { network_id: api.ids.networks.S, currency_id: api.ids.currencies.ETH }],
  ])('400 at %s', async (path, change) => {
    expect(await refusal(change)).toEqual([400, 'invalid_request', path]);
  });

  it('404 for what it refers to, when it is not there or out of reach', async () => {
    const foreign = await api.wallet(rival);
    const below = await api.wallet(branch);
    const gone = await api.wallet(shop);
    await api.knex('wallets').where({ id: gone.id }).update({ deleted_at: new Date() });
    for (const node_id of [randomUUID(), rival.nodeId, root.nodeId]) {
      expect(await refusal({ node_id })).toEqual([404, 'node_not_found', undefined]);
      // What is wrong with the request itself comes first.
      const amounts = { price: -1, paid_price: 0 };
      expect(await refusal({ node_id, ...amounts })).toEqual([400, 'invalid_request', '/body/price']);
      expect(await refusal({ node_id, paid_price: 1.123456789012345 })).toEqual([
        400,
        'invalid_request',
        '/body/paid_price',
      ]);
    }
    expect(await refusal({ network_id: randomUUID() })).toEqual([404, 'network_not_found', undefined]);
    expect(await refusal({ currency_id: randomUUID() })).toEqual([404, 'currency_not_found', undefined]);
    for (const wallet_id of [randomUUID(), foreign.id, below.id, gone.id, null]) {
      expect(await refusal({ wallet_id })).toEqual([404, 'wallet_not_found', undefined]);
    }
    expect(await refusal({ member_id: randomUUID() })).toEqual([404, 'member_not_found', undefined]);
  });

  it('409 for an inactive wallet', async () => {
    const idle = await api.wallet(shop);
    await api.knex('wallets').where({ id: idle.id }).update({ is_active: false });
    expect(await refusal({ wallet_id: idle.id })).toEqual([409, 'wallet_inactive', undefined]);
  });

  it('stores nothing of what it refuses', async () => {
    const count = async () => (await api.knex('payments').count('* as n').first())?.n;
    const before = await count();
    await refusal({ paid_price: 0 });
    await refusal({ currency_id: randomUUID() });
    expect(await count()).toBe(before);
  });
});

describe('wallets of a payment', () => {
  it('may be one of an ancestor', async () => {
    const { status, body } = await create({ node_id: branch.nodeId }, branch.token);
    expect([status, body.wallet_id, body.node_id]).toEqual([201, wallet.id, branch.nodeId]);
  });

  it('come from the mappings when none is named: own node, own apex, the nearest apex above', async () => {
    const network_id = api.ids.networks.B;
    const map = async (actor: typeof shop, type: string) => {
      const own = await api.wallet(actor);
      await api
        .knex('node_network_wallet_defaults')
        .insert({ node_id: actor.nodeId, network_id, wallet_id: own.id, type });
      return own.id;
    };
    const used = async () => {
      const change = { node_id: branch.nodeId, network_id, wallet_id: undefined };
      return (await create(change, branch.token)).body.wallet_id;
    };
    expect(await used()).toBeUndefined();
    await map(shop, 'node');
    expect(await used()).toBeUndefined();
    const top = await map(root, 'apex');
    expect(await used()).toBe(top);
    const above = await map(shop, 'apex');
    expect(await used()).toBe(above);
    const apex = await map(branch, 'apex');
    expect(await used()).toBe(apex);
    const own = await map(branch, 'node');
    expect(await used()).toBe(own);
  });
});

describe('duplicates', () => {
  it('answer 409 with the id of the first, on the same node only', async () => {
    const external_id = randomUUID();
    const first = await create({ external_id });
    const second = await create({ external_id, price: 99 });
    expect([second.status, second.body.code, second.body.existing_id]).toEqual([409, 'payment_exists', first.body.id]);
    expect((await create({ external_id, node_id: branch.nodeId })).status).toBe(201);
  });

  it('are one payment when 50 clients ask at the same time', async () => {
    const external_id = randomUUID();
    const member = { external_id: randomUUID(), name: 'Ann' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create({ external_id, ...(index % 2 ? { member } : {}) })),
    );
    const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
    const made = answers.filter((answer) => answer.status === 201);
    const refused = answers.filter((answer) => answer.status === 409);
    expect(new Set(refused.map((answer) => answer.body.existing_id))).toEqual(new Set([made[0]?.body.id]));
    const stored = await api.knex('payments').where({ external_id }).select('id');
    expect(stored).toEqual([{ id: made[0]?.body.id }]);
    expect(await api.knex('outbox').where({ payment_id: made[0]?.body.id }).select('topic')).toHaveLength(1);
  });
});

describe('members', () => {
  const ann = { external_id: 'ann', name: 'Ann', email: 'ann@example.com', address: 'Long Street 1', country: 'NL' };

  it('are made inline, and linked unchanged the next time', async () => {
    const first = await create({ member: ann });
    expect(first.body.member).toEqual({
      id: first.body.member_id,
      node_id: shop.nodeId,
      ...ann,
      ...Object.fromEntries(
        [
          'surname',
          'phone',
          'identity_number',
          'tax_office',
          'tax_number',
          'district',
          'city',
          'contact_name',
          'locale',
        ].map((name) => [name, null]),
      ),
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const second = await create({ member: { ...ann, name: 'Somebody else', email: null } });
    expect(second.body.member).toEqual(first.body.member);
    const third = await create({ member_id: first.body.member_id });
    expect(third.body.member).toEqual(first.body.member);
    expect((await get(third.body.id)).body).toEqual(third.body);
  });

  it('are one when twenty payments bring the same one at the same time', async () => {
    const member = { external_id: randomUUID(), name: 'Bob' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ member })));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
    expect(new Set(answers.map((answer) => answer.body.member_id)).size).toBe(1);
  });

  it('are not left behind by a refused duplicate', async () => {
    const external_id = randomUUID();
    await create({ external_id });
    const member = { external_id: randomUUID(), name: 'Ghost' };
    expect((await create({ external_id, member })).status).toBe(409);
    expect(await api.knex('members').where({ external_id: member.external_id })).toEqual([]);
  });

  it('of another node are 404', async () => {
    const { body } = await create({ member: ann });
    expect(await refusal({ node_id: branch.nodeId, member_id: body.member_id })).toEqual([
      404,
      'member_not_found',
      undefined,
    ]);
  });
});

describe('GET /api/v1/payments/{id}', () => {
  it('is seen from above, and from nowhere else', async () => {
    const { body } = await create();
    const statuses = await Promise.all(
      [shop, root, branch, rival].map(async ({ token }) => (await get(body.id, token)).status),
    );
    expect(statuses).toEqual([200, 200, 404, 404]);
    const foreign = await get(body.id, rival.token);
    const absent = await get(randomUUID(), rival.token);
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...absent.body, request_id: '' });
    expect((await get(body.id.toUpperCase())).body.id).toBe(body.id);
  });

  it("shows the deal's transaction until the buyer's is seen", async () => {
    const { body } = await create();
    const deal = `0x${'a1'.repeat(32)}`;
    const paid = `0x${'b2'.repeat(32)}`;
    await api.knex('payments').where({ id: body.id }).update({ deal_tx_hash: deal, deal_block_number: 1 });
    expect((await get(body.id)).body.transaction_hash).toBe(deal);
    await api.knex('payments').where({ id: body.id }).update({ paid_tx_hash: paid, paid_block_number: 2 });
    expect((await get(body.id)).body.transaction_hash).toBe(paid);
  });
});

describe('GET /api/v1/payments/{id}/logs', () => {
  it('lists what happened, newest first, to those who may see the payment', async () => {
    const { body: payment } = await create();
    await api.knex('payment_logs').insert({
      payment_id: payment.id,
      sequence: 2,
      event_type: 'deal_confirmed',
      status: 'awaiting_payment',
      message: 'Deal confirmed',
      actor_type: 'chain',
      data: { block_number: 7 },
    });
    const logs = (token: string, query = '') =>
      api.call('GET', `/api/v1/payments/${payment.id}/logs${query}`, { token });
    const { status, body } = await logs(shop.token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ page: 1, per_page: 10, total: 2 });
    expect(body.items[0]).toEqual({
      id: expect.any(String),
      payment_id: payment.id,
      sequence: 2,
      event_type: 'deal_confirmed',
      message: 'Deal confirmed',
      actor_type: 'chain',
      actor_id: null,
      data: { block_number: 7 },
      created_at: expect.any(String),
    });
    expect(body.items[1]).toMatchObject({
      sequence: 1,
      event_type: 'payment_created',
      actor_type: 'integration',
      actor_id: shop.id,
    });
    expect((await logs(shop.token, '?page=2&per_page=1')).body.items[0].sequence).toBe(1);
    expect((await logs(rival.token)).body.code).toBe('payment_not_found');
  });
});

describe('GET /api/v1/payments', () => {
  const list = (query: string, token = root.token) =>
    api.call('GET', `/api/v1/payments?node_id=${rival.nodeId}&per_page=100${query}`, { token });
  const ids = async (query: string) => (await list(query)).body.items.map((item: { id: string }) => item.id);

  it('lists newest first, filters by every field, and counts what it filters', async () => {
    const own = await api.wallet(rival);
    await api.activate(own, 'A');
    const make = async (change: Record<string, unknown>) =>
      (await create({ node_id: rival.nodeId, wallet_id: own.id, ...change }, rival.token)).body;
    const a = await make({ external_id: 'a' });
    const b = await make({ external_id: 'b', network_id: api.ids.networks.B });
    const c = await make({ external_id: 'c', ...bank, member: { external_id: 'm', name: 'M' } });

    expect((await list('')).body).toMatchObject({ total: 3, items: [c, b, a] });
    expect(await ids(`&wallet_id=${own.id}`)).toEqual([b.id, a.id]);
    expect(await ids(`&network_id=${api.ids.networks.B}`)).toEqual([b.id]);
    expect(await ids(`&member_id=${c.member_id}`)).toEqual([c.id]);
    expect(await ids('&external_id=b')).toEqual([b.id]);
    const order = await make({ external_id: 'my order (1)' });
    const typed = new URLSearchParams({ external_id: 'my order (1)', created_from: '2020-01-01T12:00:00Z' });
    expect(await ids(`&${typed.toString()}`)).toEqual([order.id]);
    expect(await ids('&external_id=my+order%20(1)&created_from=2020-01-01T12:00:00Z')).toEqual([order.id]);
    await api.knex('outbox').where({ payment_id: order.id }).delete();
    await api.knex('payment_logs').where({ payment_id: order.id }).delete();
    await api.knex('payments').where({ id: order.id }).delete();
    expect(await ids('&status=pending')).toEqual([c.id, b.id, a.id]);
    expect(await ids('&status=completed')).toEqual([]);
    expect(await ids('&payment_method=bank_transfer')).toEqual([c.id]);
    const stored = await api.knex('payments').where({ id: b.id }).first('created_at');
    const from = encodeURIComponent(stored.created_at.toISOString());
    expect(await ids(`&created_from=${from}`)).toEqual([c.id, b.id]);
    expect(await ids(`&created_to=${from}`)).toEqual([a.id]);
    expect((await list(`&wallet_id=${own.id}&external_id=a`)).body.total).toBe(1);
    expect((await list('&per_page=1', rival.token)).status).toBe(400);
  });

  it('never counts or shows rows of others', async () => {
    const own = await api.call('GET', `/api/v1/payments?node_id=${shop.nodeId}&per_page=100&include_descendants=true`, {
      token: shop.token,
    });
    const nodes = new Set(own.body.items.map((item: { node_id: string }) => item.node_id));
    expect(nodes).toEqual(new Set([shop.nodeId, branch.nodeId]));
    const { rows } = await api.knex.raw('SELECT count(*)::int AS n FROM payments WHERE node_id = ANY (?)', [
      [shop.nodeId, branch.nodeId],
    ]);
    expect(own.body.total).toBe(rows[0].n);
  });

  it('answers 404 for a node out of reach and for foreign filters', async () => {
    const ask = async (query: string) => {
      const { status, body } = await api.call('GET', `/api/v1/payments?${query}`, { token: shop.token });
      return [status, body.code ?? body.total];
    };
    const foreign = await api.wallet(rival);
    const node = `node_id=${shop.nodeId}`;
    expect(await ask(`node_id=${rival.nodeId}`)).toEqual([404, 'node_not_found']);
    expect(await ask(`node_id=${root.nodeId}`)).toEqual([404, 'node_not_found']);
    expect(await ask(`${node}&wallet_id=${foreign.id}`)).toEqual([404, 'wallet_not_found']);
    expect(await ask(`${node}&network_id=${randomUUID()}`)).toEqual([404, 'network_not_found']);
    expect(await ask(`${node}&member_id=${randomUUID()}`)).toEqual([404, 'member_not_found']);
    const above = await api.call('GET', `/api/v1/payments?node_id=${branch.nodeId}&wallet_id=${wallet.id}`, {
      token: branch.token,
    });
    expect(above.status).toBe(200);
  });
});

describe('a migration that adds columns while the api runs', () => {
  it('disturbs no statement that was prepared before', async () => {
    const { body } = await create();
    const widget = () => api.call('GET', `/api/v1/widget/payments/${body.id}`, { token: body.access_token });
    const member = () => ({ external_id: randomUUID(), name: 'Ada' });
    // So many at once that each connection of the pool prepares them.
    const all = async () => {
      const rounds = Array.from({ length: 20 }, () => [get(body.id), create(), create({ member: member() }), widget()]);
      return new Set((await Promise.all(rounds.flat())).map(({ status }) => status));
    };
    expect(await all()).toEqual(new Set([200, 201]));
    await api.knex.raw('ALTER TABLE payments ADD COLUMN later text; ALTER TABLE members ADD COLUMN later text');
    expect(await all()).toEqual(new Set([200, 201]));
    await api.knex.raw('ALTER TABLE payments DROP COLUMN later; ALTER TABLE members DROP COLUMN later');
  });
});

describe('the limit of open payments', () => {
  it('answers 429 until one of them is done', async () => {
    const small = await startApi({ maxOpenPayments: 2 });
    const actor = await small.actor('shop');
    const open = async () => {
      const json = small.paymentBody({ ...bank });
      const { status, body } = await small.call('POST', '/api/v1/payments', { token: actor.token, json });
      return [status, body.code ?? body.id];
    };
    const [, id] = await open();
    expect((await open())[0]).toBe(201);
    expect(await open()).toEqual([429, 'too_many_open_payments']);
    await small.knex('payments').where({ id }).update({ status: 'expired', terminal_at: new Date() });
    expect((await open())[0]).toBe(201);
    await small.stop();
  });
});
