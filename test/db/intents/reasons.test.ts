import knexFactory, { type Knex } from 'knex';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { showOffersWait } from '../../../db/intents/waiting.ts';
import { createLaneStore } from '../../../db/lane/store.ts';
import { createWatchStore } from '../../../db/watcher/store.ts';
import { orderedReasons, reasonOrder } from '../../../domain/alerts/waiting.ts';
import type { Lease } from '../../../domain/ports/lease.ts';
import type { WaitingDetail } from '../../../domain/payment.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type PaymentRow, type World } from '../../support/fixtures.ts';

/* Two reasons hold at once: whichever is written first, the payment shows the one that stands first in the table. */

type Write = () => Promise<void>;

let knex: Knex;
let world: World;
let lane: ReturnType<typeof createLaneStore>;
let watch: ReturnType<typeof createWatchStore>;
let lease: Lease;
let reading: Lease;

beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: (await createTestDatabase()).url });
  [lane, watch] = [createLaneStore(knex), createWatchStore(knex)];
  world = await createWorld(knex);
  lease = await lane.acquire(world.operatorAccountId);
  reading = await watch.acquire(world.networkId);
});
afterAll(() => knex.destroy());

const firstOf = (...reasons: readonly string[]): string => reasonOrder.find((reason) => reasons.includes(reason))!;

const detailOf = async ({ id }: PaymentRow): Promise<string | null> =>
  (await knex('payments').where({ id }).first()).status_detail;

/** Writes on a payment without a reason. @returns the reasons that it showed instead of the first of both */
const wrong = async (payment: PaymentRow, [a, b]: readonly [string, string], ...writes: Write[]): Promise<string[]> => {
  await knex('payments').where({ id: payment.id }).update({ status_detail: null });
  for (const write of writes) await write();
  const shown = await detailOf(payment);
  return shown === firstOf(a, b) ? [] : [`${a}, ${b}: ${shown}`];
};

const sentPayment = async () => {
  const payment = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [payment.id]);
  const encode = (): string => '0xab';
  const intents = await lane.queued(lease, 100);
  const [slot] = await lane.assign(lease, 0, [{ to: hex(20), intents, gasLimit: 100_000n, encode }]);
  const show = (reason: WaitingDetail) => () => lane.showOnSlots(lease, reason, [slot!.id]);
  return { payment, show };
};

const showUnread =
  ({ id }: PaymentRow, detail: 'words_unreadable' | 'endpoint_refuses'): Write =>
  () =>
    watch.showUnread(reading, {
      unreadable: detail === 'words_unreadable' ? [id] : [],
      refused: detail === 'endpoint_refuses' ? [id] : [],
    });

it('a payment whose transaction was sent shows the first of any two reasons', async () => {
  const { payment, show } = await sentPayment();
  const failed: string[] = [];
  for (const a of orderedReasons)
    for (const b of orderedReasons) if (a !== b) failed.push(...(await wrong(payment, [a, b], show(a), show(b))));
  expect(failed).toEqual([]);
});

it('a payment that went back shows each reason that stands before that, and no other', async () => {
  const { payment, show } = await sentPayment();
  const back = 'payment_not_borne_out';
  const goesBack = async () => void (await knex('payments').where({ id: payment.id }).update({ status_detail: back }));
  const failed: string[] = [];
  for (const reason of orderedReasons) failed.push(...(await wrong(payment, [back, reason], goesBack, show(reason))));
  expect(failed).toEqual([]);
});

it('why its words are unreadable stands behind what stops the transaction', async () => {
  const { payment, show } = await sentPayment();
  const failed: string[] = [];
  for (const detail of ['words_unreadable', 'endpoint_refuses'] as const)
    for (const reason of orderedReasons) {
      const [one, other] = [show(reason), showUnread(payment, detail)];
      if (reason === 'words_unreadable' || reason === 'endpoint_refuses') continue;
      failed.push(...(await wrong(payment, [reason, detail], one, other)));
      failed.push(...(await wrong(payment, [reason, detail], other, one)));
    }
  expect(failed).toEqual([]);
});

it('an unreachable network takes the place of each later reason, and its end leaves each earlier one', async () => {
  const { payment, show } = await sentPayment();
  const unreachable = 'network_unreachable';
  const failed: string[] = [];
  for (const reason of orderedReasons.filter((one) => one !== unreachable)) {
    const isUnreachable =
      (is: boolean): Write =>
      () =>
        watch.showUnreachable(reading, is);
    failed.push(...(await wrong(payment, [reason, unreachable], show(reason), isUnreachable(true))));
    failed.push(...(await wrong(payment, [reason, unreachable], isUnreachable(true), show(reason))));
    await isUnreachable(false)();
    const left = await detailOf(payment);
    if (left !== (firstOf(reason, unreachable) === reason ? reason : null)) failed.push(`end, ${reason}: ${left}`);
  }
  expect(failed).toEqual([]);
});

it('a payment that awaits its payment shows why it has no offer, or why its words are unreadable, by the same table', async () => {
  await knex('diamonds').where({ wallet_id: world.walletId }).update({ release: '1.3.0' });
  const payment = await createPaymentRow(knex, world, { dealMode: 'offered' });
  await knex('payments').where({ id: payment.id }).update({ status: 'awaiting_payment' });
  const failed: string[] = [];
  for (const detail of ['words_unreadable', 'endpoint_refuses'] as const)
    for (const reason of ['key_missing', 'network_paused', 'signer_revoked', 'signing_stalled'] as const) {
      const [one, other] = [() => showOffersWait(knex, world.networkId, reason), showUnread(payment, detail)];
      failed.push(...(await wrong(payment, [reason, detail], one, other)));
      failed.push(...(await wrong(payment, [reason, detail], other, one)));
    }
  expect(failed).toEqual([]);
});

it("a payment in a lane's queue shows what its lane waits for, whatever stood there", async () => {
  const payment = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [payment.id]);
  const [intent] = await lane.queued(lease, 100);
  for (const stale of ['words_unreadable', 'network_unreachable', 'payment_not_borne_out']) {
    await lane.recordWaiting(lease, [intent!.id], null);
    await knex('payments').where({ id: payment.id }).update({ status_detail: stale });
    await lane.recordWaiting(lease, [intent!.id], 'operator_underfunded');
    expect(await detailOf(payment)).toBe('operator_underfunded');
  }
});
