import { randomUUID } from 'node:crypto';
import { checksum } from '../../../chain/pure/address.ts';
import { readBodies } from '../../../db/webhooks/delivery-store.ts';
import { renderBody } from '../../../delivery/bodies.ts';
import { readEvent } from '../../support/event-bodies.ts';
import { expireCheckouts } from '../../../db/checkouts/expire.ts';
import { insertDealIntents, wantDealsAgain } from '../../../db/intents/deals.ts';
import { createLaneStore } from '../../../db/lane/store.ts';
import { decideCancel } from '../../../db/payments/cancel.ts';
import { transition } from '../../../db/payments/transition.ts';
import { startAgain } from '../../../db/recovery/start-again.ts';
import type { TransitionName } from '../../../domain/payment.ts';
import { codeOf, idsOf, pathsOf, statusesOf, together } from '../support/answers.ts';
import { payee, startApi, type Answer } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
const wallet = await api.wallet(shop);
await api.activate(wallet, 'A');
await api.activate(wallet, 'B');
const { A, B } = api.ids.networks as Record<'A' | 'B', string>;
const currency = api.ids.currencies.USD!;

type Json = Record<string, unknown>;
const option = (network: string, change: Json = {}): Json => ({
  network_id: network,
  currency_id: currency,
  paid_price: 12.5,
  wallet_id: wallet.id,
  ...change,
});
const bodyOf = (change: Json = {}): Json => ({
  external_id: `order-${randomUUID()}`,
  node_id: shop.nodeId,
  payment_group: 'product',
  payment_address: payee,
  options: [option(A), option(B), option(A, { paid_price: '11.25', price: 12 })],
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  ...change,
});
const create = (change: Json = {}, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/v1/checkouts', { token: shop.token, json: bodyOf(change), headers });
const made = async (change: Json = {}): Promise<Answer['body']> => {
  const answer = await create(change);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};
const get = async (id: string, token = shop.token) => api.call('GET', `/api/v1/checkouts/${id}`, { token });
const read = async ({ id }: { id: string }) => (await get(id)).body;
const cancel = ({ id }: { id: string }) => api.call('POST', `/api/v1/checkouts/${id}/cancel`, { token: shop.token });
const page = ({ id, access_token: token }: { id: string; access_token: string }) =>
  api.call('GET', `/api/v1/widget/checkouts/${id}`, { token });
const choose = ({ id, access_token: token }: { id: string; access_token: string }, index: unknown) =>
  api.call('POST', `/api/v1/widget/checkouts/${id}/choose`, { token, json: { option: index } });
const paymentsOf = ({ id }: { id: string }) => api.knex('payments').where({ checkout_id: id }).orderBy('choice');
const intentsOf = (id: string) => api.knex('tx_intents').where({ payment_id: id }).orderBy('id');
const isTold = async (id: string) =>
  (await api.knex('outbox').where({ payment_id: id, topic: 'create_payment' })).length === 1;

/** Does what the workflow of a payment does first. */
const enqueue = (id: string) => insertDealIntents(api.knex, [id]);
/** Gives everything that is queued a nonce: its transactions may be on the chain from now on. */
const send = async (id: string): Promise<void> => {
  await enqueue(id);
  const store = createLaneStore(api.knex);
  const [{ account_id: accountId }] = await intentsOf(id);
  const lease = await store.acquire(accountId as string);
  const intents = await store.queued(lease, 1_000);
  await store.assign(lease, 0, [
    { to: wallet.address.toLowerCase(), intents, gasLimit: 100_000n, encode: () => '0x00' },
  ]);
};
/** Moves a payment as the chain would. */
const move = (id: string, ...names: TransitionName[]) =>
  api.knex.transaction(async (trx) => {
    for (const name of names) {
      const moved = await transition(trx, { name, where: 'p.id = :id', bindings: { id }, actor: { type: 'chain' } });
      expect(moved).toEqual([id]);
    }
  });
/** An order whose first choice has a nonce, and may be paid. */
const sentOrder = async () => {
  const order = await made();
  const { body } = await choose(order, 0);
  await send(body.payment.id as string);
  return { order, first: body.payment.id as string };
};
/** At no instant are two payments of one order payable. */
const assertOnePayable = async (order: { id: string }) => {
  const open = (await paymentsOf(order)).filter(({ terminal_at, is_blocked }) => terminal_at === null && !is_blocked);
  expect(open.length).toBeLessThan(2);
};

describe('An order', () => {
  it('is created without a payment, and read, listed and found by its external_id', async () => {
    const order = await made({ items: [{ name: 'Shirt', price: 12.5 }], metadata: 'm' });
    expect(order).toMatchObject({ status: 'open', option: null, choices: 0, payments: [], payment: null });
    expect(order.options).toMatchObject([
      {
        network_id: A,
        eip155: 31_337,
        currency: 'USD',
        price: 12.5,
        paid_price_units: '12500000',
        wallet_id: wallet.id,
      },
      { network_id: B, paid_price: 12.5 },
      { network_id: A, price: 12, paid_price: 11.25, payment_address: payee },
    ]);
    expect(order.items).toEqual([{ name: 'Shirt', price: 12.5, external_id: null }]);
    expect(await paymentsOf(order)).toEqual([]);
    expect(await read(order)).toEqual(order);
    const list = (query: string) =>
      api.call('GET', `/api/v1/checkouts?node_id=${shop.nodeId}&${query}`, { token: shop.token });
    expect((await list(`external_id=${order.external_id}`)).body.items).toEqual([order]);
    expect(idsOf(await list('status=open&per_page=1'))).toEqual([order.id]);
    expect(codeOf(await get(order.id as string, rival.token))).toEqual([404, 'checkout_not_found']);
    const audited = await api.knex('audit_log').where({ resource_id: order.id });
    expect(audited).toMatchObject([{ action: 'checkout.created', actor_id: shop.id }]);
    expect(JSON.stringify(audited)).not.toContain(order.access_token);
  });

  it('is created once for one external_id and for one Idempotency-Key', async () => {
    const order = await made();
    const again = await create({ external_id: order.external_id });
    expect([...codeOf(again), again.body.existing_id]).toEqual([409, 'checkout_exists', order.id]);
    const body = bodyOf();
    const key = { 'idempotency-key': randomUUID() };
    const answers = await together(4, () =>
      api.call('POST', '/api/v1/checkouts', { token: shop.token, json: body, headers: key }),
    );
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(statusesOf(answers)).toEqual([201, 201, 201, 201]);
    const twice = bodyOf();
    const racing = await together(6, () => api.call('POST', '/api/v1/checkouts', { token: shop.token, json: twice }));
    expect(statusesOf(racing)).toEqual([201, 409, 409, 409, 409, 409]);
  });

  const terms = { items: [{ name: 'Shirt', price: '12.50' }], metadata: 'm', success_url: 'https://shop.example/a' };
  it.each<[string, Json, string[]]>([
    ['the same terms', {}, []],
    [
      'amounts as text, and a later expiry',
      {
        options: [option(A, { paid_price: '12.500' }), option(B), option(A, { paid_price: 11.25, price: '12.0' })],
        expires_at: new Date(Date.now() + 7_200_000).toISOString(),
      },
      [],
    ],
    [
      'another amount',
      { options: [option(A), option(B, { paid_price: 13, price: 12.5 }), option(A, { paid_price: '11.25' })] },
      ['/body/options/1/paid_price', '/body/options/2/price'],
    ],
    [
      'options in another order',
      { options: [option(B), option(A), option(A, { paid_price: '11.25', price: 12 })] },
      ['/body/options/0/network_id', '/body/options/1/network_id'],
    ],
    ['fewer options', { options: [option(A)] }, ['/body/options']],
    ['another payee, without a lock', { payment_address: `0x${'7e'.repeat(20)}` }, ['/body/payment_address']],
    [
      'other items, metadata and links',
      {
        items: [{ name: 'Shirt', price: 12 }],
        metadata: null,
        success_url: null,
        cancel_url: 'https://shop.example/b',
      },
      ['/body/items', '/body/metadata', '/body/success_url', '/body/cancel_url'],
    ],
    ['another way of canceling', { on_chain_cancel: true }, ['/body/on_chain_cancel']],
    [
      'another amount and an expiry that has passed',
      {
        options: [option(A, { paid_price: 1 }), option(B), option(A, { paid_price: '11.25', price: 12 })],
        expires_at: '2020-01-01T00:00:00Z',
      },
      ['/body/options/0/price', '/body/options/0/paid_price'],
    ],
  ])('repeated with %s gets the id of the first', async (_, change, paths) => {
    const order = await made(terms);
    const answer = await create({ ...terms, external_id: order.external_id, ...change });
    const code = paths.length === 0 ? 'checkout_exists' : 'checkout_exists_with_other_terms';
    expect([...codeOf(answer), answer.body.existing_id]).toEqual([409, code, order.id]);
    if (paths.length > 0) expect(pathsOf(answer)).toEqual(paths);
  });

  it.each<[string, Json, number, string[]]>([
    ['no options', { options: [] }, 400, ['/body/options']],
    ['21 options', { options: Array.from({ length: 21 }, () => option(A)) }, 400, ['/body/options']],
    [
      'an option twice',
      { options: [option(A), option(B), option(A, { paid_price: '12.50', price: 13 })] },
      400,
      ['/body/options/2'],
    ],
    ['an expiry that has passed', { expires_at: '2020-01-01T00:00:00Z' }, 400, ['/body/expires_at']],
    ['no payee and no lock', { payment_address: null }, 400, ['/body/payment_address']],
    ['an amount of 0', { options: [option(A), option(B, { paid_price: 0 })] }, 400, ['/body/options/1/paid_price']],
    ['too many digits', { options: [option(A, { paid_price: '0.1234567' })] }, 400, ['/body/options/0/paid_price']],
    ['an unknown network', { options: [option(A), option(randomUUID())] }, 404, ['/body/options/1/network_id']],
    [
      'a token that is elsewhere',
      { options: [option(B, { currency_id: api.ids.currencies.BIG })] },
      400,
      ['/body/options/0/currency_id'],
    ],
    [
      'the wallet of another',
      { options: [option(A, { wallet_id: randomUUID() })] },
      404,
      ['/body/options/0/wallet_id'],
    ],
    ['a node out of reach', { node_id: rival.nodeId }, 404, ['/body/node_id']],
  ])('with %s is refused', async (_name, change, status, paths) => {
    const answer = await create(change);
    expect(answer.status).toBe(status);
    expect(pathsOf(answer)).toEqual(paths);
  });

  it('is as large as its limit, and so is its payment', async () => {
    const bytesOf = (shown: Json) =>
      Buffer.byteLength(JSON.stringify({ ...shown, member: undefined, payment: undefined }));
    const largest = async (change: Json): Promise<Answer['body']> => {
      const fill = (length: number) => create({ ...change, metadata: 'm'.repeat(length) });
      const refused = await fill(8_000);
      const excess = Number(/it has (\d+)/.exec(refused.body.errors[0].message as string)![1]) - 36_864;
      expect((await fill(8_001 - excess)).body.code).toBe(refused.body.code);
      return (await fill(8_000 - excess)).body;
    };
    const items = (count: number) => Array.from({ length: count }, () => ({ name: 'n'.repeat(255), price: 1 }));
    const order = await largest({ items: items(88), options: [option(A)] });
    const { payment } = (await choose(order, 0)).body;
    const shown = (await api.call('GET', `/api/v1/payments/${payment.id}`, { token: shop.token })).body;
    expect(bytesOf(shown)).toBeLessThanOrEqual(36_864);
    const options = Array.from({ length: 20 }, (_, index) => option(A, { paid_price: index + 1 }));
    expect(bytesOf(await largest({ items: items(75), options }))).toBe(36_864);
  });

  it('counts among the open payments of its node', async () => {
    const small = await startApi({ maxOpenPayments: 2 });
    const owner = await small.actor('shop');
    const own = await small.wallet(owner);
    const order = () =>
      small.call('POST', '/api/v1/checkouts', {
        token: owner.token,
        json: {
          ...bodyOf({ node_id: owner.nodeId }),
          options: [
            {
              network_id: small.ids.networks.A,
              currency_id: small.ids.currencies.USD,
              paid_price: 1,
              wallet_id: own.id,
            },
          ],
        },
      });
    const answers = [await order(), await order(), await order()];
    expect(answers.map(codeOf)).toEqual([
      [201, undefined],
      [201, undefined],
      [429, 'too_many_open_payments'],
    ]);
  });

  it('without a choice expires by the clock of the database, and costs no transaction', async () => {
    const order = await made();
    await api.knex('checkouts').where({ id: order.id }).update({ expires_unix: 1 });
    expect(codeOf(await choose(order, 0))).toEqual([409, 'checkout_not_open']);
    expect(await expireCheckouts(api.knex)).toMatchObject({ expired: 1 });
    expect(await expireCheckouts(api.knex)).toMatchObject({ expired: 0 });
    expect(await read(order)).toMatchObject({ status: 'expired', payments: [] });
    expect(codeOf(await cancel(order))).toEqual([409, 'checkout_not_cancelable']);
  });
});

describe('A choice', () => {
  it('makes an ordinary payment, and the present choice again makes none', async () => {
    const order = await made({ items: [{ name: 'Shirt', price: '12.50', external_id: 's' }], metadata: 'm' });
    const first = await choose(order, 2);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ status: 'chosen', option: 2, choices_left: 4, former_open_until: null });
    const { id, access_token: token } = first.body.payment;
    const payment = (await api.call('GET', `/api/v1/payments/${id}`, { token: shop.token })).body;
    expect(payment).toMatchObject({
      checkout_id: order.id,
      external_id: `${order.external_id}-${order.id.slice(-12)}-1`,
      paid_price_units: '11250000',
      price: 12,
      status: 'pending',
      status_detail: null,
      metadata: 'm',
      client_ip: null,
      access_token: token,
      expires_at: order.expires_at,
      items: [{ name: 'Shirt', price: 12.5, external_id: 's' }],
    });
    expect(await isTold(id as string)).toBe(true);
    const answers = await together(5, () => choose(order, 2));
    for (const again of answers) expect([again.status, again.body.payment.id]).toEqual([200, id]);
    expect(await read(order)).toMatchObject({ status: 'chosen', choices: 1, payments: [id], payment: { id } });
    const list = await api.call('GET', `/api/v1/checkouts?node_id=${shop.nodeId}&per_page=1`, { token: shop.token });
    expect(list.body.items).toEqual([await read(order)]);
    const log = await api.knex('payment_logs').where({ payment_id: id });
    expect(log).toMatchObject([{ event_type: 'payment_created', actor_type: 'buyer', actor_id: null }]);
  });

  it('is accepted with the token of its order alone', async () => {
    const order = await made();
    const other = await made();
    const { body } = await choose(order, 0);
    for (const token of [other.access_token, body.payment.access_token, shop.token, `${order.access_token}x`]) {
      expect(codeOf(await choose({ id: order.id, access_token: token }, 1))).toEqual([401, 'invalid_token']);
      expect(codeOf(await page({ id: order.id, access_token: token }))).toEqual([401, 'invalid_token']);
    }
    const widget = await api.call('GET', `/api/v1/widget/payments/${body.payment.id}`, { token: order.access_token });
    expect(codeOf(widget)).toEqual([401, 'invalid_token']);
  });

  it('of a missing option is refused', async () => {
    const order = await made();
    for (const index of [3, 19]) expect(codeOf(await choose(order, index))).toEqual([400, 'invalid_request']);
    for (const index of [-1, 20, 0.5, '0', null, undefined, 1e300, [0]])
      expect((await choose(order, index)).status).toBe(400);
  });

  it('shows the page nothing that belongs to the merchant alone', async () => {
    const order = await made({ member: { external_id: randomUUID(), name: 'Secret Buyer' }, metadata: 'secret-note' });
    await choose(order, 0);
    const { text } = await choose(order, 1);
    for (const shown of [text, (await page(order)).text]) {
      expect(shown).not.toMatch(/Secret Buyer|secret-note|member|metadata|client_ip|payments"|wallet/);
    }
    const [payment] = (await paymentsOf(order)).slice(-1);
    expect(payment.member_id).toBe(order.member_id);
  });

  it('made anew ends at once a former one that nobody can have seen', async () => {
    const order = await made();
    const { payment: first } = (await choose(order, 0)).body;
    await enqueue(first.id as string);
    const { payment: second } = (await choose(order, 1)).body;
    expect(second).toMatchObject({ status: 'pending', status_detail: null });
    expect((await paymentsOf(order)).map((row) => [row.status, row.is_blocked])).toEqual([
      ['canceled', false],
      ['pending', false],
    ]);
    expect(await intentsOf(first.id as string)).toMatchObject([{ state: 'withdrawn' }]);
    await assertOnePayable(order);
  });

  it('waits for a former one that may be paid, and goes on when that has ended', async () => {
    const { order, first } = await sentOrder();
    const { body } = await choose(order, 1);
    const second = body.payment.id as string;
    expect(body.payment).toMatchObject({ status: 'pending', status_detail: 'former_choice_open' });
    // Nothing makes its deal: neither its workflow, nor a retry, nor a word without a deal, nor recovery.
    expect(await isTold(second)).toBe(false);
    await enqueue(second);
    const retry = await api.call('POST', `/api/v1/payments/${second}/retry-send`, { token: shop.token });
    expect(retry.status).toBe(200);
    for (const isAsked of [true, false]) await api.knex.transaction((trx) => wantDealsAgain(trx, [second], isAsked));
    await startAgain(api.knex, [], new Date(Date.now() + 600_000));
    expect(await intentsOf(second)).toEqual([]);
    expect(await isTold(second)).toBe(false);
    const refused = api.knex('tx_intents').insert({
      idempotency_key: randomUUID(),
      account_id: (await intentsOf(first))[0].account_id,
      purpose: 'create_deal',
      payment_id: second,
    });
    await expect(refused).rejects.toThrow('waits for a former choice');
    await expect(api.knex('payments').where({ id: second }).update({ is_blocked: false })).rejects.toThrow(
      'payments_one_payable',
    );

    await decideCancel(api.knex, first);
    expect(await intentsOf(first)).toMatchObject([{ purpose: 'create_deal' }, { purpose: 'cancel_deal' }]);
    expect((await page(order)).body.payment).toMatchObject({ id: second, status_detail: 'former_choice_open' });
    await move(first, 'cancel_confirmed');
    expect((await page(order)).body).toMatchObject({ status: 'chosen', payment: { id: second, status_detail: null } });
    expect(await isTold(second)).toBe(true);
    await enqueue(second);
    expect(await intentsOf(second)).toMatchObject([{ purpose: 'create_deal', state: 'queued' }]);
    await assertOnePayable(order);
  });

  it('between two others is canceled without a transaction, and only the newest goes on', async () => {
    const { order, first } = await sentOrder();
    for (const index of [1, 2, 0]) {
      expect((await choose(order, index)).body.payment.status_detail).toBe('former_choice_open');
      await assertOnePayable(order);
    }
    expect((await paymentsOf(order)).map(({ status }) => status)).toEqual([
      'canceling',
      'canceled',
      'canceled',
      'pending',
    ]);
    expect((await choose(order, 0)).status).toBe(200);
    await move(first, 'cancel_confirmed');
    const rows = await paymentsOf(order);
    expect(rows.map((row) => [row.status, row.is_blocked])).toEqual([
      ['canceled', false],
      ['canceled', true],
      ['canceled', true],
      ['pending', false],
    ]);
    expect(await Promise.all(rows.slice(1, 3).map(({ id }) => intentsOf(id as string)))).toEqual([[], []]);
    // No signal waits for a workflow that never starts.
    const lost = await api
      .knex('outbox')
      .whereIn(
        'payment_id',
        rows.slice(1, 3).map(({ id }) => id),
      )
      .whereNull('workflow_id');
    expect(lost).toEqual([]);
  });

  it('may be made five times, however many tabs try at once', async () => {
    const order = await made();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => choose(order, index % 3)));
    const rows = await paymentsOf(order);
    expect(rows.length).toBeLessThanOrEqual(5);
    expect(rows.map(({ choice }) => choice)).toEqual(rows.map((_, index) => index + 1));
    for (const answer of answers) expect([200, 201, 409]).toContain(answer.status);
    expect(answers.filter(({ status }) => status === 201).length).toBe(rows.length);
    await assertOnePayable(order);
    for (let index = 0; (await read(order)).choices < 5; index += 1) await choose(order, index % 3);
    const next = ((await read(order)).option + 1) % 3;
    expect(codeOf(await choose(order, next))).toEqual([409, 'too_many_choices']);
    expect((await page(order)).body.choices_left).toBe(0);
  });

  it('is refused while the former payment is in a block', async () => {
    const { order, first } = await sentOrder();
    await move(first, 'payment_detected');
    expect(codeOf(await choose(order, 1))).toEqual([409, 'choice_being_paid']);
    expect((await choose(order, 0)).status).toBe(200);
    expect(codeOf(await cancel(order))).toEqual([409, 'checkout_not_cancelable']);
    await move(first, 'payment_reorged');
    expect((await choose(order, 1)).status).toBe(201);
    await assertOnePayable(order);
  });

  it('is canceled if its former one is paid after all, and the order completes', async () => {
    const { order, first } = await sentOrder();
    const { payment } = (await choose(order, 1)).body;
    await move(first, 'cancel_lost_race');
    expect(codeOf(await choose(order, 2))).toEqual([409, 'choice_being_paid']);
    await move(first, 'payment_confirmed');
    expect(await read(order)).toMatchObject({ status: 'completed', option: 0, payment: { id: first } });
    expect((await paymentsOf(order)).map(({ status }) => status)).toEqual(['completed', 'canceled']);
    expect(await intentsOf(payment.id as string)).toEqual([]);
    expect(codeOf(await choose(order, 2))).toEqual([409, 'checkout_not_open']);
    expect(await isTold(payment.id as string)).toBe(false);
  });

  it('that fails or is canceled alone opens the order again', async () => {
    const { order, first } = await sentOrder();
    await move(first, 'deal_failed');
    expect(await read(order)).toMatchObject({ status: 'open', payment: null, payments: [first] });
    const { payment } = (await choose(order, 0)).body;
    await api.call('POST', `/api/v1/payments/${payment.id}/cancel`, { token: shop.token });
    expect(await read(order)).toMatchObject({ status: 'chosen' });
    // It is canceling: the same option makes a new payment.
    await decideCancel(api.knex, payment.id as string);
    expect(await read(order)).toMatchObject({ status: 'open', choices: 2 });
    const third = await choose(order, 0);
    expect([third.status, third.body.payment.id === payment.id]).toEqual([201, false]);
  });

  it('made anew leaves both pages with nothing to pay', async () => {
    const { order, first } = await sentOrder();
    const block = {
      deal_block_number: 1,
      deal_block_hash: `0x${'ab'.repeat(32)}`,
      deal_tx_hash: `0x${'cd'.repeat(32)}`,
    };
    await api.knex('payments').where({ id: first }).update(block);
    await move(first, 'deal_confirmed');
    const isPayable = async ({ id, access_token: token }: Answer['body']) =>
      (await api.call('GET', `/api/v1/widget/payments/${id}`, { token })).body.payable as boolean;
    const { payment: former } = (await page(order)).body;
    expect(await isPayable(former)).toBe(true);
    const { payment } = (await choose(order, 1)).body;
    expect([await isPayable(former), await isPayable(payment)]).toEqual([false, false]);
  });

  it('of the option whose payment is being canceled makes another payment, which waits', async () => {
    const { order, first } = await sentOrder();
    await api.call('POST', `/api/v1/payments/${first}/cancel`, { token: shop.token });
    const again = await choose(order, 0);
    expect([again.status, again.body.payment.status_detail]).toEqual([201, 'former_choice_open']);
    expect(again.body.payment.id).not.toBe(first);
    await assertOnePayable(order);
  });

  it('that waits may be canceled alone', async () => {
    const { order, first } = await sentOrder();
    const { payment } = (await choose(order, 1)).body;
    await api.call('POST', `/api/v1/payments/${payment.id}/cancel`, { token: shop.token, json: { on_chain: true } });
    await decideCancel(api.knex, payment.id as string);
    expect((await paymentsOf(order)).map(({ status }) => status)).toEqual(['canceling', 'canceled']);
    expect(await intentsOf(payment.id as string)).toEqual([]);
    expect(await read(order)).toMatchObject({ status: 'chosen', payment: { id: first } });
    await move(first, 'cancel_confirmed');
    expect(await read(order)).toMatchObject({ status: 'open' });
  });

  it('of an option whose wallet no longer takes payments is refused, and the former choice stays', async () => {
    const order = await made();
    const { payment } = (await choose(order, 0)).body;
    await api.knex('wallets').where({ id: wallet.id }).update({ is_active: false });
    try {
      expect(codeOf(await choose(order, 1))).toEqual([409, 'option_unavailable']);
      expect((await choose(order, 0)).status).toBe(200);
    } finally {
      await api.knex('wallets').where({ id: wallet.id }).update({ is_active: true });
    }
    expect(await read(order)).toMatchObject({ status: 'chosen', payment: { id: payment.id, status: 'pending' } });
  });
});

