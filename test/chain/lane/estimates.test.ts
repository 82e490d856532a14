import { randomUUID } from 'node:crypto';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, hex } from '../../support/fixtures.ts';
import { refusal, startArbitrum, startOptimism, type DataChain } from '../support/data-chains.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { allAre, allWait, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * A lane's requests before it sends: whether each part works, and its cost on chains that charge for data.
 */

let gateway: Gateway;
const keep = stopAfterEach();
const chains: DataChain[] = [];

beforeAll(async () => {
  gateway = await startGateway();
});

afterEach(() => Promise.all(chains.splice(0).map((chain) => chain.close())));
afterAll(() => gateway.close());

const arbitrum = async (price: bigint): Promise<DataChain> => {
  chains.push(await startArbitrum(gateway, price));
  return chains.at(-1)!;
};

const slotsOf = async (payments: readonly TestPayment[]) =>
  gateway
    .knex('tx_slots')
    .whereIn(
      'id',
      gateway
        .knex('tx_intents')
        .whereIn(
          'payment_id',
          payments.map(({ id }) => id),
        )
        .select('slot_id'),
    )
    .orderBy('nonce');

it('the size of a batch follows the estimate: a chain that charges gas for data gets smaller ones', async () => {
  // Six times the gas that a deal costs by itself: batches of the usual size would need more than a transaction may have.
  const { url } = await arbitrum(2_000n);
  keep(gateway.startWatcher());
  const payments = await gateway.pay(160);
  keep(gateway.startLane({ urls: [url] }));
  await allAre(gateway, payments, 'awaiting_payment');
  const slots = await slotsOf(payments);
  expect(slots.length).toBeGreaterThan(4);
  for (const slot of slots) expect(Number(slot.gas_limit)).toBeLessThan(4_000_000);
  expect(await timesCreated(gateway, payments)).toEqual(payments.map(() => 1));
});

it('intents that no endpoint can estimate are not sent together, but in smaller batches where those can be estimated', async () => {
  const chain = await arbitrum(0n);
  chain.rewrite = (request) => {
    const { data = '' } = (request.params[0] ?? {}) as { data?: string };
    const isTooLarge = request.method === 'eth_estimateGas' && data.length > 2_000;
    return isTooLarge ? refusal('gas required exceeds allowance (50000000)') : request;
  };
  keep(gateway.startWatcher());
  const payments = await gateway.pay(60);
  keep(gateway.startLane({ urls: [chain.url] }));
  await allAre(gateway, payments, 'awaiting_payment');
  for (const slot of await slotsOf(payments)) expect(slot.data.length).toBeLessThan(1_000);
});

it('a price of data that rises after the nonce was taken raises the gas of the next attempt', async () => {
  const chain = await arbitrum(100n);
  keep(gateway.startWatcher());
  const payments = await gateway.pay(3);
  const failpoint = (point: string): void => {
    if (point === 'runLane:before_send') chain.price = 1_000n;
  };
  keep(gateway.startLane({ urls: [chain.url], failpoint }));
  await allAre(gateway, payments, 'awaiting_payment');
  const [slot, ...others] = await slotsOf(payments);
  expect(others).toEqual([]);
  expect(Number(slot.gas_limit)).toBeGreaterThan(300_000);
  const attempts = await gateway.knex('tx_attempts').where({ slot_id: slot.id }).orderBy('seq');
  expect(attempts.map(({ last_error }) => last_error)).toEqual(['gas_too_low', null]);
  expect(await timesCreated(gateway, payments)).toEqual([1, 1, 1]);
});

