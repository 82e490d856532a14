import { randomUUID } from 'node:crypto';
import { offerHash } from '../../../chain/pure/deal-encoding.ts';
import { release } from '../../../chain/pure/releases.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { distrustRecord } from '../../../db/offers/record.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { hex } from '../../support/fixtures.ts';
import { startApi } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const networkId = api.ids.networks.A!;
const signer = createKeySigner(hex(32));

it('crowds', async () => {
  await distrustRecord(api.knex, 900);
  const store = createOfferStore(api.knex, api.encryption);
  const wallet = await api.wallet(shop);
  await api.activate(wallet, 'A');
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: release.version });
  const [{ id: accountId }] = await api.knex('signer_accounts').insert({ network_id: networkId, address: signer.address, role: 'signer' }).returning('id');
  const put = (mode: string) => api.call('PUT', `/api/v1/wallets/${wallet.id}`, { token: shop.token, json: { deal_modes: [{ network_id: networkId, mode }] } });
  expect((await put('offered')).status).toBe(204);
  const pay = async () => (await api.call('POST', '/api/v1/payments', { token: shop.token, json: api.paymentBody({ wallet_id: wallet.id }) })).body;
  const payments: any[] = [];
  for (let n = 0; n < 8; n += 1) payments.push(await pay());
  for (const { paymentId, diamond, terms, ends } of await store.wanted(networkId, 100)) {
    const signed = ends.map(async (validUntil) => ({ paymentId, validUntil, signature: await signer.signDigest(offerHash(31_337, diamond, terms, validUntil)) }));
    await store.save(accountId, await Promise.all(signed));
  }
  // half of them lack offers
  for (const p of payments.slice(4)) {
    await api.knex('offers').where({ payment_id: p.id }).delete();
    await api.knex('offer_ends').where({ payment_id: p.id }).update({ signed_until: 0 });
  }
  const counts: Record<string, number> = {};
  const slow: number[] = [];
  const call = async (what: string, f: () => Promise<{ status: number; text: string }>) => {
    const begun = Date.now();
    const { status, text } = await f();
    slow.push(Date.now() - begun);
    counts[`${what} ${status}`] = (counts[`${what} ${status}`] ?? 0) + 1;
    if (status >= 500) process.stderr.write(`${what} ${text}\n`);
  };
  const cancel = (id: string, json: object, key?: string) => api.call('POST', `/api/v1/payments/${id}/cancel`, { token: shop.token, json, ...(key ? { headers: { 'idempotency-key': key } } : {}) });
  await Promise.all(
    Array.from({ length: 700 }, (_, n) => {
      const p = payments[n % 8];
      switch (n % 7) {
        case 0: return call('cancel', () => cancel(p.id, { on_chain: n % 2 === 0 }));
        case 1: return call('cancel key', () => cancel(p.id, {}, `key-${p.id}`));
        case 2: return call('retry', () => api.call('POST', `/api/v1/payments/${p.id}/retry-send`, { token: shop.token }));
        case 3: return call('put', () => put(n % 2 === 0 ? 'offered' : 'created'));
        case 4: return call('unknown', () => cancel(randomUUID(), {}));
        default: return call('widget', () => api.call('GET', `/api/v1/widget/payments/${p.id}`, { token: p.access_token }));
      }
    }),
  );
  slow.sort((a, b) => a - b);
  process.stderr.write(JSON.stringify({ counts, p50: slow[350], max: slow.at(-1), statuses: await api.knex('payments').select('status').count('* as n').groupBy('status') }) + '\n');
  expect(Object.keys(counts).filter((key) => / 5\d\d$/.test(key))).toEqual([]);
}, 90_000);