describe('The cancel of an order', () => {
  it('takes effect at once where nothing is chosen, and may be repeated', async () => {
    const order = await made();
    expect((await cancel(order)).status).toBe(202);
    const canceled = await read(order);
    expect(canceled).toMatchObject({ status: 'canceled', choices: 0 });
    // The answer to the first request may have been lost.
    expect((await cancel(order)).status).toBe(202);
    expect(await read(order)).toEqual(canceled);
    expect(codeOf(await choose(order, 0))).toEqual([409, 'checkout_not_open']);
    const answer = await api.call('POST', `/api/v1/checkouts/${order.id}/cancel`, { token: rival.token });
    expect(codeOf(answer)).toEqual([403, 'node_access_denied']);
  });

  it('cancels the open payment first, and the order when that has ended', async () => {
    const { order, first } = await sentOrder();
    await choose(order, 1);
    expect((await cancel(order)).status).toBe(202);
    expect((await cancel(order)).status).toBe(202);
    expect((await paymentsOf(order)).map(({ status }) => status)).toEqual(['canceling', 'canceled']);
    expect(await read(order)).toMatchObject({ status: 'chosen' });
    expect(codeOf(await choose(order, 0))).toEqual([409, 'checkout_not_open']);
    await move(first, 'cancel_confirmed');
    expect(await read(order)).toMatchObject({ status: 'canceled', payment: null });
  });

  it('completes an order that was paid after all', async () => {
    const { order, first } = await sentOrder();
    expect((await cancel(order)).status).toBe(202);
    await move(first, 'cancel_lost_race', 'payment_confirmed');
    expect(await read(order)).toMatchObject({ status: 'completed', option: 0 });
  });

  it('races with choices, and at no instant are two payments payable', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { order } = await sentOrder();
      const answers = await Promise.all([
        choose(order, 1),
        choose(order, 2),
        cancel(order),
        choose(order, 0),
        choose(order, 1),
      ]);
      for (const { status } of answers) expect([200, 201, 202, 409]).toContain(status);
      await assertOnePayable(order);
      expect((await paymentsOf(order)).filter((row) => row.terminal_at === null && row.is_blocked)).toEqual([]);
    }
  });
});