describe('a chain that takes the fee for data from the balance, beside the gas', () => {
  const optimism = async (price: bigint): Promise<DataChain> => {
    chains.push(await startOptimism(gateway, price));
    await gateway.knex('alerts').delete();
    return chains.at(-1)!;
  };
  const setBalance = (wei: bigint) =>
    gateway.rpc.call('anvil_setBalance', [gateway.keys.operator.address, `0x${wei.toString(16)}`]);
  const alerted = () => gateway.knex('alerts').where({ kind: 'operator_underfunded' });

  it('takes no nonce for a slot that the account cannot pay with that fee', async () => {
    const { url } = await optimism(10n ** 15n);
    // Ample for the gas alone.
    await setBalance(10n ** 16n);
    keep(gateway.startWatcher());
    const payments = await gateway.pay(2);
    keep(gateway.startLane({ urls: [url] }));
    await allWait(gateway, payments, 'operator_underfunded');
    expect(await slotsOf(payments)).toEqual([]);
    await eventually(async () => (await alerted()).length === 1);
    await setBalance(10n ** 20n);
    await allAre(gateway, payments, 'awaiting_payment');
  });

  it("lets an endpoint's insufficient funds raise the alert, and sends once there are some", async () => {
    const chain = await optimism(10n ** 12n);
    keep(gateway.startWatcher());
    const payments = await gateway.pay(2);
    const failpoint = (point: string): void => {
      if (point === 'runLane:before_send') chain.price = 10n ** 18n;
    };
    const lane = keep(gateway.startLane({ urls: [chain.url], failpoint }));
    await eventually(async () => (await alerted()).length === 1);
    await allWait(gateway, payments, 'operator_underfunded');
    // As every ten minutes: the next run has the same reason from its first tick on.
    await lane.stop();
    let ticks = 0;
    const heartbeat = (): void => void (ticks += 1);
    const next = keep(gateway.startLane({ urls: [chain.url], failpoint, heartbeat, timing: { missing: 3_000 } }));
    await eventually(async () => ticks > 3);
    const waits = await gateway.knex('payment_waits').whereIn(
      'payment_id',
      payments.map(({ id }) => id),
    );
    expect(waits.map(({ event_type }) => event_type)).toEqual(['waiting_started', 'waiting_started']);
    await setBalance(10n ** 24n);
    await allAre(gateway, payments, 'awaiting_payment');
    expect(await timesCreated(gateway, payments)).toEqual([1, 1]);
    await next.stop();
  });
});

describe('a diamond that fails', () => {
  /** It uses up all gas that it is given. */
  const ENDLESS = '0x5b600056';
  let other: { walletId: string; diamondAddress: string };

  beforeAll(async () => {
    const { nodeId, chainId, networkId, operatorAccountId } = gateway.world;
    other = { walletId: randomUUID(), diamondAddress: hex(20) };
    const [id, address] = [other.walletId, other.diamondAddress];
    await gateway.rpc.call('anvil_setCode', [address, ENDLESS]);
    await gateway.knex('wallets').insert({ id, node_id: nodeId, chain_id: chainId, name: 'other', address });
    const row = { network_id: networkId, address, operator_account_id: operatorAccountId, status: 'active' };
    await gateway.knex('diamonds').insert({ wallet_id: id, ...row });
  });

  const wantTheirs = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      ids.push((await createPaymentRow(gateway.knex, { ...gateway.world, ...other })).id);
    }
    await insertDealIntents(gateway.knex, ids);
    return ids;
  };
  const detailsOf = async (ids: readonly string[]): Promise<unknown[]> =>
    gateway.knex('payments').whereIn('id', ids).distinct().pluck('status_detail');

  it('is named, left out and alerted, and costs the others nothing, however many deals of it wait', async () => {
    keep(gateway.startWatcher());
    const theirs = await wantTheirs(3);
    // As many as stood in the way of the others before.
    await gateway.knex.raw(
      `WITH copies AS (
         INSERT INTO payments SELECT c.* FROM (SELECT * FROM payments WHERE id = :id) one CROSS JOIN generate_series(1, 9000) g
         CROSS JOIN LATERAL jsonb_populate_record(one::text::payments,
           jsonb_build_object('id', gen_random_uuid(), 'external_id', g::text, 'deal_id', g)) c RETURNING id)
       INSERT INTO tx_intents (idempotency_key, account_id, purpose, payment_id)
       SELECT 'copy:' || id, :account, 'create_deal', id FROM copies`,
      { id: theirs[0]!, account: gateway.world.operatorAccountId },
    );
    const ours = await gateway.pay(5);
    keep(gateway.startLane());
    await allAre(gateway, ours, 'awaiting_payment');
    const [slot, ...more] = await slotsOf(ours);
    expect(more).toEqual([]);
    // Only the cost of our own transactions.
    expect(Number(slot.gas_limit)).toBeLessThan(300_000);
    expect(slot.data.toString('hex')).not.toContain(other.diamondAddress.slice(2));
    expect(await detailsOf(theirs)).toEqual(['simulation_failed']);
    const alerts = await gateway.knex('alerts').where({ kind: 'simulation_failed' });
    expect(alerts.map(({ data }) => data)).toEqual([{ diamond: other.diamondAddress }]);
  });

  it('is tried by one deal, and the others follow once it works', async () => {
    await gateway.knex('tx_intents').whereLike('idempotency_key', 'copy:%').update({ state: 'withdrawn' });
    keep(gateway.startWatcher());
    keep(gateway.startLane());
    // It accepts every call.
    await gateway.rpc.call('anvil_setCode', [other.diamondAddress, '0x00']);
    await eventually(async () => {
      const left = await gateway.knex('tx_intents').where({ state: 'queued', purpose: 'create_deal' });
      return left.length === 0;
    });
  });
});
