import { offerHash } from '../../../chain/pure/deal-encoding.ts';
import { release } from '../../../chain/pure/releases.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { distrustRecord } from '../../../db/offers/record.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { hex } from '../../support/fixtures.ts';
import { startApi, type Actor } from '../support/api-under-test.ts';

/*
 * Locked payments of one merchant must not delay or refuse buyers of another one.
 */

const api = await startApi();
const [shop, rival] = [await api.actor('shop'), await api.actor('rival')];
const networkId = api.ids.networks.A!;
const signer = createKeySigner(hex(32));

interface Offered {
  readonly id: string;
  readonly access_token: string;
}

const pay = async (actor: Actor): Promise<Offered> => {
  const wallet = await api.wallet(actor);
  await api.activate(wallet, 'A');
  await api.knex('diamonds').where({ wallet_id: wallet.id }).update({ release: release.version });
  const json = { deal_modes: [{ network_id: networkId, mode: 'offered' }] };
  expect((await api.call('PUT', `/api/v1/wallets/${wallet.id}`, { token: actor.token, json })).status).toBe(204);
  const body = api.paymentBody({ wallet_id: wallet.id, node_id: actor.nodeId });
  return (await api.call('POST', '/api/v1/payments', { token: actor.token, json: body })).body;
};
const widget = ({ id, access_token: token }: Offered) => api.call('GET', `/api/v1/widget/payments/${id}`, { token });

/** Payments of both merchants with a stored offer that nobody has read. */
const payments = async (count: number): Promise<{ mine: Offered[]; theirs: Offered[] }> => {
  const [mine, theirs]: [Offered[], Offered[]] = [[], []];
  for (let n = 0; n < count; n += 1) {
    mine.push(await pay(shop));
    theirs.push(await pay(rival));
  }
  const store = createOfferStore(api.knex, api.encryption);
  const { id: accountId } = await api.knex('signer_accounts').where({ role: 'signer' }).first();
  for (const { paymentId, diamond, terms, ends } of await store.wanted(networkId, 100)) {
    const signed = ends.map(async (validUntil) => {
      const signature = await signer.signDigest(offerHash(31_337, diamond, terms, validUntil));
      return { paymentId, validUntil, signature };
    });
    await store.save(accountId, await Promise.all(signed));
  }
  return { mine, theirs };
};
const lock = async (locked: readonly Offered[]) => {
  const holder = await api.knex.transaction();
  await holder.raw('SELECT FROM payments WHERE id = ANY(?) FOR NO KEY UPDATE', [locked.map(({ id }) => id)]);
  return holder;
};

beforeAll(async () => {
  await distrustRecord(api.knex, 900);
  await api.knex('signer_accounts').insert({ network_id: networkId, address: signer.address, role: 'signer' });
});

it("buyers of one merchant get their offers while another's payments are locked, whose buyers get them afterwards", async () => {
  const { mine, theirs } = await payments(12);
  const holder = await lock(mine);
  const waiting = mine.map(widget);
  // Revealed anew, and read again.
  for (const answers of [await Promise.all(theirs.map(widget)), await Promise.all(theirs.map(widget))]) {
    expect(answers.map(({ status, body }) => [status, body.payable])).toEqual(theirs.map(() => [200, true]));
  }
  await holder.commit();
  const after = await Promise.all(waiting);
  expect(after.map(({ status, body }) => [status, body.payable])).toEqual(mine.map(() => [200, true]));
});

it('a buyer whose payment stays locked gets an answer to try again', async () => {
  const { mine } = await payments(1);
  const holder = await lock(mine);
  const answer = await widget(mine[0]!);
  await holder.commit();
  expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
  expect((await widget(mine[0]!)).body.payable).toBe(true);
});
