import { mock } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { setBack } from '../../support/clock.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * A clock that was ahead is put right, as the alert `clock_wrong` asks for. Each test runs with and without it.
 */

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
});
afterAll(() => gateway.close());
afterEach(() => mock.restoreAll());

describe.each([0, 600_000])('With a clock set back by %d ms', (ms) => {
  it('deals whose simulation failed are tried again', async () => {
    const { diamondAddress } = gateway.world;
    const code = await gateway.rpc.call('eth_getCode', [diamondAddress, 'latest']);
    keep(gateway.startWatcher());
    keep(gateway.startLane());
    await gateway.rpc.call('anvil_setCode', [diamondAddress, '0x']);
    const payments = await gateway.pay(1);
    await eventually(async () => {
      const { status_detail: detail } = await gateway.knex('payments').where({ id: payments[0]!.id }).first();
      return detail !== null;
    });
    await gateway.rpc.call('anvil_setCode', [diamondAddress, code]);
    setBack(ms);
    expect(await allAre(gateway, payments, 'awaiting_payment', 15_000)).toBe(true);
  });

  it('a transaction with too low a fee gets a higher one', async () => {
    keep(gateway.startWatcher());
    let ticks = 0;
    const heartbeat = (): void => void (ticks += 1);
    keep(gateway.startLane({ timing: { bump: 1_000, bumpBlocks: 0 }, heartbeat }));
    await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
    await gateway.rpc.call('evm_setIntervalMining', [0]);
    const payments = await gateway.pay(1);
    const slot = () =>
      gateway
        .knex('tx_slots as s')
        .join('tx_attempts as t', 't.slot_id', 's.id')
        .where({ 's.state': 'signed' })
        .whereNotNull('t.last_sent_at')
        .orderBy('t.seq', 'desc')
        .first();
    const first = await eventually(slot);
    // The lane has seen it as the oldest in flight.
    const seen = ticks;
    await eventually(() => ticks > seen + 2);
    setBack(ms);
    await eventually(async () => ((await slot()) as { seq: number }).seq > (first as { seq: number }).seq, 10_000);
    await gateway.rpc.call('evm_setIntervalMining', [1]);
    expect(await allAre(gateway, payments, 'awaiting_payment', 15_000)).toBe(true);
  });
});
