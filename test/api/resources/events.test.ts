import { checksum } from '../../../chain/pure/address.ts';
import { hex } from '../../support/fixtures.ts';
import { bankTransfer, payee, startApi, tokenAddress } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const wallet = await api.wallet(shop);
await api.activate(wallet, 'A');

interface Created {
  readonly id: string;
  readonly access_token: string;
  readonly network_id: string;
  readonly expires_at: string;
}

const create = async (change: Record<string, unknown> = {}): Promise<Created> => {
  const json = api.paymentBody({ wallet_id: wallet.id, ...change });
  return (await api.call('POST', '/api/v1/payments', { token: shop.token, json })).body as Created;
};
const set = (payment: Created, change: object) => api.knex('payments').where({ id: payment.id }).update(change);
const state = (payment: Created, token = payment.access_token) =>
  api.call('GET', `/api/v1/widget/payments/${payment.id}/events`, { token });

describe('GET /api/v1/widget/payments/{id}/events as JSON', () => {
  it("shows a payment, and none of the merchant's own data", async () => {
    const items = [{ name: 'Socks', price: 12.5, external_id: 'sku-1' }];
    const payment = await create({ external_id: 'e-1', items, metadata: 'secret', client_ip: '192.0.2.1' });
    const { status, body } = await state(payment);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: payment.id,
      external_id: 'e-1',
      node_id: shop.nodeId,
      status: 'pending',
      status_detail: null,
      payable: false,
      network_id: 31_337,
      network: {
        name: expect.any(String),
        native_symbol: 'ETH',
        explorer_url: null,
        rpc_urls: [],
        block_time_ms: expect.any(Number),
      },
      currency: 'USD',
      amount: '12500000',
      decimals: 6,
      token_address: checksum(tokenAddress),
      payment_address: payee,
      diamond_address: wallet.address,
      confirmations: { needed: expect.any(Number), seen: 0 },
      items: [{ name: 'Socks', amount: '12500000' }],
      payer: null,
      transaction_hash: null,
      expires_at: payment.expires_at,
      server_time: expect.any(String),
      merchant: { name: 'shop', accent_color: null, logo_url: null },
      success_url: null,
      cancel_url: null,
      locale: null,
      checkout_id: null,
    });
  });

  it("follows the payment, and shows the buyer's transaction only", async () => {
    const payment = await create();
    const [deal, paid] = [hex(32), hex(32)];
    await set(payment, { status: 'awaiting_payment', deal_block_number: 1, deal_tx_hash: deal });
    expect((await state(payment)).body).toMatchObject({ payable: true, transaction_hash: null, payer: null });
    await set(payment, { deal_block_number: null, deal_tx_hash: null });
    expect((await state(payment)).body.payable).toBe(false);
    await set(payment, { deal_block_number: 1, deal_tx_hash: deal, expires_unix: 1 });
    expect((await state(payment)).body.payable).toBe(false);
    await set(payment, {
      status: 'processing',
      payer_address: payee.toLowerCase(),
      paid_tx_hash: paid,
      paid_block_number: 10,
      paid_block_hash: hex(32),
      paid_at: new Date(),
    });
    const { body } = await state(payment);
    expect(body).toMatchObject({ status: 'processing', payer: payee, transaction_hash: paid });
  });

  it('has a state before the diamond exists, without an address at which a coin could be lost', async () => {
    const fresh = await api.wallet(shop);
    await api.activate(fresh, 'A', 'deploying');
    const payment = await create({ wallet_id: fresh.id });
    const { status, body } = await state(payment);
    expect([status, body.payable, body.diamond_address]).toEqual([200, false, null]);
  });

  it("shows nothing of a bank transfer, to another payment's token, or a day after the end", async () => {
    const transfer = await state(await create(bankTransfer));
    expect([transfer.status, transfer.body.code]).toEqual([409, 'payment_not_payable']);
    const [payment, other] = [await create(), await create()];
    const stolen = await state(payment, other.access_token);
    expect([stolen.status, stolen.body.code]).toEqual([401, 'invalid_token']);
    await set(payment, { status: 'canceled', terminal_at: new Date(Date.now() - 24 * 3_600_000) });
    const late = await state(payment);
    expect([late.status, late.body.code]).toEqual([401, 'invalid_token']);
  });
});
