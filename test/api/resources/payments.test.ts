import { randomUUID } from 'node:crypto';
import { termsHash } from '../../../chain/pure/deal-encoding.ts';
import { ZERO_ADDRESS } from '../../../domain/deal.ts';
import { created, pathsOf, together } from '../support/answers.ts';
import { checksum } from '../../../chain/pure/address.ts';
import { bankTransfer, payee, startApi, tokenAddress } from '../support/api-under-test.ts';

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
const bank = { ...bankTransfer, wallet_id: undefined };

describe('POST /api/v1/payments', () => {
  it('stores the deal, the first log entry and the command together, and notifies the dispatcher', async () => {
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
    ['-0', { paid_price: -0 }],
    ['0.1234567', { paid_price: 0.1234567 }],
    ['16 significant digits', { paid_price: 1234567890.123456 }],
    ['2^53+1', { paid_price: 2 ** 53 + 2 }],
    ['1e308', { paid_price: 1e308 }],
    ['more whole coins than the widget can show', { ...big, paid_price: 1e16 }],
  ])('%s is 400 with the path of the field', async (_, change) => {
    expect(await refusal(change)).toEqual([400, 'invalid_request', '/body/paid_price']);
  });

  it.each([
    ['10.0', '10000000', 10],
    ['12.50', '12500000', 12.5],
    ['1e2', '100000000', 100],
    ['999999999.999999', '999999999999999', 999_999_999.999999],
    ['0.30000000000000004', '300000', 0.3],
    ['434.99999999999994', '435000000', 435],
    ['9007199254740991', '9007199254740991000000', Number.MAX_SAFE_INTEGER],
    ['"12.5"', '12500000', 12.5],
    ['"9007199254.740991"', '9007199254740991', Number('9007199254.740991')],
  ])('%s is judged by its text, of %s base units', async (text, units, price) => {
    const { status, body } = await written(text);
    expect([status, body.paid_price_units, body.price_units, body.items[0].price_units]).toEqual([
      201,
      units,
      units,
      units,
    ]);
    expect([body.paid_price, body.price, body.items[0].price]).toEqual([price, price, price]);
    await api.activate(wallet, 'A').catch(() => {});
    const widget = await api.call('GET', `/api/v1/widget/payments/${body.id}`, { token: body.access_token });
    expect(BigInt(widget.body.price) * 10n ** BigInt(6 - widget.body.price_decimals)).toBe(BigInt(units));
  });

  it.each([
    '1000000000000.000001',
    '9007199254740993',
    '1234567890.123456',
    '12345678901234567890',
    '"1000000000000.000001"',
    '"9007199254.7409921"',
    '"1e2"',
    '"-1"',
    '" 1"',
    '"0x10"',
    '"01"',
    '"1."',
    '""',
    '"0"',
    '0.0',
  ])('%s is 400 with the path of the field, and nothing is rounded', async (text) => {
    const { status, body } = await written(text);
    const paths = body.errors.map(({ path }: { path: string }) => path);
    expect([status, paths]).toEqual([400, expect.arrayContaining(['/body/price'])]);
  });

  it('says when a number has more digits than JSON holds', async () => {
    const { body } = await written('1000000000000.000001');
    expect(body.errors[0].message).toContain('more digits than a JSON number holds');
  });

  it('sends -0 and 1e400 as written', async () => {
    for (const text of ['-0', '-0.0', '1e400', '-1e400', '1E-400']) {
      const raw = JSON.stringify(api.paymentBody({ wallet_id: wallet.id })).replace(
        '"paid_price":12.5',
        `"paid_price":${text}`,
      );
      const { status, body } = await api.call('POST', '/api/v1/payments', { token: shop.token, raw });
      expect([status, body.errors[0].path]).toEqual([400, '/body/paid_price']);
    }
  });

  it('names the error: the sign first, then digits of every amount at once, of any currency and then of this one', async () => {
    const errorsOf = async (price: number, second: number) => {
      const items = [
        { name: 'a', price: 1 },
        { name: 'b', price: second },
      ];
      return (await create({ price, paid_price: price, items })).body.errors;
    };
    expect((await create({ paid_price: 0 })).body.errors).toEqual([
      { path: '/body/paid_price', message: 'must be greater than 0' },
    ]);
    const significant = 'has more digits than a JSON number holds; send it as a string';
    expect(await errorsOf(0.1234567890123456, 0.1234567890123456)).toEqual(
      ['price', 'paid_price', 'items/1/price'].map((field) => ({ path: `/body/${field}`, message: significant })),
    );
    const digits = 'must have at most 6 digits after the decimal point';
    expect(await errorsOf(1e-9, 1e-9)).toEqual(
      ['price', 'paid_price', 'items/1/price'].map((field) => ({ path: `/body/${field}`, message: digits })),
    );
  });
});

