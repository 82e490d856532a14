import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { markRestored } from '../../../db/backup/mark.ts';
import { cancelCheckout, endChoices } from '../../../db/checkouts/choose.ts';
import { settleCheckouts } from '../../../db/choices/settle.ts';
import { recordDealEvents } from '../../../db/watcher/events.ts';
import { connect } from '../../../db/connection.ts';
import { distrustRecord } from '../../../db/offers/record.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, type World } from '../../support/fixtures.ts';

/*
 * An order whose second choice waited for its first one when the backup was made. In the lost time the first one ended, and the second
 * one was created, or was offered and shown to its buyer. That offer is valid for up to one and a half windows after the restore.
 */

let knex: Knex;
let world: World;
beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
  world = await createWorld(knex, { signerAddresses: [`0x${'5e'.repeat(20)}`] });
});
afterAll(() => knex.destroy());

const checkoutOf = async (): Promise<string> => {
  const id = randomUUID();
  const expires = Math.floor(Date.now() / 1_000) + 3_600;
  await knex('checkouts').insert({
    id,
    node_id: world.nodeId,
    external_id: id,
    payment_group: 'product',
    status: 'chosen',
    expires_at: new Date(expires * 1_000),
    expires_unix: expires,
  });
  return id;
};

let deals = 0;
const choiceOf = async (checkout: string, choice: number, columns: object): Promise<string> => {
  const { id: like } = await createPaymentRow(knex, world, { dealMode: 'offered' });
  const id = randomUUID();
  const own = {
    id,
    external_id: id,
    deal_id: 2 ** 47 + (deals += 1),
    checkout_id: checkout,
    choice,
    option_index: choice,
    ...columns,
  };
  await knex.raw(
    'INSERT INTO payments SELECT (jsonb_populate_record(p, :own::jsonb)).* FROM payments p WHERE p.id = :like',
    {
      own: JSON.stringify(own),
      like,
    },
  );
  return id;
};

/** As the merchant or the buyer cancels it. @returns its status */
const canceled = async (paymentId: string): Promise<string> => {
  await knex.transaction((trx) => requestCancel(trx, { paymentId, actorId: null }));
  await decideCancel(knex, paymentId);
  return (await knex('payments').where({ id: paymentId }).first()).status as string;
};

it('a choice that waited at the backup counts as revealed until the restore plus a window, like every known payment', async () => {
  const checkout = await checkoutOf();
  const first = await choiceOf(checkout, 1, { status: 'canceling', deal_mode: 'created' });
  const second = await choiceOf(checkout, 2, { is_blocked: true, status_detail: 'former_choice_open' });
  // Any other payment of the backup with an offered deal, whose offers are as unknown.
  const { id: control } = await createPaymentRow(knex, world, { dealMode: 'offered' });

  await knex.transaction((trx) => markRestored(trx, { backupId: null, stateOf: null }));
  expect(await distrustRecord(knex, 900)).toBeGreaterThanOrEqual(2);
  // The watcher reads the cancel of the first one on the chain, which it had in the lost time.
  await knex('payments').where({ id: first }).update({ status: 'canceled', terminal_at: new Date() });
  await knex.transaction((trx) => settleCheckouts(trx, [checkout]));
  expect(await knex('payments').where({ id: second }).first()).toMatchObject({ is_blocked: false, status: 'pending' });

  // Its cancel waits for the end of the offers that a buyer may hold. Otherwise the order is open for a third choice
  // beside it.
  expect({ control: await canceled(control), second: await canceled(second) }).toEqual({
    control: 'canceling',
    second: 'canceling',
  });
});

