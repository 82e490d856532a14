import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { markRestored } from '../../../db/backup/mark.ts';
import { settleOrders } from '../../../db/choices/settle.ts';
import { connect } from '../../../db/connection.ts';
import { distrustRecord } from '../../../db/offers/record.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, type World } from '../../support/fixtures.ts';

/*
 * An order whose second choice waited for its first one when the backup was made. In the lost time the first one ended, and the second
 * one was offered and shown to its buyer. That offer is valid for up to one and a half windows after the restore.
 */

let knex: Knex;
let world: World;
beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
  world = await createWorld(knex, { signerAddresses: [`0x${'5e'.repeat(20)}`] });
});
afterAll(() => knex.destroy());

const orderOf = async (): Promise<string> => {
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

const choiceOf = async (order: string, choice: number, columns: object): Promise<string> => {
  const { id: like } = await createPaymentRow(knex, world, { dealMode: 'offered' });
  const id = randomUUID();
  const own = {
    id,
    external_id: id,
    deal_id: 2 ** 47 + choice,
    checkout_id: order,
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

it('a choice that waited at the backup counts as revealed until the restore plus a window, as every known payment does', async () => {
  const order = await orderOf();
  const first = await choiceOf(order, 1, { status: 'canceling', deal_mode: 'created' });
  const second = await choiceOf(order, 2, { is_blocked: true, status_detail: 'former_choice_open' });
  // Any other payment of the backup with an offered deal, of which nobody knows either.
  const { id: control } = await createPaymentRow(knex, world, { dealMode: 'offered' });

  await knex.transaction((trx) => markRestored(trx, { backupId: null, stateOf: null }));
  expect(await distrustRecord(knex, 900)).toBeGreaterThanOrEqual(2);
  // The watcher reads the cancel of the first one on the chain, which it had in the lost time.
  await knex('payments').where({ id: first }).update({ status: 'canceled', terminal_at: new Date() });
  await knex.transaction((trx) => settleOrders(trx, [order]));
  expect(await knex('payments').where({ id: second }).first()).toMatchObject({ is_blocked: false, status: 'pending' });

  // Its cancel has to wait for the end of what a buyer may hold. Else the order is open for a third choice beside it.
  expect({ control: await canceled(control), second: await canceled(second) }).toEqual({
    control: 'canceling',
    second: 'canceling',
  });
});
