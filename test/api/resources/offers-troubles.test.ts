import { setTimeout as delay } from 'node:timers/promises';
import { offerHash } from '../../../chain/pure/deal-encoding.ts';
import { release } from '../../../chain/pure/releases.ts';
import { createKeySigner, type Signer } from '../../../chain/signing/signer.ts';
import { needsFunds } from '../../../db/lane/accounts.ts';
import { forgetOffers, distrustRecord, setWindow } from '../../../db/offers/record.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { decideCancel } from '../../../db/payments/cancel.ts';
import type { OfferStore, SignedOffer, WantedOffers } from '../../../domain/ports/offers.ts';
import { hex } from '../../support/fixtures.ts';
import { startApi } from '../support/api-under-test.ts';

/*
 * Offers at the worst moments: stored too late, while a role is lost, after the windows became shorter.
 */

const api = await startApi();
const shop = await api.actor('shop');
const networkId = api.ids.networks.A!;
const [keyA, keyB] = [createKeySigner(hex(32)), createKeySigner(hex(32))];
let [accountA, accountB]: string[] = [];
let store: OfferStore;

const recordRoles = (holders: readonly string[]) =>
  store.recordRegistry(networkId, { isPaused: false, asked: [accountA!, accountB!], holders });
const put = (id: string, json: object) => api.call('PUT', `/api/v1/wallets/${id}`, { token: shop.token, json });
const offered = (mode = 'offered') => ({ deal_modes: [{ network_id: networkId, mode }] });
const newWallet = async () => {
  const wallet = await api.wallet(shop);
  await api.activate(wallet, 'A');
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: release.version });
  return wallet;
};
const offering = async () => {
  const wallet = await newWallet();
  expect((await put(wallet.id, offered())).status).toBe(204);
  return wallet;
};
const pay = async (wallet: { id: string }) =>
  (
    await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      json: api.paymentBody({ wallet_id: wallet.id, expires_at: new Date(Date.now() + 86_400_000).toISOString() }),
    })
  ).body;
const cancel = (id: string, json: object = {}) =>
  api.call('POST', `/api/v1/payments/${id}/cancel`, { token: shop.token, json });
const widget = async (payment: { id: string; access_token: string }) =>
  (await api.call('GET', `/api/v1/widget/payments/${payment.id}`, { token: payment.access_token })).body;
const rowOf = ({ id }: { id: string }) => api.knex('payments').where({ id }).first();
const signed = async (wanted: readonly WantedOffers[], signer: Signer): Promise<SignedOffer[]> =>
  Promise.all(
    wanted.flatMap(({ paymentId, diamond, terms, ends }) =>
      ends.map(async (validUntil) => ({
        paymentId,
        validUntil,
        signature: await signer.signDigest(offerHash(31_337, diamond, terms, validUntil)),
      })),
    ),
  );
const wantedIds = async () => (await store.wanted(networkId, 100)).map(({ paymentId }) => paymentId);

beforeAll(async () => {
  await distrustRecord(api.knex, 900);
  store = createOfferStore(api.knex, api.encryption);
  const row = (signer: Signer) => ({ network_id: networkId, address: signer.address, role: 'signer' });
  const inserted = await api
    .knex('signer_accounts')
    .insert([row(keyA), row(keyB)])
    .returning(['id', 'address']);
  const idOf = (signer: Signer): string => inserted.find(({ address }) => address === signer.address).id;
  [accountA, accountB] = [idOf(keyA), idOf(keyB)];
});
beforeEach(async () => {
  await setWindow(api.knex, 900);
  await api.knex('offer_windows').update({ longest: 900 });
  await recordRoles([accountA!, accountB!]);
});

it('a pending payment whose offers were stored too late is signed again (a signer frozen for longer than its offers)', async () => {
  const wallet = await offering();
  await setWindow(api.knex, 2);
  const payment = await pay(wallet);
  const offers = await signed(await store.wanted(networkId, 100), keyA);
  expect(offers.map(({ paymentId }) => paymentId)).toContain(payment.id);
  await delay(4_500);
  await store.save(accountA!, offers);
  expect((await rowOf(payment)).status).toBe('pending');
  expect(await wantedIds()).toContain(payment.id);
});

it('a pending payment whose diamond could not take offers when they were stored is signed again', async () => {
  const wallet = await offering();
  const payment = await pay(wallet);
  const offers = await signed(await store.wanted(networkId, 100), keyA);
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: null });
  await store.save(accountA!, offers);
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: release.version });
  expect((await rowOf(payment)).status).toBe('pending');
  expect(await wantedIds()).toContain(payment.id);
});

it('offers stored while their signer loses its role are signed again by another', async () => {
  const wallet = await offering();
  const payment = await pay(wallet);
  const offers = await signed(await store.wanted(networkId, 100), keyA);
  // Holds the transaction of the save after its insert and before its commit.
  const holder = await api.knex.transaction();
  await holder.raw('LOCK TABLE payment_logs IN SHARE MODE');
  const saving = store.save(accountA!, offers);
  await delay(500);
  // Another run has read the registry: A has lost its role.
  const losing = recordRoles([accountB!]);
  await delay(200);
  await holder.commit();
  await Promise.all([saving, losing]);
  const before = await api.knex('offers').where({ payment_id: payment.id }).pluck('account_id');
  const reading = widget(payment);
  await delay(100);
  // Signer B does its work, as often as it likes.
  await store.save(accountB!, await signed(await store.wanted(networkId, 100), keyB));
  const body = await reading;
  const { status } = await rowOf(payment);
  expect({ status, payable: body.payable, before: [...new Set(before)] }).toEqual({
    status: 'awaiting_payment',
    payable: true,
    before: [],
  });
});

