import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { endChoices } from '../../../db/checkouts/choose.ts';
import { expireCheckouts } from '../../../db/checkouts/expire.ts';
import { lockCheckout } from '../../../db/checkouts/lock.ts';
import { lockCheckouts, lockWithCheckouts, settleCheckouts, moveCheckouts } from '../../../db/choices/settle.ts';
import { connect } from '../../../db/connection.ts';
import { insertDealIntents, wantDealsAgain } from '../../../db/intents/deals.ts';
import { nextEnd } from '../../../db/intents/conditions.ts';
import { distrustRecord } from '../../../db/offers/record.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { decideCancel, endUnseen } from '../../../db/payments/cancel.ts';
import { checkoutTransitions, type CheckoutTransitionName } from '../../../domain/checkouts/checkout.ts';
import { isTerminal, type DealMode, type PaymentStatus } from '../../../domain/payment.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../../support/fixtures.ts';

/*
 * The refusals of the database, whichever code runs, and the effect of the end of payments on their order. Each
 * condition is tested alone, because the code elsewhere checks the same conditions first.
 */

let knex: Knex;
let world: World;
let signer: string;
beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 10 });
  world = await createWorld(knex, { signerAddresses: [`0x${'5e'.repeat(20)}`] });
  [signer] = (await knex('signer_accounts').where({ role: 'signer' }).pluck('id')) as [string];
});
afterAll(() => knex.destroy());

interface OrderOptions {
  readonly isCancelRequested?: boolean;
  readonly hasPassed?: boolean;
  readonly status?: 'open' | 'chosen';
}

const checkoutOf = async ({ isCancelRequested, hasPassed, status = 'chosen' }: OrderOptions = {}): Promise<string> => {
  const id = randomUUID();
  const expires = Math.floor(Date.now() / 1_000) + (hasPassed ? -60 : 3_600);
  await knex('checkouts').insert({
    id,
    node_id: world.nodeId,
    external_id: id,
    payment_group: 'product',
    status,
    cancel_requested_at: isCancelRequested ? new Date() : null,
    expires_at: new Date(expires * 1_000),
    expires_unix: expires,
  });
  return id;
};

interface ChoiceOptions {
  readonly status?: PaymentStatus;
  readonly isBlocked?: boolean;
  readonly dealMode?: DealMode;
  readonly trx?: Knex;
  /** More columns. */
  readonly columns?: Readonly<Record<string, unknown>>;
}

let deals = 2 ** 47;

/** Stores a payment of an order, like another payment of the same world. @returns its id */
const choiceOf = async (
  checkout: string | null,
  choice: number | null,
  options: ChoiceOptions = {},
): Promise<string> => {
  const { status = 'pending', isBlocked = false, dealMode = 'created', trx = knex, columns = {} } = options;
  const { id: like } = await createPaymentRow(knex, world, { dealMode });
  const id = randomUUID();
  deals += 1;
  const own = {
    id,
    external_id: id,
    deal_id: deals,
    checkout_id: checkout,
    choice,
    option_index: choice,
    is_blocked: isBlocked,
    status,
    status_detail: isBlocked ? 'former_choice_open' : null,
    terminal_at: isTerminal(status) ? new Date() : null,
    ...columns,
  };
  await trx.raw(
    'INSERT INTO payments SELECT (jsonb_populate_record(p, :own::jsonb)).* FROM payments p WHERE p.id = :like',
    { own: JSON.stringify(own), like },
  );
  return id;
};

const wantOffers = (payment_id: string) =>
  knex('offer_ends')
    .insert({ payment_id, network_id: world.networkId, wanted_until: knex.raw(nextEnd) })
    .onConflict('payment_id')
    .ignore();

const someoneWaits = (): Promise<boolean> =>
  eventually(async () => {
    const here = { datname: knex.raw('current_database()'), wait_event_type: 'Lock' };
    return (await knex('pg_stat_activity').where(here)).length > 0;
  });

const settle = (checkout: string): Promise<string[]> => knex.transaction((trx) => settleCheckouts(trx, [checkout]));
const statusOf = async (checkout: string): Promise<string> =>
  (await knex('checkouts').where({ id: checkout }).first()).status;
