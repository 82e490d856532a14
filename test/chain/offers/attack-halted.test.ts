import { setTimeout as delay } from 'node:timers/promises';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { distrustRecord, setWindow } from '../../../db/offers/record.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * A promise about offered payments that an attacker broke: a cancel that waits for the time of a chain that stands still says so.
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

it('a cancel whose chain makes no blocks any more is told within 30 seconds of the end of its offer', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  keep(gateway.startOffering());
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await allAre(gateway, [payment], 'awaiting_payment');
  expect(await gateway.reveal(payment)).not.toBeNull();
  await gateway.rpc.call('evm_setIntervalMining', [0]);
  await gateway.knex.transaction((trx) => requestCancel(trx, { paymentId: payment.id, actorId: 'a merchant' }));
  await decideCancel(gateway.knex, payment.id);
  await delay(37_000);
  const { status, status_detail: detail } = await gateway.knex('payments').where({ id: payment.id }).first();
  const told = await gateway.knex('alerts').whereNull('closed_at').pluck('kind');
  expect({ status, isTold: detail !== null || told.length > 0 }).toEqual({ status: 'canceling', isTold: true });
}, 60_000);
