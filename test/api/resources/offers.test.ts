import { setTimeout as delay } from 'node:timers/promises';
import { Interface } from 'ethers';
import { contracts } from '../../../chain/pure/contracts.ts';
import { offerHash } from '../../../chain/pure/deal-encoding.ts';
import { release } from '../../../chain/pure/releases.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { assertUnderstood } from '../../../db/level.ts';
import { forgetOffers, distrustRecord } from '../../../db/offers/record.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { recordLife, recordStop } from '../../../db/processes/processes.ts';
import { permissions as allPermissions } from '../../../domain/access.ts';
import type { OfferStore, WantedOffers } from '../../../domain/ports/offers.ts';
import { ZERO_ADDRESS } from '../../../domain/deal.ts';
import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { codeOf } from '../support/answers.ts';
import { bankTransfer, payee, startApi } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const networkId = api.ids.networks.A!;
const signer = createKeySigner(hex(32));
let accountId: string;
let store: OfferStore;

type Json = Record<string, unknown>;
interface Wallet {
  readonly id: string;
  readonly address: string;
}
const get = async (path: string, token = shop.token) => (await api.call('GET', `/api/v1${path}`, { token })).body;
const put = (id: string, json: Json, token = shop.token) => api.call('PUT', `/api/v1/wallets/${id}`, { token, json });
const pay = async (wallet: Wallet, change: Json = {}) =>
  (
    await api.call('POST', '/api/v1/payments', {
      token: shop.token,
      json: api.paymentBody({ wallet_id: wallet.id, ...change }),
    })
  ).body;
const widget = (payment: { id: string; access_token: string }) =>
  api.call('GET', `/api/v1/widget/payments/${payment.id}`, { token: payment.access_token });
const cancel = (id: string, json?: Json) =>
  api.call('POST', `/api/v1/payments/${id}/cancel`, { token: shop.token, ...(json === undefined ? {} : { json }) });
const offered = (mode = 'offered') => ({ deal_modes: [{ network_id: networkId, mode }] });

/** A wallet with an active diamond of a release. */
const walletOf = async (version: string | null): Promise<Wallet> => {
  const wallet = await api.wallet(shop);
  await api.activate(wallet, 'A');
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: version });
  return wallet;
};
const offering = async (): Promise<Wallet> => {
  const wallet = await walletOf(release.version);
  expect((await put(wallet.id, offered())).status).toBe(204);
  return wallet;
};

/** Signs and stores the requested offers, as a worker does. */
const sign = async (): Promise<readonly WantedOffers[]> => {
  const wanted = await store.wanted(networkId, 100);
  for (const { paymentId, diamond, terms, ends } of wanted) {
    const signed = ends.map(async (validUntil) => {
      const signature = await signer.signDigest(offerHash(31_337, diamond, terms, validUntil));
      return { paymentId, validUntil, signature };
    });
    await store.save(accountId, await Promise.all(signed));
  }
  return wanted;
};

beforeAll(async () => {
  await distrustRecord(api.knex, 900);
  store = createOfferStore(api.knex, api.encryption);
});