const rowOf = (payment: string) => knex('payments').where({ id: payment }).first();
const isStarted = async (payment: string): Promise<boolean> =>
  (await knex('outbox').where({ payment_id: payment, topic: 'create_payment' })).length === 1;

describe('The database refuses', () => {
  it('a second payable payment of an order, and two that wait no longer', async () => {
    const checkout = await checkoutOf();
    await choiceOf(checkout, 1, { status: 'canceling' });
    await expect(choiceOf(checkout, 2)).rejects.toThrow('payments_one_payable');
    const waiting = await choiceOf(checkout, 2, { isBlocked: true });
    await expect(knex('payments').where({ id: waiting }).update({ is_blocked: false })).rejects.toThrow(
      'payments_one_payable',
    );
  });

  it('two payments of one choice', async () => {
    const checkout = await checkoutOf();
    await choiceOf(checkout, 1, { status: 'canceled' });
    await expect(choiceOf(checkout, 1)).rejects.toThrow('payments_choices');
  });

  it.each<[string, object]>([
    ['waits again', { is_blocked: true }],
    ['is of another choice', { choice: 4 }],
    ['is of another option', { option_index: 4 }],
    ['is of no order', { checkout_id: null, choice: null, option_index: null }],
  ])('a payment that %s', async (_name, change) => {
    const payment = await choiceOf(await checkoutOf(), 1);
    await expect(knex('payments').where({ id: payment }).update(change)).rejects.toThrow('never changes');
  });

  it('the deal and the offers of a waiting payment', async () => {
    const checkout = await checkoutOf();
    const first = await choiceOf(checkout, 1, { dealMode: 'offered' });
    const waiting = await choiceOf(checkout, 2, { isBlocked: true, dealMode: 'offered' });
    const offer = (payment_id: string) =>
      knex('offers').insert({ payment_id, valid_until: 1, account_id: signer, encrypted: Buffer.from('x') });
    await expect(offer(waiting)).rejects.toThrow('waits for a former choice');
    await offer(first);
    await expect(knex('offers').where({ payment_id: first }).update({ payment_id: waiting })).rejects.toThrow(
      'waits for a former choice',
    );
    const create = { idempotency_key: randomUUID(), account_id: world.operatorAccountId, purpose: 'create_deal' };
    await expect(knex('tx_intents').insert({ ...create, payment_id: waiting })).rejects.toThrow(
      'waits for a former choice',
    );
    await knex('tx_intents').insert({ ...create, payment_id: first });
  });

  it('a waiting payment without an order, and half a choice', async () => {
    await expect(choiceOf(null, null, { isBlocked: true })).rejects.toThrow('payments_choice');
    const checkout = await checkoutOf();
    for (const columns of [{ choice: null }, { option_index: null }, { checkout_id: null }])
      await expect(choiceOf(checkout, 1, { columns })).rejects.toThrow('payments_choice');
  });
});

