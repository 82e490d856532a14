import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { createLaneStore } from '../../../db/lane/store.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { createDeploymentStore } from '../../../db/wallets/deployment-store.ts';
import { requestUpdate } from '../../../db/wallets/request-deployment.ts';
import type { LaneStore, QueuedIntent } from '../../../domain/ports/lane.ts';
import type { Lease } from '../../../domain/ports/lease.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type PaymentRow, type World } from '../../support/fixtures.ts';

/* A lane's queue while a diamond is cut. */

let knex: Knex;
let store: LaneStore;
let world: World;
let lease: Lease;

beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
  store = createLaneStore(knex);
});

afterAll(() => knex.destroy());

beforeEach(async () => {
  world = await createWorld(knex);
  lease = await store.acquire(world.operatorAccountId);
});

const created = async (): Promise<PaymentRow> => {
  const payment = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [payment.id]);
  return payment;
};
const queued = async () =>
  (await store.queued(lease, 100)).map((intent) => [intent.purpose, (intent as { isHeld?: boolean }).isHeld]);
const rowOf = ({ id }: PaymentRow) => knex('payments').where({ id }).first();

/** Gives the call that a lane has queued a nonce. */
const assign = async (accountId: string): Promise<void> => {
  const own = await store.acquire(accountId);
  const [intent] = await store.queued(own, 1);
  await store.assign(own, 0, [{ to: hex(20), intents: [intent!], gasLimit: 100_000n, encode: () => '0xab' }]);
};

/** The update's step requests the cut, which the upgrader's lane sends; the function ends the run. */
const beginCut = async (): Promise<(how: 'completed' | 'failed') => Promise<void>> => {
  await requestUpdate(knex, { ...world, integrationId: null }, null);
  const steps = createDeploymentStore(knex);
  const next = async () => (await steps.nextStep(world.walletId, world.networkId))!;
  for (let step = await next(); step.key !== 'cut'; step = await next()) await steps.completeStep(step);
  const call = { purpose: 'diamond_cut', what: `cut:${hex(32)}`, to: hex(20), data: '0x01' } as const;
  await steps.requestCall(await next(), call);
  // While the cut waits for its turn, for funds or for fees, no create waits.
  expect(await knex('diamonds').where({ updating: true })).toEqual([]);
  await assign(world.upgraderAccountId);
  return async (how) => {
    await knex('tx_intents').where({ purpose: 'diamond_cut' }).update({ state: 'settled', outcome: 'no_effect' });
    if (how === 'failed') return void (await steps.failStep(await next(), { code: 'test', message: 'it failed' }));
    for (let step = await next(); step.key !== 'activate'; step = await next()) await steps.completeStep(step);
    await steps.activateDiamond(await next(), '1.1.0');
  };
};

it.each(['completed', 'failed'] as const)('creates wait until the run is %s, and say so', async (how) => {
  const payment = await created();
  expect(await queued()).toEqual([['create_deal', false]]);
  const end = await beginCut();
  expect(await queued()).toEqual([['create_deal', true]]);
  const [intent] = (await store.queued(lease, 100)) as [QueuedIntent];
  await store.recordWaiting(lease, [intent.id], 'diamond_updating');
  // Payments with this reason are not read again, however many they are.
  expect(await queued()).toEqual([]);
  expect(await rowOf(payment)).toMatchObject({ status: 'pending', status_detail: 'diamond_updating' });
  const later = await created();
  expect(await queued()).toEqual([['create_deal', true]]);

  await end(how);
  expect(await queued()).toEqual([
    ['create_deal', false],
    ['create_deal', false],
  ]);
  for (const own of [payment, later]) expect(await rowOf(own)).toMatchObject({ status_detail: null });
  const told = await knex('payment_waits').where({ payment_id: payment.id }).orderBy('id').pluck('event_type');
  expect(told).toEqual(['waiting_started', 'waiting_ended']);
});

it('cancels and slots go on, and other diamonds are not affected', async () => {
  const [sent, other] = [await created(), await createWorld(knex)];
  const [intent] = await store.queued(lease, 100);
  const plan = { to: hex(20), intents: [intent!], gasLimit: 100_000n, encode: () => '0xab' };
  const [slot] = await store.assign(lease, 0, [plan]);
  await beginCut();
  expect(await store.openSlots(lease)).toMatchObject([{ id: slot!.id }]);
  await knex.transaction((trx) => requestCancel(trx, { paymentId: sent.id, actorId: world.nodeId }));
  await decideCancel(knex, sent.id);
  expect(await queued()).toEqual([['cancel_deal', false]]);

  // One that was never sent is canceled without a transaction, as ever.
  const held = await created();
  await knex.transaction((trx) => requestCancel(trx, { paymentId: held.id, actorId: world.nodeId }));
  await decideCancel(knex, held.id);
  expect(await rowOf(held)).toMatchObject({ status: 'canceled' });

  // The same address on another network is another diamond.
  await knex('diamonds').where({ wallet_id: other.walletId }).update({ address: world.diamondAddress });
  const elsewhere = await createPaymentRow(knex, { ...other, diamondAddress: world.diamondAddress });
  await insertDealIntents(knex, [elsewhere.id]);
  const theirs = await store.acquire(other.operatorAccountId);
  expect(await store.queued(theirs, 100)).toMatchObject([{ purpose: 'create_deal', isHeld: false }]);
});