it('A payment that expires by its chain lets its order expire', async () => {
  const { order, first } = await sentOrder();
  await move(first, 'payment_expired');
  expect(await read(order)).toMatchObject({ status: 'expired', payment: null });
});

describe('The webhooks of an order', () => {
  const listen = async (network: string, change: Json = {}): Promise<string> => {
    const { status, text, body } = await api.call('POST', '/api/v1/webhooks', {
      token: shop.token,
      json: api.webhookBody(wallet, {
        network_id: network,
        host: `http://127.0.0.1:${1_024 + Math.floor(Math.random() * 60_000)}`,
        events: ['checkout.completed', 'checkout.expired', 'checkout.canceled'],
        ...change,
      }),
    });
    if (status !== 201) throw new Error(text);
    return body.id as string;
  };
  const told = async (webhookId: string) =>
    (
      await api
        .knex('webhook_deliveries AS d')
        .join('webhook_events AS e', 'e.id', 'd.event_id')
        .where({ 'd.webhook_id': webhookId })
        .orderBy('e.id')
        .select<{ type: string; checkout_id: string | null; sequence: number; snapshot: Json }[]>('e.*')
    ).map(({ type, checkout_id: id, sequence, snapshot }) => ({ type, id, sequence, snapshot }));

  it('are sent once to each webhook that lists the event, though it covers several options', async () => {
    const [onA, onB] = [await listen(A), await listen(B)];
    const silent = await listen(A, { events: [] });
    const elsewhere = await listen(A, { node_id: api.ids.nodes.branch });
    const { order, first } = await sentOrder();
    await move(first, 'payment_detected', 'payment_confirmed');
    const canceled = await made({ options: [option(A)] });
    await cancel(canceled);
    const ofOrders = async (id: string) => (await told(id)).filter(({ type }) => type.startsWith('checkout.'));
    expect(await ofOrders(onA)).toMatchObject([
      {
        type: 'checkout.completed',
        id: order.id,
        sequence: 3,
        snapshot: { checkout: { status: 'completed', payment: { id: first } } },
      },
      { type: 'checkout.canceled', id: canceled.id, sequence: 2, snapshot: { checkout: { status: 'canceled' } } },
    ]);
    expect(await ofOrders(onB)).toMatchObject([{ type: 'checkout.completed', id: order.id }]);
    expect(await ofOrders(silent)).toEqual([]);
    expect(await told(elsewhere)).toEqual([]);
    expect(await told(silent)).toMatchObject([
      { type: 'payment.completed', snapshot: { id: first, checkout_id: order.id } },
    ]);
    const list = await api.call('GET', `/api/v1/webhooks/${onB}/deliveries`, { token: shop.token });
    expect(list.body.items).toMatchObject([
      { event_type: 'checkout.completed', payment_id: null, checkout_id: order.id },
    ]);
    const ofOrder = async (id: string) =>
      (await api.call('GET', `/api/v1/webhooks/${onA}/deliveries?checkout_id=${id}`, { token: shop.token })).body.items;
    expect(await ofOrder(canceled.id as string)).toMatchObject([
      { event_type: 'checkout.canceled', checkout_id: canceled.id },
    ]);
    expect(await ofOrder(randomUUID())).toEqual([]);
  });

  it('get bodies as openapi.yaml has them, without tokens and personal data', async () => {
    const webhook = await listen(A);
    const order = await made({
      member: { external_id: randomUUID(), name: 'Secret Buyer' },
      items: [{ name: 'Shirt', price: 1 }],
    });
    const { payment } = (await choose(order, 0)).body;
    await send(payment.id as string);
    await move(payment.id as string, 'payment_detected', 'payment_confirmed');
    const events = await api
      .knex('webhook_events AS e')
      .join('webhook_deliveries AS d', 'e.id', 'd.event_id')
      .where({ 'd.webhook_id': webhook, 'e.checkout_id': order.id })
      .pluck<string[]>('e.id');
    const [read] = await readBodies(api.knex, events);
    const body = renderBody(read!.readEvent!(), checksum);
    expect(readEvent(body)).toMatchObject({
      type: 'checkout.completed',
      data: {
        checkout: {
          id: order.id,
          option: 0,
          items: [{ name: 'Shirt', price: 1 }],
          payment: { id: payment.id, checkout_id: order.id },
        },
      },
    });
    expect(body).not.toMatch(/Secret Buyer|access_token|ct_|wt_/);
  });
});

