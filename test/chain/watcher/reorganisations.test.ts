import { contracts } from '../../../chain/pure/contracts.ts';
import { requestRetry } from '../../../db/payments/retry.ts';
import { eventually } from '../../support/eventually.ts';
import { registryCall, startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { allAre, allWait, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * Reorganisations deeper than the confirmations, which remove settled payments.
 */

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
});
afterAll(() => gateway.close());
beforeEach(() => setMining(true));

const setMining = (on: boolean) => gateway.rpc.call('evm_setIntervalMining', [on ? 1 : 0]);
const tip = async (): Promise<number> => Number(await gateway.rpc.call('eth_blockNumber'));
const rowOf = ({ id }: TestPayment) => gateway.knex('payments').where({ id }).first();
const logOf = ({ id }: TestPayment): Promise<{ event_type: string; status: string; data: Record<string, unknown> }[]> =>
  gateway.knex('payment_logs').where({ payment_id: id }).orderBy('sequence').select('event_type', 'status', 'data');
const typesOf = async (payment: TestPayment): Promise<string[]> =>
  (await logOf(payment)).map(({ event_type }) => event_type);

/** Makes blocks one by one, each seen by the watcher. */
const mineSeen = async (count: number): Promise<void> => {
  for (let made = 0; made < count; made += 1) {
    await gateway.rpc.call('anvil_mine', ['0x1']);
    const newest = await tip();
    await eventually(async () => {
      const cursor = await gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
      return Number(cursor.number) >= newest;
    });
  }
};

/** Replaces every block from this one on by empty ones, and makes as many more as the watcher needs to notice. */
const removeFrom = async (block: number): Promise<void> => {
  await gateway.rpc.call('anvil_reorg', [(await tip()) - block + 1, []]);
  await mineSeen(1);
};

const statusOnChain = async ({ dealId }: TestPayment): Promise<number> => {
  const data = contracts.deal.interface.encodeFunctionData('dealWords', [[dealId]]);
  const answer = await gateway.rpc.call('eth_call', [{ to: gateway.world.diamondAddress, data }, 'latest']);
  return Number(`0x${String(answer).slice(-2)}`);
};

/** A payment that buyers could pay, and whose deal was then removed while no lane was there. */
const loseDeal = async (): Promise<TestPayment> => {
  const lane = keep(gateway.startLane());
  const [payment] = await gateway.pay(1);
  await allAre(gateway, [payment!], 'awaiting_payment');
  const { deal_block_number: born } = await rowOf(payment!);
  await lane.stop();
  await setMining(false);
  await removeFrom(Number(born));
  expect(await statusOnChain(payment!)).toBe(0);
  return payment!;
};

describe('a deal that its buyer could pay', () => {
  it('is pending once it is absent at a confirmed block of the new chain, and is created again', async () => {
    keep(gateway.startWatcher());
    const payment = await loseDeal();
    await mineSeen(3);
    await allAre(gateway, [payment], 'pending');
    const { number, hash } = await gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
    const [, , reorged] = await logOf(payment);
    expect(reorged).toMatchObject({ event_type: 'deal_reorged', status: 'pending' });
    expect(Number(reorged!.data.block_number)).toBeLessThan(Number(number));
    expect(reorged!.data.block_hash).not.toBe(hash);
    await setMining(true);
    keep(gateway.startLane());
    await allAre(gateway, [payment], 'awaiting_payment');
    expect(await timesCreated(gateway, [payment])).toEqual([1]);
    expect(await typesOf(payment)).toEqual(['payment_created', 'deal_confirmed', 'deal_reorged', 'deal_confirmed']);
  });

  it('is created again even if the first new create has no effect, as after a pause, and may be sent again', async () => {
    keep(gateway.startWatcher());
    const payment = await loseDeal();
    // The reaction of a guardian to the alert of a deep reorganisation.
    await setMining(true);
    await gateway.send(gateway.keys.guardian, gateway.registry, registryCall('setPaused', true));
    keep(gateway.startLane());
    await allWait(gateway, [payment], 'network_paused');
    const asked = { paymentId: payment.id, actorId: gateway.world.nodeId };
    expect(await gateway.knex.transaction((trx) => requestRetry(trx, asked))).toBe('accepted');
    await gateway.send(gateway.keys.root, gateway.registry, registryCall('setPaused', false));
    await allAre(gateway, [payment], 'awaiting_payment');
    expect(await timesCreated(gateway, [payment])).toEqual([1]);
    expect(await rowOf(payment)).toMatchObject({ retries_used: 0, create_generation: 2 });
    await gateway.buy(payment);
    await allAre(gateway, [payment], 'completed');
  });
});

describe('a completed payment', () => {
  it('that is removed, mined again and removed again is reported each time, and completes once', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher());
    const [payment] = await gateway.pay(1);
    await allAre(gateway, [payment!], 'awaiting_payment');
    await setMining(false);
    const hash = await gateway.buy(payment!);
    const raw = await gateway.rpc.call('eth_getRawTransactionByHash', [hash]);
    await mineSeen(3);
    await allAre(gateway, [payment!], 'completed');
    const story = ['payment_created', 'deal_confirmed', 'payment_detected', 'payment_confirmed'];
    const placeOf = async (): Promise<number> => Number((await rowOf(payment!)).paid_block_number);
    const places: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      places.push(await placeOf());
      await removeFrom(places.at(-1)!);
      story.push('payment_reversed');
      await eventually(async () => (await logOf(payment!)).length === story.length);
      await gateway.rpc.call('eth_sendRawTransaction', [raw]);
      await mineSeen(1);
      story.push('payment_anomaly');
      await eventually(async () => (await logOf(payment!)).length === story.length);
      const { blockNumber } = (await gateway.rpc.call('eth_getTransactionReceipt', [hash])) as { blockNumber: string };
      expect(await placeOf()).toBe(Number(blockNumber));
    }
    const last = await placeOf();
    await removeFrom(last);
    await eventually(async () => (await logOf(payment!)).length === story.length + 1);
    expect(await typesOf(payment!)).toEqual([...story, 'payment_reversed']);
    expect((await logOf(payment!)).slice(3).map(({ status }) => status)).toEqual(Array(6).fill('completed'));
    expect((await logOf(payment!)).at(-1)!.data).toMatchObject({ transaction_hash: hash, block_number: last });
    expect(await rowOf(payment!)).toMatchObject({ status: 'completed', paid_tx_hash: hash });
    const alerts = await gateway.knex('alerts').where({ payment_id: payment!.id }).orderBy('created_at').pluck('kind');
    expect(alerts).toEqual([
      'payment_reversed',
      'payment_returned',
      'payment_reversed',
      'payment_returned',
      'payment_reversed',
    ]);
  });
});