describe('A choice that waits', () => {
  it.each<PaymentStatus>(['pending', 'awaiting_payment', 'processing', 'canceling'])(
    'goes on waiting while a former payment is %s',
    async (status) => {
      const checkout = await checkoutOf();
      await choiceOf(checkout, 1, { status });
      const waiting = await choiceOf(checkout, 2, { isBlocked: true });
      expect(await settle(checkout)).toEqual([]);
      expect(await rowOf(waiting)).toMatchObject({ is_blocked: true, status_detail: 'former_choice_open' });
      expect([await statusOf(checkout), await isStarted(waiting)]).toEqual(['chosen', false]);
    },
  );

  it('is to be canceled once a former payment completes, and never goes on', async () => {
    const checkout = await checkoutOf();
    await choiceOf(checkout, 1, { status: 'completed' });
    const waiting = await choiceOf(checkout, 2, { isBlocked: true });
    expect(await settle(checkout)).toEqual([waiting]);
    expect(await rowOf(waiting)).toMatchObject({ is_blocked: true });
    expect([await statusOf(checkout), await isStarted(waiting)]).toEqual(['completed', false]);
  });

  it.each<[PaymentStatus, DealMode]>([
    ['canceled', 'created'],
    ['failed', 'created'],
    ['canceled', 'offered'],
  ])('goes on, once, after every former payment has ended: %s, %s', async (status, dealMode) => {
    const checkout = await checkoutOf();
    await choiceOf(checkout, 1, { status });
    const dropped = await choiceOf(checkout, 2, { isBlocked: true, status: 'canceled' });
    const waiting = await choiceOf(checkout, 3, { isBlocked: true, dealMode });
    for (let times = 0; times < 2; times += 1) expect(await settle(checkout)).toEqual([]);
    expect(await rowOf(waiting)).toMatchObject({ is_blocked: false, status: 'pending', status_detail: null });
    expect(await isStarted(waiting)).toBe(true);
    expect(await knex('offer_ends').where({ payment_id: waiting })).toHaveLength(dealMode === 'offered' ? 1 : 0);
    expect([(await rowOf(dropped)).is_blocked, await isStarted(dropped)]).toEqual([true, false]);
    expect(await statusOf(checkout)).toBe('chosen');
  });

  it('is neither created nor offered, by a first request, a retry or a word', async () => {
    const store = createOfferStore(knex, { encrypt: () => Buffer.from('x'), decrypt: () => '0x' });
    const wanted = async () => (await store.wanted(world.networkId, 1_000)).map(({ paymentId }) => paymentId);
    for (const dealMode of ['created', 'offered'] as const) {
      const checkout = await checkoutOf();
      const first = await choiceOf(checkout, 1, { status: 'canceling' });
      const waiting = await choiceOf(checkout, 2, { isBlocked: true, dealMode });
      // Nothing writes this row while it waits, and the row alone would request offers.
      await wantOffers(waiting);
      await insertDealIntents(knex, [waiting]);
      for (const isAsked of [true, false]) await knex.transaction((trx) => wantDealsAgain(trx, [waiting], isAsked));
      expect(await knex('tx_intents').where({ payment_id: waiting })).toEqual([]);
      expect(await wanted()).not.toContain(waiting);
      await knex('payments').where({ id: first }).update({ status: 'canceled', terminal_at: new Date() });
      await settle(checkout);
      await insertDealIntents(knex, [waiting]);
      const isOffered = dealMode === 'offered';
      expect((await wanted()).includes(waiting)).toBe(isOffered);
      expect(await knex('tx_intents').where({ payment_id: waiting })).toHaveLength(isOffered ? 0 : 1);
    }
  });

  it('stays as it is once it has ended itself', async () => {
    const checkout = await checkoutOf();
    await choiceOf(checkout, 1, { status: 'canceled' });
    const dropped = await choiceOf(checkout, 2, { isBlocked: true, status: 'canceled' });
    await settle(checkout);
    expect([(await rowOf(dropped)).is_blocked, await isStarted(dropped), await statusOf(checkout)]).toEqual([
      true,
      false,
      'open',
    ]);
  });

  it('is canceled without a transaction, whatever the record of offers', async () => {
    await knex('offer_windows').update({ database: 'another' });
    const checkout = await checkoutOf();
    await choiceOf(checkout, 1, { status: 'canceling' });
    const waiting = await choiceOf(checkout, 2, { isBlocked: true, status: 'canceling', dealMode: 'offered' });
    await decideCancel(knex, waiting);
    expect(await rowOf(waiting)).toMatchObject({ status: 'canceled', is_blocked: true });
    expect(await statusOf(checkout)).toBe('chosen');
    await distrustRecord(knex, 60);
  });

  it('is canceled before the former choice, whose end would let it go on', async () => {
    const checkout = await checkoutOf();
    const former = await choiceOf(checkout, 1);
    const waiting = await choiceOf(checkout, 2, { isBlocked: true });
    await knex.transaction(async (trx) => endChoices(trx, (await lockCheckout(trx, checkout))!, null));
    const rows = [await rowOf(former), await rowOf(waiting)];
    expect(rows.map(({ status, is_blocked }) => [status, is_blocked])).toEqual([
      ['canceled', false],
      ['canceled', true],
    ]);
    expect([await isStarted(waiting), await statusOf(checkout)]).toEqual([false, 'open']);
  });

  it('says that its diamond is missing where that is so', async () => {
    const checkout = await checkoutOf();
    const waiting = await choiceOf(checkout, 1, {
      isBlocked: true,
      columns: { diamond_address: `0x${'11'.repeat(20)}` },
    });
    await settle(checkout);
    expect(await rowOf(waiting)).toMatchObject({ is_blocked: false, status_detail: 'diamond_missing' });
  });
});