describe.each(['created', 'offered'])(
  'A choice that waited at the backup, whose deal may be %s since,',
  (deal_mode) => {
    const waiting = async (columns: object = {}): Promise<{ checkout: string; first: string; second: string }> => {
      const checkout = await checkoutOf();
      const first = await choiceOf(checkout, 1, {
        status: 'canceling',
        deal_mode: 'created',
        cancel_requested_at: new Date(),
      });
      const second = await choiceOf(checkout, 2, { is_blocked: true, deal_mode, ...columns });
      await knex('watch_cursors').insert({ network_id: world.networkId }).onConflict('network_id').ignore();
      await knex.transaction((trx) => markRestored(trx, { backupId: null, stateOf: null }));
      await distrustRecord(knex, 900);
      return { checkout, first, second };
    };
    const rowOf = (id: string) => knex('payments').where({ id }).first();

    it('does not end at once with its order', async () => {
      const { checkout, second } = await waiting();
      await knex.transaction((trx) => cancelCheckout(trx, { checkoutId: checkout, actorId: randomUUID() }));
      expect(await rowOf(second)).toMatchObject({ status: 'canceling' });
      await decideCancel(knex, second);
      expect(await rowOf(second)).toMatchObject({ status: 'canceling' });
    });

    it('goes on when its former choice ends, even if the chain had its deal before', async () => {
      const { checkout, first, second } = await waiting({ status: 'awaiting_payment', deal_block_number: 7 });
      await knex('payments').where({ id: first }).update({ status: 'canceled', terminal_at: new Date() });
      await knex.transaction((trx) => settleCheckouts(trx, [checkout]));
      expect(await rowOf(second)).toMatchObject({ is_blocked: false, status: 'awaiting_payment' });
    });

    it('ends with its order where a former choice was paid, because it never went on', async () => {
      const { first, second } = await waiting();
      await knex('payments').where({ id: first }).update({ status: 'completed', terminal_at: new Date() });
      await knex('payments').where({ id: second }).update({ status: 'canceling', cancel_requested_at: new Date() });
      await decideCancel(knex, second);
      expect(await rowOf(second)).toMatchObject({ status: 'canceled' });
    });
  },
);

it('a choice with a created deal that waited at the backup ends once the lost blocks are read', async () => {
  const checkout = await checkoutOf();
  await choiceOf(checkout, 1, { status: 'canceling', deal_mode: 'created', cancel_requested_at: new Date() });
  const second = await choiceOf(checkout, 2, { is_blocked: true, deal_mode: 'created' });
  await knex('watch_cursors').update({ is_behind_restore: false });
  await knex.transaction((trx) => cancelCheckout(trx, { checkoutId: checkout, actorId: randomUUID() }));
  expect(await knex('payments').where({ id: second }).first()).toMatchObject({ status: 'canceled' });
});

it.each(['canceled', 'dropped'])(
  'a deal that appears after its choice was %s is canceled on the chain',
  async (how) => {
    const checkout = await checkoutOf();
    const first = await choiceOf(checkout, 1, {
      status: 'canceling',
      deal_mode: 'created',
      cancel_requested_at: new Date(),
    });
    const second = await choiceOf(checkout, 2, { is_blocked: true, deal_mode: 'created', deal_tx_hash: null });
    await knex('watch_cursors').insert({ network_id: world.networkId }).onConflict('network_id').ignore();
    await knex.transaction((trx) => markRestored(trx, { backupId: null, stateOf: null }));
    // The lost blocks are read; the transaction that created the deal in the lost time is still in the pool.
    await knex('watch_cursors').update({ is_behind_restore: false });
    if (how === 'canceled') await canceled(second);
    // The buyer chooses a third option.
    else
      await knex.transaction(async (trx) =>
        endChoices(
          trx,
          { open: await trx('payments').whereIn('id', [first, second]), on_chain_cancel: false } as never,
          null,
        ),
      );
    const row = await knex('payments').where({ id: second }).first();
    expect(row).toMatchObject({ status: 'canceled' });
    await knex.transaction((trx) =>
      recordDealEvents(trx, world.networkId, [
        {
          kind: 'created',
          diamond: row.diamond_address,
          dealId: BigInt(row.deal_id),
          termsHash: row.terms_hash,
          transactionHash: `0x${'ab'.repeat(32)}`,
          logIndex: 0,
          blockNumber: 9,
          blockHash: `0x${'cd'.repeat(32)}`,
          payer: null,
          token: null,
          payee: null,
          amount: null,
        },
      ]),
    );
    expect((await knex('payments').where({ id: second }).first()).deal_tx_hash).not.toBeNull();
    expect(await knex('tx_intents').where({ payment_id: second, purpose: 'cancel_deal' })).toHaveLength(1);
  },
);