/** A payment whose amounts are all of this text. */
const written = (text: string) => {
  const json = api.paymentBody({ wallet_id: wallet.id, price: 0, paid_price: 0, items: [{ name: 'a', price: 0 }] });
  const raw = JSON.stringify(json).replaceAll(/"(price|paid_price)":0/g, `"$1":${text}`);
  return api.call('POST', '/api/v1/payments', { token: shop.token, raw });
};

describe('refusals', () => {
  it.each<[string, Record<string, unknown>]>([
    ['/body/external_id', { external_id: 'a\0' }],
    ['/body/payment_address', { payment_address: wallet.address }],
    ['/body/expires_at', { expires_at: '2030-01-01 00:00:00Z' }],
    ['/body/expires_at', { expires_at: '2030-01-01T23:59:60Z' }],
    ['/body/metadata', { metadata: `${'é'.repeat(4_096)}x` }],
    ['/body/items/0/name', { items: [{ name: 'a\uDC00', price: 1 }] }],
    ['/body/member/node_id', { member: { external_id: 'm', name: 'n', node_id: randomUUID() } }],
    ['/body/chain_id', { chain_id: api.ids.chains.Side }],
    ['/body/wallet_id', { network_id: api.ids.networks.S, currency_id: api.ids.currencies.ETH }],
  ])('400 at %s', async (path, change) => {
    expect(await refusal(change)).toEqual([400, 'invalid_request', path]);
  });

  it.each<[unknown, string]>([
    [-1, 'must be greater than 0'],
    [1e40, 'must be at most 1e+39'],
    ['-1', 'must be a decimal number such as 12.50'],
    ['1'.repeat(81), 'must have at most 80 characters'],
    [true, 'must be a number or a string'],
    [null, 'must be a number or a string'],
    [{}, 'must be a number or a string'],
  ])('an amount of %j breaks the rule of its own form: %s', async (paid_price, message) => {
    const { status, body } = await create({ paid_price });
    expect([status, body.errors]).toEqual([400, [{ path: '/body/paid_price', message }]]);
  });

  it('400 for the request itself comes before 404 for its references', async () => {
    for (const node_id of [randomUUID(), root.nodeId]) {
      const wrong = { node_id, price: -1, paid_price: 1.123456789012345 };
      expect(await refusal(wrong)).toEqual([400, 'invalid_request', '/body/price']);
      expect(await refusal({ node_id, paid_price: wrong.paid_price })).toEqual([
        400,
        'invalid_request',
        '/body/paid_price',
      ]);
      // A zero passes the schema as text.
      const nothing = await create({ node_id, price: '0', paid_price: '0.00', items: [{ name: 'a', price: '0' }] });
      expect([nothing.status, nothing.body.errors]).toEqual([
        400,
        ['price', 'paid_price'].map((field) => ({ path: `/body/${field}`, message: 'must be greater than 0' })),
      ]);
    }
  });

  it('404 for a wallet of a node below, a deleted one, and a missing default', async () => {
    const [below, gone] = [await api.wallet(branch), await api.wallet(shop)];
    await api.knex('wallets').where({ id: gone.id }).update({ deleted_at: new Date() });
    for (const wallet_id of [below.id, gone.id, null]) {
      const path = wallet_id === null ? undefined : '/body/wallet_id';
      expect(await refusal({ wallet_id })).toEqual([404, 'wallet_not_found', path]);
    }
  });
});

it('the wallet of a payment may be one of an ancestor', async () => {
  const { status, body } = await create({ node_id: branch.nodeId }, branch.token);
  expect([status, body.wallet_id, body.node_id]).toEqual([201, wallet.id, branch.nodeId]);
});

describe('members', () => {
  it('are one when twenty payments bring the same one at the same time', async () => {
    const member = { external_id: randomUUID(), name: 'Bob' };
    const answers = await together(20, () => create({ member }));
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
    const { body } = await create({ member: { external_id: 'ann', name: 'Ann' } });
    expect(await refusal({ node_id: branch.nodeId, member_id: body.member_id })).toEqual([
      404,
      'member_not_found',
      '/body/member_id',
    ]);
  });
});