describe('The deal modes of a wallet', () => {
  it('are offered only where the network has a signer, the diamond takes offers, and no older process runs', async () => {
    const old = await walletOf('1.2.0');
    const unknown = await walletOf(null);
    const absent = await api.wallet(shop);
    const wallet = await walletOf(release.version);
    for (const { id } of [old, unknown, absent]) {
      const answer = await put(id, offered());
      expect(codeOf(answer)).toEqual([409, 'deal_mode_unavailable']);
      expect(answer.body.detail).toMatch(/diamond/);
    }
    expect((await put(wallet.id, offered())).body.detail).toMatch(/key for offers/);
    [{ id: accountId }] = await api
      .knex('signer_accounts')
      .insert({ network_id: networkId, address: signer.address, role: 'signer' })
      .returning('id');
    const older = { id: randomUUID(), kind: 'worker', name: 'older' } as const;
    await recordLife(api.knex, older, true);
    await api.knex('processes').where({ id: older.id }).update({ level: 1 });
    expect((await put(wallet.id, offered())).body.detail).toMatch(/older version/);
    expect((await get(`/wallets/${wallet.id}`)).deal_modes).toEqual([]);
    await recordStop(api.knex, older.id);
    expect((await put(wallet.id, offered())).status).toBe(204);
    expect((await get(`/wallets/${wallet.id}`)).deal_modes).toEqual([{ network_id: networkId, mode: 'offered' }]);
  });

  it('raise the floor of the database with the first switch; it falls once nothing is offered', async () => {
    const floor = async () => (await api.knex('floor').first()).level;
    const wallet = await offering();
    const payment = await pay(wallet);
    await api.knex('wallets').whereNot({ id: wallet.id }).update({ deal_modes: '{}' });
    await forgetOffers(api.knex);
    expect(await floor()).toBe(2);
    await expect(assertUnderstood(api.knex)).resolves.toBeUndefined();
    expect((await put(wallet.id, offered('created'))).status).toBe(204);
    await forgetOffers(api.knex);
    expect(await floor()).toBe(2);
    await sign();
    await api.knex('payments').where({ id: payment.id }).update({ status: 'expired', terminal_at: api.knex.fn.now() });
    await forgetOffers(api.knex);
    expect(await floor()).toBe(1);
  });

  it('are merged, need wallets.deploy, and name networks of the chain once', async () => {
    const wallet = await offering();
    const limited = await api.actor(
      'shop',
      allPermissions.filter((permission) => permission !== 'wallets.deploy'),
    );
    expect(codeOf(await put(wallet.id, offered('created'), limited.token))).toEqual([403, 'permission_denied']);
    expect(codeOf(await put(wallet.id, { deal_modes: [{ network_id: randomUUID(), mode: 'created' }] }))).toEqual([
      404,
      'network_not_found',
    ]);
    const [one] = offered().deal_modes;
    const twice = await put(wallet.id, { deal_modes: [one, { ...one, network_id: networkId.toUpperCase() }] });
    expect(twice.body.errors).toEqual([{ path: '/body/deal_modes/1/network_id', message: 'must be named once' }]);
    expect((await put(wallet.id, { deal_modes: [{ network_id: api.ids.networks.B, mode: 'created' }] })).status).toBe(
      204,
    );
    expect((await get(`/wallets/${wallet.id}`)).deal_modes).toEqual([one]);
    const [entry] = await api
      .knex('audit_log')
      .where({ resource_id: wallet.id, action: 'wallet.updated' })
      .orderBy('created_at');
    expect([entry.before.deal_modes, entry.after.deal_modes]).toEqual([[], [one]]);
  });

  it('apply to new payments only, and to those on a chain', async () => {
    const modeOf = async ({ id }: { id: string }) => (await api.knex('payments').where({ id }).first()).deal_mode;
    const wallet = await walletOf(release.version);
    const before = await pay(wallet);
    await put(wallet.id, offered());
    const after = await pay(wallet);
    const transfer = await pay(wallet, bankTransfer);
    await put(wallet.id, offered('created'));
    const again = await pay(wallet);
    expect(await Promise.all([before, after, transfer, again].map(modeOf))).toEqual([
      'created',
      'offered',
      'created',
      'created',
    ]);
    await sign();
    expect((await get(`/payments/${after.id}`)).status).toBe('awaiting_payment');
    expect((await get(`/payments/${before.id}`)).status).toBe('pending');
  });

  it('apply to every payment that is created while they change', async () => {
    const wallet = await walletOf(release.version);
    const [, ...made] = await Promise.all([
      put(wallet.id, offered()),
      ...Array.from({ length: 20 }, () => pay(wallet)),
    ]);
    const late = await pay(wallet);
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set(['pending']));
    expect((await api.knex('payments').where({ id: late.id }).first()).deal_mode).toBe('offered');
    await sign();
  });
});

