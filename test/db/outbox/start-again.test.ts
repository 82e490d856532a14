import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { startAgain } from '../../../db/outbox/start-again.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, type PaymentRow } from '../../support/fixtures.ts';

let knex: Knex;
beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
});
afterAll(() => knex.destroy());

/** As if each command of the payment had been delivered so many seconds ago. */
const deliver = ({ id }: PaymentRow, secondsAgo: number) =>
  knex.raw(
    `UPDATE outbox SET delivered_at = clock_timestamp() - :seconds * interval '1 second' WHERE payment_id = :id`,
    { id, seconds: secondsAgo },
  );

it('a payment whose workflow is never listed, though it runs, is commanded less and less often', async () => {
  const payment = await createPaymentRow(knex, await createWorld(knex));
  await knex('payments').where({ id: payment.id }).update({ workflow_id: 'one' });
  await deliver(payment, 9);
  expect(await startAgain(knex, [])).toBe(0);
  for (const seconds of [10, 40, 160, 640]) {
    await deliver(payment, seconds - 2);
    expect([seconds, await startAgain(knex, [])]).toEqual([seconds, 0]);
    await deliver(payment, seconds + 2);
    expect([seconds, await startAgain(knex, ['one'])]).toEqual([seconds, 0]);
    expect([seconds, await startAgain(knex, [])]).toEqual([seconds, 1]);
    expect([seconds, await startAgain(knex, [])]).toEqual([seconds, 0]);
  }
});
