import { setTimeout as delay } from 'node:timers/promises';
import { contracts } from '../../../chain/pure/contracts.ts';
import { payCall } from '../../../chain/pure/pay-call.ts';
import { distrustRecord, setWindow } from '../../../db/offers/record.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { allWait, stopAfterEach } from '../support/running.ts';

/*
 * The start of a run ends no lasting waiting reason, and a new key offers nothing before its role is known.
 */

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, signers: ['signer'] });
  await distrustRecord(gateway.knex, 60);
  await setWindow(gateway.knex, 60);
  await gateway.rpc.call('evm_setIntervalMining', [1]);
});
afterAll(() => gateway.close());

const rowOf = ({ id }: TestPayment) => gateway.knex('payments').where({ id }).first();

it('a payment still shows network_unreachable when the next run takes over', async () => {
  const proxy = await startProxy(gateway.chain.url);
  try {
    proxy.mode = '500';
    await gateway.knex('signer_accounts').update({ role_read_at: null });
    const first = keep(gateway.startOffering({ urls: [proxy.url] }));
    const payments = await gateway.pay(1, { dealMode: 'offered' });
    await allWait(gateway, payments, 'network_unreachable');
    // Every ten minutes, and whenever a worker restarts.
    await first.stop();
    keep(gateway.startOffering({ urls: [proxy.url] }));
    await delay(3_000);
    const waits = await gateway.knex('payment_waits').where({ payment_id: payments[0]!.id }).orderBy('created_at');
    expect(
      waits.map((wait: { event_type: string; reason: string | null }) => `${wait.event_type} ${wait.reason}`),
    ).toEqual(['waiting_started network_unreachable']);
  } finally {
    await proxy.close();
  }
});

it('a new key of the catalogue offers nothing before its role was read', async () => {
  const { signer, stranger } = gateway.keys;
  const proxy = await startProxy(gateway.chain.url);
  try {
    keep(gateway.startOffering({ urls: [proxy.url], keys: [signer, stranger] }));
    const [before] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
    for (let n = 0; n < 50 && (await rowOf(before)).status !== 'awaiting_payment'; n += 1) await delay(100);
    proxy.mode = '500';
    // The catalogue names the stranger in place of the signer; it does not have the role.
    const accounts = () => gateway.knex('signer_accounts');
    await accounts().insert({ network_id: gateway.world.networkId, address: stranger.address, role: 'signer' });
    await accounts().where({ address: signer.address }).update({ dismissed_at: new Date() });
    // A round that had chosen the signer before may still sign with it, once.
    const [during] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
    await eventually(async () => {
      const { status, status_detail: reason } = await rowOf(during);
      return status !== 'pending' || reason !== null;
    });
    const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
    await delay(4_000);
    const offer = await gateway.reveal(payment);
    let refusal: string | null = null;
    if (offer !== null) {
      const { function_name: name, arguments: values } = payCall(payment.terms, offer);
      const data = contracts.offer.interface.encodeFunctionData(name, values);
      const call = {
        from: gateway.keys.buyer.address,
        to: gateway.world.diamondAddress,
        data,
        value: `0x${payment.terms.amount.toString(16)}`,
      };
      refusal = await gateway.rpc.call('eth_call', [call, 'latest']).then(
        () => null,
        (error: Error) => error.message,
      );
    }
    const { status, status_detail: detail } = await rowOf(payment);
    expect({ status, detail, isOffered: offer !== null, refusal }).toEqual({
      status: 'pending',
      detail: expect.anything(),
      isOffered: false,
      refusal: null,
    });
  } finally {
    await proxy.close();
  }
});
