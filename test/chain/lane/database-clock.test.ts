import { Transaction } from 'ethers';
import { requestRetry, sendAgain } from '../../../db/payments/retry.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/* The database's clock is set back, so all that was written before lies in the future. */

let gateway: Gateway;
let node: Proxy;
const keep = stopAfterEach();
const patient = { bump: 600_000, missing: 600_000, rebroadcast: 600_000 };

beforeEach(async () => {
  gateway = await startGateway();
  node = await startProxy(gateway.chain.url);
});
afterEach(async () => {
  await node.close();
  await gateway.close();
});

/** A payment whose first transaction was accepted and then lost. */
const lose = async (timing: typeof patient) => {
  const lost = new Set<string>();
  node.rewrite = (request) => {
    if (request.method !== 'eth_sendRawTransaction') return request;
    const { hash } = Transaction.from(request.params[0] as string);
    if (lost.size > 0 && (timing.missing < 600_000 || !lost.has(hash!))) return request;
    lost.add(hash!);
    return { result: hash };
  };
  keep(gateway.startWatcher());
  keep(gateway.startLane({ urls: [node.url], timing }));
  const [payment] = await gateway.pay(1);
  await eventually(() => gateway.knex('tx_attempts').whereNotNull('last_sent_at').first());
  return payment!;
};

const setBack = async (ms: number): Promise<void> => {
  const later = (column: string) => gateway.knex.raw('?? + make_interval(secs => ?)', [column, ms / 1_000]);
  await gateway.knex('tx_attempts').update({ created_at: later('created_at'), last_sent_at: later('last_sent_at') });
};

describe.each([0, 600_000])('With a clock of the database set back by %d ms', (ms) => {
  it('a nudged transaction gets higher fees', async () => {
    const { id, ...payment } = await lose(patient);
    await setBack(ms);
    const asked = { paymentId: id, actorId: 'somebody' };
    expect(await gateway.knex.transaction((trx) => requestRetry(trx, asked))).toBe('accepted');
    await sendAgain(gateway.knex, id);
    expect(await allAre(gateway, [{ id, ...payment }], 'awaiting_payment', 15_000)).toBe(true);
  });

  it('a transaction that the pool has lost is sent again', async () => {
    const payment = await lose({ ...patient, missing: 1_000 });
    await setBack(ms);
    expect(await allAre(gateway, [payment], 'awaiting_payment', 15_000)).toBe(true);
  });
});