it('A payout lock decides where the order names no payee', async () => {
  const locked = '0x1111111111111111111111111111111111111111';
  const chain = api.ids.chains.Main!;
  const lock = { node_id: shop.nodeId, chain_id: chain, address: locked, locked: true };
  await api.knex('payouts').insert(lock);
  try {
    expect(codeOf(await create())).toEqual([400, 'payee_not_allowed']);
    const order = await made({ payment_address: null });
    expect(order).toMatchObject({ payment_address: null, options: [{ payment_address: locked }, {}, {}] });
    const later = `0x${'22'.repeat(20)}`;
    await api.knex('payouts').where({ node_id: shop.nodeId }).update({ address: later });
    await choose(order, 0);
    expect(await paymentsOf(order)).toMatchObject([{ payment_address: later }]);
    await api.knex('payouts').where({ node_id: shop.nodeId }).update({ address: later, locked: false });
    await choose(order, 1);
    expect((await paymentsOf(order))[1]).toMatchObject({ payment_address: locked });
  } finally {
    await api.knex('payouts').delete();
  }
});

it('Pages of any origin may choose, with JSON', async () => {
  const order = await made();
  const path = `/api/v1/widget/checkouts/${order.id}/choose`;
  const preflight = await api.call('OPTIONS', path, {
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Content-Type');
  const { headers } = await choose(order, 0);
  expect(headers.get('access-control-allow-origin')).toBe('*');
});