const all = { isCancelRequested: true, hasPassed: true };

describe('The end of payments', () => {
  it.each<[string, OrderOptions, PaymentStatus[], string]>([
    ['all unpaid', {}, ['canceled', 'failed'], 'open'],
    ['one is open', {}, ['failed', 'canceling'], 'chosen'],
    ['one is open, a cancel is accepted', { isCancelRequested: true }, ['canceled', 'canceling'], 'chosen'],
    ['all unpaid, a cancel is accepted', { isCancelRequested: true }, ['canceled'], 'canceled'],
    ['one is open, the expiry has passed', { hasPassed: true }, ['canceled', 'canceling'], 'chosen'],
    ['all unpaid, the expiry has passed', { hasPassed: true }, ['canceled'], 'expired'],
    ['one has expired by its chain', {}, ['canceled', 'expired'], 'expired'],
    ['one has expired by its chain, one is open', {}, ['expired', 'canceling'], 'chosen'],
    ['a cancel comes before an expiry', all, ['expired'], 'canceled'],
    ['one is completed', {}, ['completed', 'canceled'], 'completed'],
    ['one is completed, one is open', {}, ['completed', 'canceling'], 'completed'],
    ['one is completed, a cancel is accepted and the expiry has passed', all, ['completed', 'expired'], 'completed'],
  ])('moves the order: %s', async (_name, options, statuses, expected) => {
    const checkout = await checkoutOf(options);
    for (const [index, status] of statuses.entries()) await choiceOf(checkout, index + 1, { status });
    for (let times = 0; times < 2; times += 1) {
      await settle(checkout);
      expect(await statusOf(checkout)).toBe(expected);
    }
  });

  it('leaves a paid order unchanged, and one with an open payment, when orders expire', async () => {
    const [paid, open, over] = [
      await checkoutOf(all),
      await checkoutOf({ hasPassed: true }),
      await checkoutOf({ hasPassed: true }),
    ];
    await choiceOf(paid, 1, { status: 'completed' });
    await choiceOf(open, 1, { status: 'canceling' });
    await choiceOf(over, 1, { status: 'canceled' });
    await expireCheckouts(knex);
    expect([await statusOf(paid), await statusOf(open), await statusOf(over)]).toEqual(['chosen', 'chosen', 'expired']);
  });
});

describe('A former payment ends at once', () => {
  beforeAll(() => distrustRecord(knex, 60));

  const endsAtOnce = async (dealMode: DealMode, change: (id: string) => PromiseLike<unknown>): Promise<boolean> => {
    const former = await choiceOf(await checkoutOf(), 1, { dealMode, status: 'canceling' });
    await wantOffers(former);
    await change(former);
    await knex.transaction((trx) => endUnseen(trx, former));
    return (await rowOf(former)).status === 'canceled';
  };
  const onChain = (id: string) =>
    knex('payments')
      .where({ id })
      .update({ deal_block_number: 1, deal_block_hash: `0x${'ab'.repeat(32)}`, deal_tx_hash: `0x${'cd'.repeat(32)}` });

  it('only where its create was in no slot, and the chain has no trace of it', async () => {
    expect(await endsAtOnce('created', (id) => insertDealIntents(knex, [id]))).toBe(true);
    expect(await endsAtOnce('created', onChain)).toBe(false);
  });

  it('only where none of its offers was revealed, by a complete record, and the chain has no trace of it', async () => {
    const nothing = (): Promise<void> => Promise.resolve();
    expect(await endsAtOnce('offered', nothing)).toBe(true);
    expect(await endsAtOnce('offered', onChain)).toBe(false);
    const reveal = (id: string) => knex('offer_ends').where({ payment_id: id }).update({ revealed_until: 1 });
    expect(await endsAtOnce('offered', reveal)).toBe(false);
    await knex('offer_windows').update({ database: 'another' });
    expect(await endsAtOnce('offered', nothing)).toBe(false);
    await distrustRecord(knex, 60);
  });
});