describe('The data for a buyer of an offered deal', () => {
  it('is refused until it is offered, then carries the offer, and holds a record of it', async () => {
    const wallet = await offering();
    const payment = await pay(wallet);
    expect(codeOf(await widget(payment))).toEqual([409, 'payment_not_payable']);
    await sign();
    const { status, body } = await widget(payment);
    expect(status).toBe(200);
    const { function_name, arguments: values, abi, value } = body.contract;
    expect({ function_name, value, payable: body.payable }).toEqual({
      function_name: 'payOfferedToken',
      value: '0',
      payable: true,
    });
    const data = new Interface(abi).encodeFunctionData(function_name, values);
    const parsed = contracts.offer.interface.parseTransaction({ data })!;
    expect(parsed.args[0].toArray().map(String).slice(2, 4)).toEqual([payee, ZERO_ADDRESS]);
    expect(Date.parse(body.offer_valid_until)).toBe(Number(values[1]) * 1000);
    const ends = await api.knex('offer_ends').where({ payment_id: payment.id }).first();
    expect(ends.revealed_until).toBe(values[1]);
    expect((await widget(payment)).body).toEqual({ ...body, server_time: expect.any(String) });
    const entries = await get(`/payments/${payment.id}/logs`);
    expect(entries.items.map((entry: { event_type: string }) => entry.event_type)).toEqual([
      'deal_offered',
      'payment_created',
    ]);
  });

  it('carries the native coin', async () => {
    const wallet = await offering();
    const payment = await pay(wallet, { currency_id: api.ids.currencies.ETH, price: 2, paid_price: 1.5 });
    await sign();
    expect((await widget(payment)).body.contract).toMatchObject({
      function_name: 'payOfferedNative',
      value: '1500000000000000000',
    });
  });

  it('is not payable while no signer has a current offer, and becomes payable once one signs it', async () => {
    const wallet = await offering();
    const payment = await pay(wallet);
    await sign();
    await api.knex('offers').where({ payment_id: payment.id }).delete();
    await api.knex('offer_ends').where({ payment_id: payment.id }).update({ signed_until: 0 });
    const { body } = await widget(payment);
    expect(body).toMatchObject({ status: 'awaiting_payment', payable: false, offer_valid_until: null });
    const [, until, r, vs] = body.contract.arguments;
    expect([until, r, vs]).toEqual(['0', `0x${'0'.repeat(64)}`, `0x${'0'.repeat(64)}`]);
    const waiting = widget(payment);
    await delay(50);
    await sign();
    expect((await waiting).body.payable).toBe(true);
  });

  it('hides offers of a signer that has lost its role, which are requested again', async () => {
    const wallet = await offering();
    const payment = await pay(wallet);
    await sign();
    expect((await widget(payment)).body.payable).toBe(true);
    await store.recordRegistry(networkId, { isPaused: false, asked: [], holders: [] });
    expect((await widget(payment)).body.payable).toBe(false);
    expect((await store.wanted(networkId, 100)).map(({ paymentId }) => paymentId)).toContain(payment.id);
    await sign();
    expect(await api.knex('offers').where({ payment_id: payment.id })).toEqual([]);
    await store.recordRegistry(networkId, { isPaused: false, asked: [accountId], holders: [accountId] });
    await sign();
    expect((await widget(payment)).body.payable).toBe(true);
  });

  it('requests later offers when it is read, and wakes the signers', async () => {
    const wallet = await offering();
    const payment = await pay(wallet);
    await sign();
    const late = { wanted_until: 1, signed_until: 1 };
    await api.knex('offer_ends').where({ payment_id: payment.id }).update(late);
    await api.knex('offers').where({ payment_id: payment.id }).delete();
    expect(await sign()).toEqual([]);
    const reading = widget(payment);
    await eventually(async () => (await store.wanted(networkId, 100)).length > 0);
    await sign();
    expect((await reading).body.payable).toBe(true);
  });
});

describe('A cancel of an offered payment', () => {
  it('and a simultaneous reveal leave either no reveal, or a cancel that knows it', async () => {
    const wallet = await offering();
    const payments = await Promise.all(Array.from({ length: 30 }, () => pay(wallet)));
    await sign();
    const shown = await Promise.all(
      payments.map(async (payment) => {
        const [{ body }] = await Promise.all([widget(payment), cancel(payment.id)]);
        return body.payable as boolean;
      }),
    );
    for (const [index, payment] of payments.entries()) {
      const row = await api.knex('payments').where({ id: payment.id }).first();
      const ends = await api.knex('offer_ends').where({ payment_id: payment.id }).first();
      expect([row.status, ends.revealed_until !== null]).toEqual(['canceling', shown[index]]);
    }
  });

  it('may request a transaction, even when it is repeated', async () => {
    const wallet = await offering();
    const payment = await pay(wallet);
    await sign();
    await widget(payment);
    expect((await cancel(payment.id)).status).toBe(202);
    expect(await api.knex('tx_intents').where({ payment_id: payment.id })).toEqual([]);
    expect((await cancel(payment.id, { on_chain: true })).status).toBe(202);
    expect((await cancel(payment.id, { on_chain: true })).status).toBe(202);
    expect(await api.knex('tx_intents').where({ payment_id: payment.id }).pluck('purpose')).toEqual(['cancel_deal']);
    expect(codeOf(await cancel(payment.id, { on_chain: 'yes' }))).toEqual([400, 'invalid_request']);
  });
});