it('GET /api/v1/payments filters by member, external_id, method, times and transaction', async () => {
  const { token, nodeId: node_id } = rival;
  const make = async (external_id: string, change = {}) =>
    (await create({ ...bank, node_id, external_id, ...change }, token)).body;
  const a = await make('a', { payment_method: 'credit_card' });
  const b = await make('my order (1)');
  const c = await make('c', { member: { external_id: 'm', name: 'M' } });
  const ids = async (query: string) => {
    const { body } = await api.call('GET', `/api/v1/payments?node_id=${node_id}${query}`, { token });
    const found = body.items.map((item: { id: string }) => item.id);
    expect(body.total).toBe(found.length);
    return found;
  };
  expect(await ids('')).toEqual([c.id, b.id, a.id]);
  expect(await ids(`&member_id=${c.member_id}`)).toEqual([c.id]);
  expect(await ids('&payment_method=bank_transfer')).toEqual([c.id, b.id]);
  const typed = new URLSearchParams({ external_id: 'my order (1)', created_from: '2020-01-01T12:00:00Z' });
  expect(await ids(`&${typed.toString()}`)).toEqual([b.id]);
  expect(await ids('&external_id=my+order%20(1)&payment_method=credit_card')).toEqual([]);
  const at = new Date('2030-01-01T00:00:00Z');
  await api.knex('payments').where({ id: b.id }).update({ created_at: at });
  expect(await ids(`&created_from=${at.toISOString()}`)).toEqual([b.id]);
  expect(await ids(`&created_to=${at.toISOString()}`)).toEqual([c.id, a.id]);

  const [first, last] = ['2029-01-31T23:00:00.000Z', '2029-02-01T00:00:00.000Z'];
  const complete = (id: string, when: string) =>
    api.knex('payments').where({ id }).update({ status: 'completed', terminal_at: when, created_at: '2028-06-01' });
  await complete(a.id, first);
  await complete(c.id, last);
  await api.knex('payments').where({ id: b.id }).update({ status: 'expired', terminal_at: first });
  expect(await ids(`&completed_from=${first}&completed_to=${last}`)).toEqual([a.id]);
  expect(await ids(`&completed_from=${first}`)).toEqual([c.id, a.id]);
  expect(await ids(`&completed_from=${last}&status=completed`)).toEqual([c.id]);
  expect(await ids(`&completed_to=${last}&status=expired`)).toEqual([]);
  await api.knex('payments').where({ id: c.id }).update({ updated_at: at });
  expect(await ids(`&updated_from=${at.toISOString()}`)).toEqual([c.id]);

  const [deal, paid] = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`];
  await api.knex('payments').where({ id: a.id }).update({ deal_tx_hash: deal, deal_block_number: 1 });
  await api.knex('payments').where({ id: c.id }).update({ deal_tx_hash: deal, deal_block_number: 1 });
  await api.knex('payments').where({ id: c.id }).update({ paid_tx_hash: paid, paid_block_number: 2 });
  expect(await ids(`&transaction_hash=${deal}`)).toEqual([c.id, a.id]);
  expect(await ids(`&transaction_hash=0x${'CD'.repeat(32)}`)).toEqual([c.id]);
  expect(await ids(`&transaction_hash=0x${'ef'.repeat(32)}`)).toEqual([]);
  for (const wrong of ['transaction_hash=abc', 'completed_from=yesterday', 'updated_from=', 'updated_to=2029-01-01']) {
    const refused = await api.call('GET', `/api/v1/payments?node_id=${node_id}&${wrong}`, { token });
    expect(pathsOf(refused)).toEqual([`/query/${wrong.split('=')[0]}`]);
  }
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

describe('a repeated external_id', () => {
  const terms = {
    price: 20,
    items: [
      { name: 'Shirt', price: 12.5, external_id: 'sku-1' },
      { name: 'Socks', price: 0 },
    ],
    metadata: '{"cart":1}',
    success_url: 'https://shop.example/a',
    cancel_url: 'https://shop.example/a',
    locale: 'de',
  };
  const repeat = async (first: Record<string, unknown>, again: Record<string, unknown>) => {
    const made = await created(create(first));
    const { status, body } = await create({ ...first, external_id: made.external_id, ...again });
    expect([status, body.existing_id]).toEqual([409, made.id]);
    return [body.code, ...body.errors.map(({ path }: { path: string }) => path.slice('/body/'.length))];
  };

  it.each<[string, Record<string, unknown>]>([
    ['expires_at', { expires_at: new Date(Date.now() + 7_200_000).toISOString() }],
    ['amounts as text and with zeros', { price: '20.00', paid_price: '12.50' }],
    ['items with null for omitted members', { items: [terms.items[0], { ...terms.items[1], external_id: null }] }],
    ['an address in lower case', { payment_address: payee.toLowerCase() }],
    ['the language of the page', { locale: 'fr' }],
    ['the chain, buyer and retries', { chain_id: api.ids.chains.Main, client_ip: '203.0.113.9', retry: false }],
    ['a member', { member: { external_id: 'of a repetition', name: 'Ada' } }],
  ])('has the same terms with another form of %s', async (_, again) => {
    expect(await repeat(terms, again)).toEqual(['payment_exists']);
  });

  it('has the same terms whether its wallet was named or is the default one', async () => {
    await api.call('POST', '/api/v1/node-network-wallet-defaults', {
      token: shop.token,
      json: { node_id: shop.nodeId, network_id: api.ids.networks.A, wallet_id: wallet.id, type: 'node' },
    });
    expect(await repeat({}, { wallet_id: undefined })).toEqual(['payment_exists']);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['list price', { price: 21 }, ['price']],
    ['amount', { paid_price: 12.500001 }, ['paid_price']],
    ['payee', { payment_address: checksum(`0x${'7e'.repeat(20)}`) }, ['payment_address']],
    ['order of items', { items: terms.items.toReversed() }, ['items']],
    ['price of an item', { items: [{ ...terms.items[0], price: 12 }, terms.items[1]] }, ['items']],
    ['items left out', { items: null }, ['items']],
    ['metadata', { metadata: '{"cart":2}' }, ['metadata']],
    ['metadata left out', { metadata: null }, ['metadata']],
    ['links', { success_url: 'https://shop.example/b', cancel_url: null }, ['success_url', 'cancel_url']],
    ['currency and none of its amounts', { currency_id: api.ids.currencies.ETH }, ['currency_id']],
    [
      'method and network',
      { ...bank, payment_address: payee, network_id: api.ids.networks.B },
      ['network_id', 'payment_method', 'payment_address'],
    ],
  ])('has other terms with another %s', async (_, again, fields) => {
    expect(await repeat(terms, again)).toEqual(['payment_exists_with_other_terms', ...fields]);
  });

  it('gets its terms before any other refusal', async () => {
    const mine = await api.wallet(shop);
    const { external_id, id } = await created(create({ wallet_id: mine.id }));
    await api.knex('wallets').where({ id: mine.id }).update({ is_active: false });
    const { status, body } = await create({ wallet_id: mine.id, external_id, paid_price: 2 });
    expect([status, body.code, body.existing_id]).toEqual([409, 'payment_exists_with_other_terms', id]);
  });

  it('is compared even if its end has passed since, while a new one with that end is refused', async () => {
    const paths = ({ errors }: { errors: { path: string }[] }): string[] => errors.map(({ path }) => path);
    const { external_id, id } = await created(create());
    const expires_at = new Date(Date.now() - 5_000).toISOString();
    const again = await create({ external_id, expires_at });
    expect([again.status, again.body.code, again.body.existing_id]).toEqual([409, 'payment_exists', id]);
    const other = await create({ external_id, expires_at, paid_price: 2 });
    expect([other.status, other.body.code]).toEqual([409, 'payment_exists_with_other_terms']);
    const { status, body } = await create({ external_id: randomUUID(), expires_at });
    expect([status, body.code, paths(body)]).toEqual([400, 'invalid_request', ['/body/expires_at']]);
    const wrong = await create({
      external_id,
      expires_at,
      payment_address: '0xDE0B295669a9FD93d5F28D9Ec85E40f4cb697BAe',
    });
    expect(paths(wrong.body)).toEqual(['/body/expires_at', '/body/payment_address']);
  });

  it('shows nothing of the payment that another node has under it', async () => {
    const { external_id } = await created(create());
    const elsewhere = { ...bank, external_id, node_id: rival.nodeId };
    expect((await create({ ...elsewhere, paid_price: 2 }, rival.token)).status).toBe(201);
  });

  it('gets its terms when orders come at once, with new members or without', async () => {
    const external_id = randomUUID();
    const send = (index: number) =>
      create({
        external_id,
        paid_price: (index % 4) + 1,
        ...(index % 3 === 0 && { member: { external_id: randomUUID(), name: 'Ada' } }),
      });
    const answers = await Promise.all(Array.from({ length: 24 }, (_, index) => send(index)));
    const [first, ...others] = answers.filter(({ status }) => status === 201);
    expect(others).toEqual([]);
    const told = answers.map(({ body }, index) => [(index % 4) + 1, body.code, body.existing_id]);
    const { id, paid_price } = first!.body;
    expect(told.filter(([, code]) => code !== undefined)).toEqual(
      told.flatMap(([amount, code]) => {
        if (code === undefined) return [];
        return [[amount, amount === paid_price ? 'payment_exists' : 'payment_exists_with_other_terms', id]];
      }),
    );
  });
});

describe('the limit of open payments', () => {
  it('answers 429 until one of them has ended', async () => {
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