describe('Locks', () => {
  const isLocked = (payment: string): Promise<boolean> =>
    knex.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: unknown[] }>(
        'SELECT 1 FROM payments WHERE id = ? FOR NO KEY UPDATE SKIP LOCKED',
        [payment],
      );
      return rows.length === 0;
    });

  it('of a payment are those of the open payments of its order', async () => {
    const checkout = await checkoutOf();
    const first = await choiceOf(checkout, 1);
    const waiting = await choiceOf(checkout, 2, { isBlocked: true });
    const other = await choiceOf(await checkoutOf(), 1);
    await knex.transaction(async (trx) => {
      await lockWithCheckouts(trx, [first]);
      expect(await Promise.all([first, waiting, other].map(isLocked))).toEqual([true, true, false]);
    });
  });

  it('of an order are those of its open payments, and of one that is chosen meanwhile', async () => {
    const checkout = await checkoutOf();
    const first = await choiceOf(checkout, 1);
    const choosing = await knex.transaction();
    await lockCheckouts(choosing, [checkout]);
    const locked = knex.transaction(async (trx) => {
      const open = (await lockCheckout(trx, checkout))?.open.map(({ id }) => id);
      return { open, areLocked: await Promise.all((open ?? []).map(isLocked)) };
    });
    await someoneWaits();
    const second = await choiceOf(checkout, 2, { isBlocked: true, trx: choosing });
    await choosing.commit();
    expect(await locked).toEqual({ open: [first, second], areLocked: [true, true] });
  });
});

describe('An order', () => {
  const taken = (name: CheckoutTransitionName, checkout: string) =>
    knex.transaction(async (trx) => (await moveCheckouts(trx, name, [checkout])).length === 1);

  it.each<[string, OrderOptions, boolean]>([
    ['open', { status: 'open' }, true],
    ['chosen', {}, true],
    ['being canceled', { isCancelRequested: true }, false],
    ['past its expiry', { hasPassed: true }, false],
  ])('that is %s takes a choice: %j, %s', async (_name, options, isTaken) => {
    expect(await taken('option_chosen', await checkoutOf(options))).toBe(isTaken);
  });

  it('that has ended takes no transition', async () => {
    for (const status of ['completed', 'expired', 'canceled']) {
      const checkout = await checkoutOf(all);
      await choiceOf(checkout, 1, { status: 'completed' });
      await knex('checkouts').where({ id: checkout }).update({ status, terminal_at: new Date() });
      for (const name of Object.keys(checkoutTransitions) as CheckoutTransitionName[])
        expect(await taken(name, checkout)).toBe(false);
    }
  });

  it('that is paid completes, and takes no other transition', async () => {
    const checkout = await checkoutOf(all);
    await choiceOf(checkout, 1, { status: 'completed' });
    for (const name of ['checkout_canceled', 'checkout_expired', 'choice_ended'] as const)
      expect(await taken(name, checkout)).toBe(false);
    expect(await taken('checkout_completed', checkout)).toBe(true);
  });

  it('whose last two payments end at once is open again', async () => {
    const checkout = await checkoutOf();
    const first = await choiceOf(checkout, 1, { status: 'canceling' });
    const waiting = await choiceOf(checkout, 2, { isBlocked: true });
    const end = async (trx: Knex.Transaction, id: string): Promise<void> => {
      await trx('payments').where({ id }).update({ status: 'canceled', terminal_at: new Date() });
      await settleCheckouts(trx, [checkout]);
    };
    const earlier = await knex.transaction();
    await end(earlier, waiting);
    const later = knex.transaction((trx) => end(trx, first));
    // It waits for the other one, which neither sees.
    await someoneWaits();
    await earlier.commit();
    await later;
    expect(await statusOf(checkout)).toBe('open');
  });
});
