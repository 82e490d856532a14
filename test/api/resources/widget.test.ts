import { Interface } from 'ethers';
import { contracts } from '../../../chain/pure/contracts.ts';
import { checksum } from '../../../chain/pure/address.ts';
import { ZERO_ADDRESS } from '../../../domain/deal.ts';
import { hex } from '../../support/fixtures.ts';
import { bankTransfer, payee, startApi, tokenAddress } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const wallet = await api.wallet(shop);
await api.activate(wallet, 'A');

const create = async (change: Record<string, unknown> = {}) => {
  const json = api.paymentBody({ wallet_id: wallet.id, ...change });
  return (await api.call('POST', '/api/v1/payments', { token: shop.token, json })).body;
};
const erc20 = new Interface(['function approve(address spender, uint256 amount) returns (bool)']);
const widget = (id: string, token?: string, headers: Record<string, string> = {}) =>
  api.call('GET', `/api/v1/widget/payments/${id}`, { ...(token === undefined ? {} : { token }), headers });

describe('GET /api/v1/widget/payments/{id}', () => {
  it('gives a wallet its transaction unchanged', async () => {
    const payment = await create({ external_id: 'w-1' });
    const { status, body } = await widget(payment.id, payment.access_token);
    expect(status).toBe(200);
    const expires = String(Math.floor(Date.parse(payment.expires_at) / 1_000));
    const terms = [String(payment.deal_id), checksum(tokenAddress), payee, ZERO_ADDRESS, '12500000', expires];
    expect(body).toEqual({
      id: payment.id,
      external_id: 'w-1',
      node_id: shop.nodeId,
      network_id: 31_337,
      deal_id: payment.deal_id,
      price: 12_500_000,
      price_decimals: 6,
      payment_address: payee,
      diamond_address: wallet.address,
      currency: 'USD',
      token_address: checksum(tokenAddress),
      amount: '12500000',
      decimals: 6,
      contract: {
        abi: expect.any(Array),
        function_name: 'payToken',
        arguments: [terms],
        data: contracts.deal.interface.encodeFunctionData('payToken', [terms]),
        value: '0',
        errors: expect.arrayContaining([expect.objectContaining({ name: 'DealExpired' })]),
      },
      approval: {
        spender: wallet.address,
        data: erc20.encodeFunctionData('approve', [wallet.address, 12_500_000n]),
        reset_data: erc20.encodeFunctionData('approve', [wallet.address, 0n]),
      },
      permit: null,
      network: {
        name: expect.any(String),
        native_symbol: 'ETH',
        explorer_url: null,
        rpc_urls: [],
        block_time_ms: expect.any(Number),
      },
      confirmations: { needed: expect.any(Number), seen: 0 },
      items: [],
      status: 'pending',
      status_detail: null,
      payable: false,
      offer_valid_until: null,
      expires_at: payment.expires_at,
      server_time: expect.any(String),
      payer: null,
      transaction_hash: null,
      merchant: { name: 'shop', accent_color: null, logo_url: null },
      success_url: null,
      cancel_url: null,
      locale: null,
      checkout_id: null,
      warning: expect.stringContaining('A plain transfer pays for nothing'),
    });
    const data = new Interface(body.contract.abi).encodeFunctionData(
      body.contract.function_name,
      body.contract.arguments,
    );
    expect(contracts.deal.interface.parseTransaction({ data })?.args[0].toArray().map(String)).toEqual(terms);
  });

  it('names the items, the network as its operator describes it, the payer and the confirmations', async () => {
    const items = [{ name: 'Socks', price: 12.5, external_id: 'sku-1' }];
    const payment = await create({ items });
    const networks = api.knex('networks').where({ id: payment.network_id });
    const [stored] = await networks.clone();
    await networks.clone().update({
      native_symbol: 'POL',
      public_rpc_urls: ['https://rpc.example'],
      explorer_url: 'https://explorer.example',
    });
    await api
      .knex('watch_cursors')
      .where({ network_id: payment.network_id })
      .update({ number: 11, hash: hex(32) });
    await api
      .knex('payments')
      .where({ id: payment.id })
      .update({
        status: 'processing',
        payer_address: payee.toLowerCase(),
        paid_tx_hash: hex(32),
        paid_block_number: 10,
        paid_block_hash: hex(32),
        paid_at: new Date(),
      });
    const asked = Date.now();
    const { body } = await widget(payment.id, payment.access_token);
    const answered = Date.now();
    expect(body).toMatchObject({
      items: [{ name: 'Socks', amount: '12500000' }],
      network: {
        native_symbol: 'POL',
        rpc_urls: ['https://rpc.example'],
        explorer_url: 'https://explorer.example',
        block_time_ms: stored.block_time_ms,
      },
      payer: payee,
      confirmations: { needed: stored.confirmations, seen: Math.min(2, stored.confirmations) },
    });
    expect(Date.parse(body.server_time)).toBeGreaterThanOrEqual(asked);
    expect(Date.parse(body.server_time)).toBeLessThanOrEqual(answered);
    await networks.clone().update({ native_symbol: 'ETH', public_rpc_urls: [], explorer_url: null });
  });

  it('includes the native coin as value', async () => {
    const payment = await create({ currency_id: api.ids.currencies.ETH, price: 2, paid_price: 1.5 });
    const { body } = await widget(payment.id, payment.access_token);
    expect(body).toMatchObject({
      token_address: null,
      currency: 'ETH',
      amount: '1500000000000000000',
      contract: { function_name: 'payNative', value: '1500000000000000000' },
    });
    expect(body.contract.arguments[0][1]).toBe(ZERO_ADDRESS);
    // 1.5 at 18 decimals is above 2^53-1, so the scale is the most that fits exactly.
    expect([body.price, body.price_decimals]).toEqual([1_500_000_000_000_000, 15]);
  });

  it('is payable while the deal is confirmed and its time has not ended', async () => {
    const payment = await create();
    const payable = async () => (await widget(payment.id, payment.access_token)).body.payable;
    const set = (change: object) => api.knex('payments').where({ id: payment.id }).update(change);
    await set({ status: 'awaiting_payment', deal_block_number: 1 });
    expect(await payable()).toBe(true);
    // Its block was reorganised away.
    await set({ deal_block_number: null });
    expect(await payable()).toBe(false);
    await set({ deal_block_number: 2 });
    expect(await payable()).toBe(true);
    await api.knex('payments').where({ id: payment.id }).update({ expires_unix: 1 });
    expect(await payable()).toBe(false);
  });

  it('waits with 409 until the diamond is active on the network', async () => {
    const fresh = await api.wallet(shop);
    await api.activate(fresh, 'A', 'deploying');
    const payment = await create({ wallet_id: fresh.id });
    const first = await widget(payment.id, payment.access_token);
    expect([first.status, first.body.code]).toEqual([409, 'payment_not_payable']);
    await api.knex('diamonds').where({ wallet_id: fresh.id }).update({ status: 'active' });
    expect((await widget(payment.id, payment.access_token)).status).toBe(200);
  });

  it('has nothing to pay for a bank transfer', async () => {
    const payment = await create(bankTransfer);
    const { status, body } = await widget(payment.id, payment.access_token);
    expect([status, body.code]).toEqual([409, 'payment_not_payable']);
  });

  it('is opened by no token of an unknown key, and finds its id in any case', async () => {
    const { id, access_token } = await create();
    for (const attempt of [access_token.replace(/^wt_[^_]+/, 'wt_unknown'), 'wt_']) {
      const { status, body } = await widget(id, attempt);
      expect([status, body.code]).toEqual([401, 'invalid_token']);
    }
    expect((await widget(id.toUpperCase(), access_token)).status).toBe(200);
  });

  it('answers pages of any origin, including refusals and preflights', async () => {
    const payment = await create();
    const origin = { origin: 'https://shop.example' };
    for (const token of [payment.access_token, undefined]) {
      const { headers } = await widget(payment.id, token, origin);
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    const preflight = await api.call('OPTIONS', `/api/v1/widget/payments/${payment.id}`, {
      headers: { ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET');
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/Authorization/);
  });

  it('keeps the token out of the log', async () => {
    const payment = await create();
    await widget(payment.id, payment.access_token);
    expect(api.lines.join('')).toContain('getWidgetPayment');
    expect(api.lines.join('')).not.toContain(payment.access_token);
  });
});
