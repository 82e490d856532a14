import { offerHash } from '../../../chain/pure/deal-encoding.ts';
import { release } from '../../../chain/pure/releases.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { distrustRecord } from '../../../db/offers/record.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { decideCancel } from '../../../db/payments/cancel.ts';
import type { OfferStore } from '../../../domain/ports/offers.ts';
import { hex } from '../../support/fixtures.ts';
import { startApi } from '../support/api-under-test.ts';

/*
 * Promises about offered payments that an attacker broke.
 */

const api = await startApi();
const shop = await api.actor('shop');
const networkId = api.ids.networks.A!;
const signer = createKeySigner(hex(32));
let accountId: string;
let store: OfferStore;

const put = (id: string, json: object) => api.call('PUT', `/api/v1/wallets/${id}`, { token: shop.token, json });
const offering = async () => {
  const wallet = await api.wallet(shop);
  await api.activate(wallet, 'A');
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: release.version });
  expect((await put(wallet.id, { deal_modes: [{ network_id: networkId, mode: 'offered' }] })).status).toBe(204);
  return wallet;
};
const pay = async (wallet: { id: string }) =>
  (await api.call('POST', '/api/v1/payments', { token: shop.token, json: api.paymentBody({ wallet_id: wallet.id }) }))
    .body;
const cancel = (id: string, json: object = {}) =>
  api.call('POST', `/api/v1/payments/${id}/cancel`, { token: shop.token, json });
const signed = async () =>
  Promise.all(
    (await store.wanted(networkId, 100)).flatMap(({ paymentId, diamond, terms, ends }) =>
      ends.map(async (validUntil) => ({
        paymentId,
        validUntil,
        signature: await signer.signDigest(offerHash(31_337, diamond, terms, validUntil)),
      })),
    ),
  );
const sign = async () => store.save(accountId, await signed());

beforeAll(async () => {
  await distrustRecord(api.knex, 900);
  store = createOfferStore(api.knex, api.encryption);
  [{ id: accountId }] = await api
    .knex('signer_accounts')
    .insert({ network_id: networkId, address: signer.address, role: 'signer' })
    .returning('id');
});

it('a read-only permission neither gets nor reveals an offer', async () => {
  const payment = await pay(await offering());
  await sign();
  const reader = await api.actor('shop', ['payments.read']);
  const seen = (await api.call('GET', `/api/v1/payments/${payment.id}`, { token: reader.token })).body;
  const answer = await api.call('GET', `/api/v1/widget/payments/${payment.id}`, { token: seen.access_token ?? 'none' });
  const { revealed_until: revealed } = await api.knex('offer_ends').where({ payment_id: payment.id }).first();
  expect({ payable: answer.body?.payable ?? false, revealed }).toEqual({ payable: false, revealed: null });
});

it('a cancel that begins to ask for a transaction is in the audit log', async () => {
  const payment = await pay(await offering());
  await sign();
  await api.call('GET', `/api/v1/widget/payments/${payment.id}`, { token: payment.access_token });
  expect((await cancel(payment.id)).status).toBe(202);
  await decideCancel(api.knex, payment.id);
  const other = await api.actor('shop', ['payments.cancel']);
  const asked = await api.call('POST', `/api/v1/payments/${payment.id}/cancel`, {
    token: other.token,
    json: { on_chain: true },
  });
  expect(asked.status).toBe(202);
  expect(await api.knex('tx_intents').where({ payment_id: payment.id }).pluck('purpose')).toEqual(['cancel_deal']);
  const actors = await api.knex('audit_log').where({ resource_id: payment.id }).pluck('actor_id');
  expect(actors).toContain(other.id);
});

it('a cancel with on_chain that a client repeats needs no transaction either where nobody has read an offer', async () => {
  const wallet = await offering();
  const [once, twice] = [await pay(wallet), await pay(wallet)];
  await sign();
  expect((await cancel(once.id, { on_chain: true })).status).toBe(202);
  for (let n = 0; n < 2; n += 1) expect((await cancel(twice.id, { on_chain: true })).status).toBe(202);
  const after = async ({ id }: { id: string }) => {
    await decideCancel(api.knex, id);
    const { status } = await api.knex('payments').where({ id }).first();
    return [status, await api.knex('tx_intents').where({ payment_id: id }).pluck('purpose')];
  };
  expect(await after(once)).toEqual(['canceled', []]);
  expect(await after(twice)).toEqual(['canceled', []]);
});

it('a deal mode that is unavailable is refused with the name of its field', async () => {
  const wallet = await offering();
  const { status, body } = await put(wallet.id, {
    deal_modes: [
      { network_id: networkId, mode: 'offered' },
      { network_id: api.ids.networks.B, mode: 'offered' },
    ],
  });
  expect([status, body.code]).toEqual([409, 'deal_mode_unavailable']);
  expect(JSON.stringify(body)).toMatch(/deal_modes\/1/);
});

