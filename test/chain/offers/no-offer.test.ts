import { setTimeout as delay } from 'node:timers/promises';
import { keysWithoutHolder, renewHolder } from '../../../db/lane/holders.ts';
import { showStalledOffers } from '../../../db/offers/stalled.ts';
import { alertKeyless } from '../../../db/lane/keyless.ts';
import { distrustRecord, setWindow, forgetOffers } from '../../../db/offers/record.ts';
import { closeWhatIsOver, raiseOfWebhooks } from '../../../db/alerts/over.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * A payment that no signer can offer shows this, even while it awaits its payment.
 */

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, signers: ['signer'] });
  await distrustRecord(gateway.knex, 4);
  await setWindow(gateway.knex, 4);
  await gateway.rpc.call('evm_setIntervalMining', [1]);
});
afterAll(() => gateway.close());
afterEach(() => gateway.knex('signer_accounts').where({ role: 'signer' }).update({ dismissed_at: null }));

const rowOf = ({ id }: TestPayment) => gateway.knex('payments').where({ id }).first();
/** What workers do besides, for some seconds. */
const workFor = async (ms: number): Promise<void> => {
  const until = Date.now() + ms;
  while (Date.now() < until) {
    const { signer, operator, upgrader } = gateway.keys;
    const held = [signer, operator, upgrader].map(({ address }) => address.toLowerCase());
    await renewHolder(gateway.knex, '00000000-0000-4000-8000-000000000001', held);
    for (const key of await keysWithoutHolder(gateway.knex)) await alertKeyless(gateway.knex, key);
    await showStalledOffers(gateway.knex);
    await forgetOffers(gateway.knex);
    await raiseOfWebhooks(gateway.knex);
    await closeWhatIsOver(gateway.knex);
    await delay(300);
  }
};
const dismissAll = () => gateway.knex('signer_accounts').where({ role: 'signer' }).update({ dismissed_at: new Date() });

it('an alert reports a payment awaiting payment that nobody can offer any more: the catalogue lists no signer', async () => {
  keep(gateway.startWatcher());
  const offering = keep(gateway.startOffering());
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await allAre(gateway, [payment], 'awaiting_payment');
  expect(await gateway.reveal(payment)).not.toBeNull();
  await dismissAll();
  // As `runOffers` does: no run begins without a signer.
  await offering.stop();
  await workFor(10_000);
  expect(await gateway.reveal(payment)).toBeNull();
  const { status, status_detail: detail } = await rowOf(payment);
  const told = await gateway.knex('alerts').whereNull('closed_at').pluck('kind');
  expect({ status, isTold: detail !== null || told.length > 0 }).toEqual({ status: 'awaiting_payment', isTold: true });
});

it('a payment shows key_missing where the catalogue has dismissed every signer during a run', async () => {
  keep(gateway.startOffering());
  const [first] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await allAre(gateway, [first], 'awaiting_payment');
  await dismissAll();
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await workFor(4_000);
  expect(await rowOf(payment)).toMatchObject({ status: 'pending', status_detail: 'key_missing' });
  // No run reads any longer whether the signer has its role.
  expect(await gateway.reveal(first)).toBeNull();
});

it('an alert reports a payment awaiting payment that nobody can offer any more: the diamond takes no offers', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startOffering());
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await allAre(gateway, [payment], 'awaiting_payment');
  const diamond = gateway.knex('diamonds').where({ wallet_id: gateway.world.walletId });
  const [{ release }] = await diamond.clone().select('release');
  await diamond.clone().update({ release: '1.2.0' });
  await workFor(10_000);
  const offer = await gateway.reveal(payment);
  const { status, status_detail: detail } = await rowOf(payment);
  const told = await gateway.knex('alerts').whereNull('closed_at').pluck('kind');
  await diamond.clone().update({ release });
  expect(offer).toBeNull();
  expect({ status, isTold: detail !== null || told.length > 0 }).toEqual({ status: 'awaiting_payment', isTold: true });
  await eventually(async () => (await rowOf(payment)).status_detail === null, 10_000);
  expect(await eventually(() => gateway.reveal(payment))).not.toBeNull();
});
