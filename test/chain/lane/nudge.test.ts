import { Transaction } from 'ethers';
import { quantity } from '../../../chain/rpc/calls.ts';
import { requestRetry, sendAgain } from '../../../db/payments/retry.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, stopAfterEach, throwOnceAt, timesCreated } from '../support/running.ts';

/*
 * A node that accepts transactions and never passes them on, and a patient lane: only a nudge gets anything mined.
 */

let gateway: Gateway;
let node: Proxy;
const keep = stopAfterEach();
const patient = { bump: 600_000, missing: 600_000, rebroadcast: 600_000 };

beforeAll(async () => {
  gateway = await startGateway();
  node = await startProxy(gateway.chain.url);
});
afterAll(async () => {
  await node.close();
  await gateway.close();
});
beforeEach(() => {
  node.tamper = null;
  keep(gateway.startWatcher());
});

/** The incoming transactions, in order. Only good enough ones are passed on. */
const passOn = (isGoodEnough: (tx: Transaction, first: Transaction) => boolean): Transaction[] => {
  const seen: Transaction[] = [];
  node.rewrite = (request) => {
    if (request.method !== 'eth_sendRawTransaction') return request;
    const tx = Transaction.from(request.params[0] as string);
    seen.push(tx);
    return isGoodEnough(tx, seen[0]!) ? request : { result: tx.hash };
  };
  return seen;
};

const lane = (more: Parameters<Gateway['startLane']>[0] = {}) =>
  keep(gateway.startLane({ urls: [node.url], timing: patient, ...more }));

const retry = async ({ id }: TestPayment): Promise<void> => {
  const asked = { paymentId: id, actorId: 'somebody' };
  expect(await gateway.knex.transaction((trx) => requestRetry(trx, asked))).toBe('accepted');
  await sendAgain(gateway.knex, id);
};

const slotOf = async ({ id }: TestPayment) => {
  const intents = await gateway.knex('tx_intents').where({ payment_id: id });
  expect(intents).toHaveLength(1);
  const slot = await gateway.knex('tx_slots').where({ id: intents[0].slot_id }).first();
  return { ...slot, attempts: await gateway.knex('tx_attempts').where({ slot_id: slot.id }).orderBy('seq') };
};

const raised = (fee: bigint): bigint => (fee * 9n) / 8n;

/** Payments whose transactions the node has swallowed, each in a slot of its own. */
const stuck = async (count: number, seen: readonly Transaction[]): Promise<TestPayment[]> => {
  const payments: TestPayment[] = [];
  for (let sent = 1; sent <= count; sent += 1) {
    payments.push(...(await gateway.pay(1)));
    await eventually(() => seen.length >= sent);
  }
  return payments;
};

it('a deal stuck by too low a fee is mined with a higher one, with the transactions before it; each nonce is used once', async () => {
  const seen = passOn((tx, first) => tx.maxPriorityFeePerGas! >= raised(first.maxPriorityFeePerGas!));
  lane();
  const payments = await stuck(2, seen);
  await retry(payments[1]!);
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await timesCreated(gateway, payments)).toEqual([1, 1]);
  for (const payment of payments) {
    const slot = await slotOf(payment);
    expect([slot.attempts.length, slot.nudged_at]).toEqual([2, null]);
    expect(slot.tx_hash).toBe(slot.attempts[1].tx_hash);
  }
});

it('a deal stuck by too little gas is mined with more, by the present estimate', async () => {
  let factor = 1n;
  node.tamper = ({ method }, result) =>
    method === 'eth_estimateGas' ? quantity(BigInt(result as string) * factor) : result;
  const seen = passOn((tx, first) => tx.gasLimit >= first.gasLimit * 2n);
  lane();
  const [payment] = await stuck(1, seen);
  factor = 3n;
  await retry(payment!);
  await allAre(gateway, [payment!], 'awaiting_payment');
  expect(await timesCreated(gateway, [payment!])).toEqual([1]);
  const slot = await slotOf(payment!);
  expect(slot.attempts).toHaveLength(2);
  expect(BigInt(slot.gas_limit)).toBeGreaterThanOrEqual(seen[0]!.gasLimit * 2n);
});

it.each(['runLane:before_save', 'runLane:before_send', 'runLane:after_send'] as const)(
  'a lane that dies at %s with a nudge is continued by the next run',
  async (point) => {
    const seen = passOn((tx, first) => tx.maxPriorityFeePerGas! >= raised(first.maxPriorityFeePerGas!));
    let isArmed = false;
    const killer = throwOnceAt(point);
    const first = lane({ failpoint: (name) => (isArmed ? killer.failpoint(name) : undefined) });
    const payments = await stuck(1, seen);
    isArmed = true;
    await retry(payments[0]!);
    await expect(first.ended).rejects.toThrow(point);
    lane();
    await allAre(gateway, payments, 'awaiting_payment');
    expect(await timesCreated(gateway, payments)).toEqual([1]);
    expect((await slotOf(payments[0]!)).attempts).toHaveLength(2);
  },
);

it('a nudge at the fee ceiling sends the same fees again, with an alert, and raises them once the ceiling is raised', async () => {
  const seen = passOn((tx, first) => tx.maxFeePerGas! > first.maxFeePerGas!);
  const { maxFeePerGas } = gateway.network;
  const base = BigInt(
    ((await gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: string }).baseFeePerGas,
  );
  const ceiling = base + 10n ** 9n + 1n;
  const first = lane({ network: { maxFeePerGas: ceiling } });
  const [payment] = await stuck(1, seen);
  await retry(payment!);
  await eventually(() => seen.length === 2);
  expect(seen[1]!.hash).toBe(seen[0]!.hash);
  await eventually(() => gateway.knex('alerts').where({ kind: 'fees_above_ceiling' }).first());
  const slot = await slotOf(payment!);
  expect([slot.attempts.length, slot.nudged_at]).toEqual([1, expect.any(Date)]);
  await first.stop();
  lane({ network: { maxFeePerGas } });
  await allAre(gateway, [payment!], 'awaiting_payment');
  expect(await timesCreated(gateway, [payment!])).toEqual([1]);
});
