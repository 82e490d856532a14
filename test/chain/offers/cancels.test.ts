import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { distrustRecord, setWindow } from '../../../db/offers/record.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * A cancel on the chain whose operator has no coins: the end of the offers ends the payment, and nothing is left of the cancel.
 */

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, signers: ['signer'] });
  await distrustRecord(gateway.knex, 4);
  await setWindow(gateway.knex, 4);
});
afterAll(() => gateway.close());

const setBalance = (wei: bigint): Promise<unknown> =>
  gateway.rpc.call('anvil_setBalance', [gateway.keys.operator.address, `0x${wei.toString(16)}`]);
const openAlerts = async (): Promise<string[]> => {
  await closeWhatIsOver(gateway.knex);
  return gateway.knex('alerts').where({ closed_at: null }).pluck('kind');
};

/** A payment whose offer was revealed, with a cancel on the chain that the operator cannot pay for, until the offer is over. */
const canceledWithoutCoins = async (): Promise<TestPayment> => {
  keep(gateway.startWatcher());
  keep(gateway.startOffering());
  keep(gateway.startLane());
  await setBalance(0n);
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await allAre(gateway, [payment], 'awaiting_payment');
  await gateway.reveal(payment);
  const request = { paymentId: payment.id, actorId: 'a merchant', onChain: true };
  await gateway.knex.transaction((trx) => requestCancel(trx, request));
  await decideCancel(gateway.knex, payment.id);
  await eventually(async () => (await openAlerts()).includes('operator_underfunded'));
  await allAre(gateway, [payment], 'canceled');
  return payment;
};
const intentsOf = ({ id }: TestPayment) => gateway.knex('tx_intents').where({ payment_id: id }).orderBy('id');

it('a cancel on the chain that waits for coins is withdrawn, with its alert, when the offers end', async () => {
  const payment = await canceledWithoutCoins();
  await eventually(async () => (await openAlerts()).length === 0);
  expect((await intentsOf(payment)).map(({ state }) => state)).toEqual(['withdrawn']);
});

it('coins that come later are not spent on a cancel that has ended', async () => {
  const payment = await canceledWithoutCoins();
  await setBalance(10n ** 18n);
  // A deal that was queued later is through.
  const [next] = (await gateway.pay(1)) as [TestPayment];
  await allAre(gateway, [next], 'awaiting_payment');
  expect((await intentsOf(payment)).filter(({ slot_id: slot }) => slot !== null)).toEqual([]);
});
