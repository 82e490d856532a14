import { setTimeout as delay } from 'node:timers/promises';
import { offerHash } from '../../../chain/pure/deal-encoding.ts';
import { release } from '../../../chain/pure/releases.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { distrustRecord } from '../../../db/offers/record.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { hex } from '../../support/fixtures.ts';
import { startApi } from '../support/api-under-test.ts';

const api = await startApi();
const [shop, rival] = [await api.actor('shop'), await api.actor('rival')];
const networkId = api.ids.networks.A!;
const signer = createKeySigner(hex(32));

const payment = async (actor: typeof shop) => {
  const wallet = await api.wallet(actor);
  await api.activate(wallet, 'A');
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: release.version });
  const json = { deal_modes: [{ network_id: networkId, mode: 'offered' }] };
  expect((await api.call('PUT', `/api/v1/wallets/${wallet.id}`, { token: actor.token, json })).status).toBe(204);
  const body = api.paymentBody({ wallet_id: wallet.id, node_id: actor.nodeId });
  return (await api.call('POST', '/api/v1/payments', { token: actor.token, json: body })).body;
};
const widget = (p: { id: string; access_token: string }) =>
  api.call('GET', `/api/v1/widget/payments/${p.id}`, { token: p.access_token });

it("a locked payment of one merchant keeps no buyer of another one waiting", async () => {
  await distrustRecord(api.knex, 900);
  const store = createOfferStore(api.knex, api.encryption);
  const [{ id: accountId }] = await api.knex('signer_accounts').insert({ network_id: networkId, address: signer.address, role: 'signer' }).returning('id');
  const locked: any[] = [];
  for (let n = 0; n < 6; n += 1) locked.push(await payment(shop));
  const other = await payment(rival);
  for (const { paymentId, diamond, terms, ends } of await store.wanted(networkId, 100)) {
    const signed = ends.map(async (validUntil) => ({ paymentId, validUntil, signature: await signer.signDigest(offerHash(31_337, diamond, terms, validUntil)) }));
    await store.save(accountId, await Promise.all(signed));
  }
  expect((await widget(other)).body.payable).toBe(true);
  const holder = await api.knex.transaction();
  await holder.raw('SELECT FROM payments WHERE id = ANY(?) FOR NO KEY UPDATE', [locked.map(({ id }) => id)]);
  const stuck = [];
  for (const p of locked) {
    stuck.push(widget(p));
    await delay(40);
  }
  const begun = Date.now();
  const reading = widget(other).then(({ status, body }) => ({ status, payable: body.payable, ms: Date.now() - begun }));
  const first = await Promise.race([reading, delay(4_000).then(() => 'still waiting after 4 s')]);
  await holder.commit();
  await Promise.all([...stuck, reading]);
  process.stderr.write(JSON.stringify([first, await reading]) + '\n');
  expect(first).toMatchObject({ status: 200, payable: true });
}, 60_000);

it("a locked payment of one merchant is no reason to refuse buyers of another one", async () => {
  const store = createOfferStore(api.knex, api.encryption);
  const { id: accountId } = await api.knex('signer_accounts').where({ role: 'signer' }).first();
  const [mine, others]: any[][] = [[], []];
  for (let n = 0; n < 12; n += 1) {
    mine.push(await payment(shop));
    others.push(await payment(rival));
  }
  for (const { paymentId, diamond, terms, ends } of await store.wanted(networkId, 100)) {
    const signed = ends.map(async (validUntil) => ({ paymentId, validUntil, signature: await signer.signDigest(offerHash(31_337, diamond, terms, validUntil)) }));
    await store.save(accountId, await Promise.all(signed));
  }
  const holder = await api.knex.transaction();
  await holder.raw('SELECT FROM payments WHERE id = ANY(?) FOR NO KEY UPDATE', [mine.map(({ id }) => id)]);
  const answers = await Promise.all(mine.flatMap((p, n) => [widget(p), widget(others[n])]));
  await holder.commit();
  const rivals = answers.filter((_, index) => index % 2 === 1).map(({ status }) => status);
  process.stderr.write(JSON.stringify(answers.map(({ status }) => status)) + '\n');
  expect(new Set(rivals)).toEqual(new Set([200]));
}, 60_000);