it('the floor falls when the only wallet that offers deals is deleted', async () => {
  const wallet = await offering();
  await api.knex('wallets').whereNot({ id: wallet.id }).update({ deal_modes: '{}' });
  await api
    .knex('payments')
    .where({ deal_mode: 'offered' })
    .update({ status: 'expired', terminal_at: api.knex.fn.now() });
  const answer = await api.call('DELETE', `/api/v1/wallets/${wallet.id}`, { token: shop.token });
  expect(answer.status).toBe(204);
  await forgetOffers(api.knex);
  expect((await api.knex('floor').first()).level).toBe(1);
});

it('an operator with open created deals needs funds, even after their wallet has switched to offers', async () => {
  const wallet = await newWallet();
  const payment = await pay(wallet);
  expect((await put(wallet.id, offered())).status).toBe(204);
  const { operator_account_id: account } = await api.knex('diamonds').where({ wallet_id: wallet.id }).first();
  await api.knex('wallets').update({ deal_modes: JSON.stringify({ [networkId]: 'offered' }) });
  expect(await rowOf(payment)).toMatchObject({ status: 'pending', deal_mode: 'created' });
  expect(await needsFunds(api.knex, account)).toBe(true);
});

it('a payment gets offers of two windows, even if the windows became shorter before its signing', async () => {
  const wallet = await offering();
  await setWindow(api.knex, 3_600);
  const payment = await pay(wallet);
  await setWindow(api.knex, 10);
  const countOf = async () =>
    (await store.wanted(networkId, 100)).find(({ paymentId }) => paymentId === payment.id)?.ends.length ?? 0;
  expect(await countOf()).toBe(2);
  await store.save(accountA!, await signed(await store.wanted(networkId, 100), keyA));
  expect((await rowOf(payment)).status).toBe('awaiting_payment');
  expect(await countOf()).toBeLessThanOrEqual(3);
});

it('the data for a buyer never shows awaiting_payment after a cancel was accepted', async () => {
  const wallet = await offering();
  const payment = await pay(wallet);
  await store.save(accountA!, await signed(await store.wanted(networkId, 100), keyA));
  await recordRoles([]);
  const reading = widget(payment);
  await delay(100);
  expect((await api.call('POST', `/api/v1/payments/${payment.id}/cancel`, { token: shop.token })).status).toBe(202);
  expect((await rowOf(payment)).status).toBe('canceling');
  // The status of the payment in the body of the answer.
  expect(await reading).toMatchObject({ status: 'canceling', payable: false });
});

it('a cancel whose repetition requests a transaction is in the audit log', async () => {
  const payment = await pay(await offering());
  await store.save(accountA!, await signed(await store.wanted(networkId, 100), keyA));
  await widget(payment);
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

it('a cancel with on_chain that a client repeats needs no transaction where nobody has read an offer', async () => {
  const wallet = await offering();
  const [once, twice] = [await pay(wallet), await pay(wallet)];
  await store.save(accountA!, await signed(await store.wanted(networkId, 100), keyA));
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

it('a lost role and a restore are recorded for more open payments than one transaction writes', async () => {
  const wallet = await offering();
  const { id: model } = await pay(wallet);
  await store.save(accountA!, await signed(await store.wanted(networkId, 100), keyA));
  await api.knex.raw(
    `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', n.id, 'external_id', n.id, 'deal_id', n.number))).*
     FROM payments p, (SELECT uuidv7() AS id, g AS number FROM generate_series(1, 2100) g) n WHERE p.id = ?`,
    [model],
  );
  const copies = `SELECT p.id FROM payments p JOIN payments m ON m.id = '${model}' AND m.wallet_id = p.wallet_id WHERE p.id <> m.id`;
  await api.knex.raw(
    `INSERT INTO offer_ends SELECT (jsonb_populate_record(e, jsonb_build_object('payment_id', c.id))).*
     FROM offer_ends e, (${copies}) c WHERE e.payment_id = ?`,
    [model],
  );
  await api.knex.raw(
    `INSERT INTO offers SELECT (jsonb_populate_record(o, jsonb_build_object('payment_id', c.id))).*
     FROM offers o, (${copies}) c WHERE o.payment_id = ?`,
    [model],
  );
  const ends = () =>
    api
      .knex('offer_ends AS e')
      .join('payments AS p', 'p.id', 'e.payment_id')
      .where({ 'p.wallet_id': wallet.id })
      .select<{ signed_until: string; revealed_until: string | null }[]>('e.signed_until', 'e.revealed_until');

  await recordRoles([accountB!]);
  expect(await api.knex('offers').where({ account_id: accountA })).toEqual([]);
  const afterLoss = await ends();
  expect(afterLoss).toHaveLength(2_101);
  expect(afterLoss.filter(({ signed_until: until }) => until !== '0')).toEqual([]);

  await api.knex('offer_windows').update({ database: 'another' });
  expect(await distrustRecord(api.knex, 900)).toBeGreaterThanOrEqual(2_101);
  expect((await ends()).filter(({ revealed_until: until }) => until === null)).toEqual([]);
  expect(await distrustRecord(api.knex, 900)).toBeNull();
});
