import { randomUUID } from 'node:crypto';
import { createWidgetTokens } from '../../api/auth/widget-tokens.ts';
import { codeOf, created } from '../api/support/answers.ts';
import { payee, startApi, tokenAddress } from '../api/support/api-under-test.ts';
import { anyAddress, outcomeOf } from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const wallet = await api.wallet(shop);
await api.activate(wallet, 'A');

const create = async (change: Record<string, unknown> = {}) => {
  const json = api.paymentBody({ wallet_id: wallet.id, ...change });
  return created(api.call('POST', '/api/v1/payments', { token: shop.token, json }));
};
const widget = (id: string, token?: string, headers: Record<string, string> = {}) =>
  api.call('GET', `/api/v1/widget/payments/${id}`, { ...(token === undefined ? {} : { token }), headers });

describe('GET', () => {
  it('§4 GET /api/v1/widget/payments/{id}: 200 has every field, each of its type', async () => {
    const payment = await create();
    const { status, body } = await widget(payment.id, payment.access_token);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      external_id: payment.external_id,
      node_id: shop.nodeId,
      network_id: expect.any(Number),
      deal_id: expect.any(Number),
      price: expect.any(Number),
      price_decimals: expect.any(Number),
      payment_address: payee,
      diamond_address: wallet.address,
      currency: 'USD',
      token_address: anyAddress,
      contract: {
        abi: expect.any(Array),
        function_name: expect.any(String),
        arguments: expect.any(Array),
      },
    });
    expect(body.token_address.toLowerCase()).toBe(tokenAddress);
    expect(body.deal_id).toBe(payment.deal_id);
  });

  it('§4 GET /api/v1/widget/payments/{id}: network_id is the EIP-155 number', async () => {
    const payment = await create();
    const { body } = await widget(payment.id, payment.access_token);
    expect(body.network_id).toBe(31_337);
  });

  it.each([
    [12.5, 12_500_000],
    [0.000001, 1],
    [1, 1_000_000],
  ])('§4 GET /api/v1/widget/payments/{id}: the price of %d is exact with price_decimals', async (paid_price, price) => {
    const payment = await create({ price: 99, paid_price });
    const { body } = await widget(payment.id, payment.access_token);
    expect([body.price, body.price_decimals]).toEqual([price, 6]);
    expect(body.price / 10 ** body.price_decimals).toBeCloseTo(paid_price, 12);
  });

  it('§4 GET /api/v1/widget/payments/{id}: a price of a currency with 18 decimals is exact too, as number and scale', async () => {
    const payment = await create({ currency_id: api.ids.currencies.BIG, price: 2, paid_price: 1.25 });
    const { body } = await widget(payment.id, payment.access_token);
    expect(Number.isSafeInteger(body.price)).toBe(true);
    expect(BigInt(body.price) * 10n ** BigInt(18 - body.price_decimals)).toBe(BigInt(payment.paid_price_units));
  });

  it('§4 GET /api/v1/widget/payments/{id}: token_address is null for the native coin of the chain', async () => {
    const payment = await create({ currency_id: api.ids.currencies.ETH });
    const { status, body } = await widget(payment.id, payment.access_token);
    expect([status, body.currency, body.token_address]).toEqual([200, 'ETH', null]);
  });

  it('§4 GET /api/v1/widget/payments/{id}: function_name is in abi, which accepts the arguments', async () => {
    const payment = await create();
    const { contract } = (await widget(payment.id, payment.access_token)).body;
    const called = contract.abi.filter((entry: { name?: string }) => entry.name === contract.function_name);
    expect(called).toHaveLength(1);
    expect(called[0].inputs).toHaveLength(contract.arguments.length);
  });

  it('§5 Widget access_token: the bearer access_token of the creation response opens it, and every response has the same one', async () => {
    const payment = await create();
    const { body } = await api.call('GET', `/api/v1/payments/${payment.id}`, { token: shop.token });
    expect(body.access_token).toBe(payment.access_token);
    expect((await widget(payment.id, body.access_token)).status).toBe(200);
  });

  it('§5 Widget access_token: it opens one payment and nothing else of the service', async () => {
    const [one, two] = [await create(), await create()];
    expect(codeOf(await widget(two.id, one.access_token))).toEqual([401, 'invalid_token']);
    const payments = `/api/v1/payments/${one.id}`;
    expect(codeOf(await api.call('GET', payments, { token: one.access_token }))).toEqual([401, 'invalid_token']);
  });

  it('§4 GET /api/v1/widget/payments/{id}: 401 without an access token and with an invalid one', async () => {
    const { id, access_token } = await create();
    expect(codeOf(await widget(id))).toEqual([401, 'missing_token']);
    expect(codeOf(await widget(id, undefined, { authorization: `Basic ${access_token}` }))).toEqual([
      401,
      'missing_token',
    ]);
    const last = access_token.at(-1) === 'A' ? 'B' : 'A';
    for (const token of [
      'x',
      shop.token,
      `${access_token}x`,
      access_token.slice(0, -1),
      access_token.slice(0, -2) + last + last,
    ]) {
      expect(codeOf(await widget(id, token))).toEqual([401, 'invalid_token']);
    }
  });

  it('§4 GET /api/v1/widget/payments/{id}: 401 once the access token has expired, a day after the end of the payment', async () => {
    const { id, access_token } = await create();
    const endedAgo = (seconds: number) =>
      api
        .knex('payments')
        .where({ id })
        .update({ status: 'completed', terminal_at: new Date(Date.now() - seconds * 1_000) });
    await endedAgo(86_400 - 60);
    expect((await widget(id, access_token)).status).toBe(200);
    await endedAgo(86_400);
    expect(codeOf(await widget(id, access_token))).toEqual([401, 'invalid_token']);
  });

  it('§4 GET /api/v1/widget/payments/{id}: 404 for a missing payment', async () => {
    const id = randomUUID();
    const token = createWidgetTokens(api.keyRing).issue(id);
    expect(codeOf(await widget(id, token))).toEqual([404, 'payment_not_found']);
  });

  it('§4 GET /api/v1/widget/payments/{id}: a path without a UUID is 401 or 400, never data', async () => {
    const { access_token } = await create();
    expect(codeOf(await widget('x', access_token))).toEqual([401, 'invalid_token']);
    const answer = await widget('x', createWidgetTokens(api.keyRing).issue('x'));
    expect(outcomeOf(answer)).toEqual([400, ['id']]);
  });
});
