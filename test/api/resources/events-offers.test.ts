import { offerHash } from '../../../chain/pure/deal-encoding.ts';
import { release } from '../../../chain/pure/releases.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { distrustRecord } from '../../../db/offers/record.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { hex } from '../../support/fixtures.ts';
import { startApi } from '../support/api-under-test.ts';
import { openPage } from '../support/events.ts';

const api = await startApi();
const networkId = api.ids.networks.A!;
const signer = createKeySigner(hex(32));
const store = createOfferStore(api.knex, api.encryption);

interface Payment {
  readonly id: string;
  readonly access_token: string;
}

/** A payment of a wallet that offers its deals. */
const create = async (): Promise<Payment> => {
  const shop = await api.actor('shop');
  const wallet = await api.wallet(shop);
  await api.activate(wallet, 'A');
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: release.version });
  const modes = { deal_modes: [{ network_id: networkId, mode: 'offered' }] };
  await api.call('PUT', `/api/v1/wallets/${wallet.id}`, { token: shop.token, json: modes });
  const json = api.paymentBody({ wallet_id: wallet.id });
  return (await api.call('POST', '/api/v1/payments', { token: shop.token, json })).body as Payment;
};

/** Signs and stores the requested offers, as a worker does. Returns the signatures. */
const sign = async (accountId: string): Promise<string[]> => {
  const signatures: string[] = [];
  for (const { paymentId, diamond, terms, ends } of await store.wanted(networkId, 100)) {
    const signed = ends.map(async (validUntil) => {
      const signature = await signer.signDigest(offerHash(31_337, diamond, terms, validUntil));
      signatures.push(signature);
      return { paymentId, validUntil, signature };
    });
    await store.save(accountId, await Promise.all(signed));
  }
  return signatures;
};

it('reading the events of an offered payment, open or as JSON, reveals no offer, and shows none', async () => {
  await distrustRecord(api.knex, 900);
  const account = { network_id: networkId, address: signer.address, role: 'signer' };
  const [{ id: accountId }] = await api.knex('signer_accounts').insert(account).returning('id');
  const payment = await create();
  const page = await openPage(api.url, payment);
  await page.until({ status: 'pending', payable: false });
  const signatures = await sign(accountId as string);
  expect(signatures.length).toBeGreaterThan(0);
  await page.until({ status: 'awaiting_payment', payable: true });
  const path = `/api/v1/widget/payments/${payment.id}`;
  const { body, text } = await api.call('GET', `${path}/events`, { token: payment.access_token });
  expect(body.payable).toBe(true);
  const revealed = () =>
    api.knex('offer_ends').where({ payment_id: payment.id }).first('revealed_until', 'wanted_until');
  const before = await revealed();
  for (const signature of signatures) {
    const digits = signature.slice(2, 66).toLowerCase();
    expect(page.text() + text).not.toContain(digits);
  }
  expect(before).toMatchObject({ revealed_until: null });
  const whole = await api.call('GET', path, { token: payment.access_token });
  expect(signatures.some((signature) => whole.text.includes(signature.slice(2, 66)))).toBe(true);
  expect(Number((await revealed()).revealed_until)).toBeGreaterThan(0);
  page.close();
});
