import { setTimeout as delay } from 'node:timers/promises';
import { roleIds } from '../../../chain/pure/roles.ts';
import { keysWithoutHolder, renewHolder } from '../../../db/lane/holders.ts';
import { closeStalledSigning, raiseOfStalledSigning, showStalledOffers } from '../../../db/offers/stalled.ts';
import { alertKeyless } from '../../../db/lane/keyless.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { distrustRecord, setWindow } from '../../../db/offers/record.ts';
import { eventually } from '../../support/eventually.ts';
import { registryCall, startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * An offered deal that stands still shows its reason.
 */

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, signers: ['signer', 'otherSigner'] });
  await distrustRecord(gateway.knex, 60);
  await setWindow(gateway.knex, 60);
  await gateway.rpc.call('evm_setIntervalMining', [1]);
});
afterAll(() => gateway.close());

const rowOf = ({ id }: TestPayment) => gateway.knex('payments').where({ id }).first();
const setRole = (account: string, enabled: boolean): Promise<void> =>
  gateway.send(gateway.keys.root, gateway.registry, registryCall('setRole', roleIds.signer, account, enabled));
/** What a worker that holds these keys does besides, for some seconds. */
const workFor = async (ms: number, held: readonly string[]): Promise<void> => {
  const until = Date.now() + ms;
  while (Date.now() < until) {
    const lanes = [gateway.keys.operator, gateway.keys.upgrader].map(({ address }) => address.toLowerCase());
    await renewHolder(gateway.knex, '00000000-0000-4000-8000-000000000001', [...held, ...lanes]);
    for (const key of await keysWithoutHolder(gateway.knex)) await alertKeyless(gateway.knex, key);
    await showStalledOffers(gateway.knex);
    await delay(300);
  }
};
const other = () => gateway.keys.otherSigner.address.toLowerCase();
const first = () => gateway.keys.signer.address.toLowerCase();

it('a payment shows its waiting reason where the held key has no role and the key with the role is not held', async () => {
  await setRole(gateway.keys.signer.address, false);
  keep(gateway.startOffering({ keys: [gateway.keys.signer] }));
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await workFor(4_000, [first()]);
  const row = await rowOf(payment);
  await setRole(gateway.keys.signer.address, true);
  expect(row.status).toBe('pending');
  expect(row.status_detail).not.toBeNull();
});

it('a payment shows its waiting reason where the catalogue has dismissed every signer', async () => {
  await gateway.knex('signer_accounts').where({ role: 'signer' }).update({ dismissed_at: new Date() });
  keep(gateway.startOffering());
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await workFor(4_000, [first(), other()]);
  const row = await rowOf(payment);
  await gateway.knex('signer_accounts').where({ role: 'signer' }).update({ dismissed_at: null });
  expect(row.status).toBe('pending');
  expect(row.status_detail).not.toBeNull();
});

it('a payment shows its waiting reason where its diamond was cut to a release without offers', async () => {
  const diamond = gateway.knex('diamonds').where({ wallet_id: gateway.world.walletId });
  const [{ release }] = await diamond.clone().select('release');
  await diamond.clone().update({ release: '1.2.0' });
  keep(gateway.startOffering());
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await workFor(4_000, [first(), other()]);
  const row = await rowOf(payment);
  await diamond.clone().update({ release });
  expect(row.status).toBe('pending');
  expect(row.status_detail).not.toBeNull();
});

it('a cancel that waits for the end of an offer shows network_unreachable', async () => {
  const offering = keep(gateway.startOffering());
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await allAre(gateway, [payment], 'awaiting_payment');
  await gateway.reveal(payment);
  await offering.stop();
  const proxy = await startProxy(gateway.chain.url);
  try {
    proxy.mode = '500';
    keep(gateway.startWatcher({ urls: [proxy.url], watch: { unreachable: 500 } }));
    await gateway.knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: 'a merchant' }));
    await decideCancel(gateway.knex, payment.id);
    const detailIs = (detail: string | null) =>
      eventually(async () => (await rowOf(payment)).status_detail === detail, 10_000);
    expect(await detailIs('network_unreachable')).toBe(true);
    proxy.mode = 'pass';
    expect(await detailIs(null)).toBe(true);
  } finally {
    await proxy.close();
  }
});

it('payments that no run signs, although a worker holds a signer with its role, show this, and raise an alert', async () => {
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await workFor(600, [first(), other()]);
  expect(await rowOf(payment)).toMatchObject({ status: 'pending', status_detail: null });
  expect(await raiseOfStalledSigning(gateway.knex, 30)).toEqual([]);

  const longAgo = new Date(Date.now() - 40_000);
  await gateway.knex('payments').where({ id: payment.id }).update({ created_at: longAgo });
  await gateway.knex('offer_looks').update({ looked_at: longAgo });
  await workFor(600, [first(), other()]);
  expect(await rowOf(payment)).toMatchObject({ status: 'pending', status_detail: 'signing_stalled' });
  const raise = async () => (await raiseOfStalledSigning(gateway.knex, 30)).map(({ kind }) => kind);
  expect([await raise(), await raise()]).toEqual([['signing_stalled'], []]);
  expect(await closeStalledSigning(gateway.knex)).toEqual([]);

  keep(gateway.startOffering());
  await allAre(gateway, [payment], 'awaiting_payment');
  expect(await rowOf(payment)).toMatchObject({ status_detail: null });
  await eventually(async () => (await closeStalledSigning(gateway.knex)).length === 1);
});

it('a run without a key and a worker without a known holder show one reason, once', async () => {
  const { signer, otherSigner } = gateway.keys;
  for (const { address } of [signer, otherSigner]) await setRole(address, false);
  await gateway.knex('key_holders').delete();
  keep(gateway.startOffering({ keys: [] }));
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await workFor(12_000, []);
  const waits = await gateway.knex('payment_waits').where({ payment_id: payment.id }).pluck('event_type');
  const row = await rowOf(payment);
  for (const { address } of [signer, otherSigner]) await setRole(address, true);
  expect(row).toMatchObject({ status: 'pending', status_detail: 'signer_revoked' });
  expect(waits).toEqual(['waiting_started']);
});
