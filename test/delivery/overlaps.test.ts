import { requestCancel } from '../../db/payments/cancel.ts';
import { move, startDelivering } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { createWebhookRow } from '../support/webhooks.ts';

/* Decisions that are carried out at a later moment. */

const { knex, delivering } = await startDelivering();
let world: World;
let receiver: Receiver;

beforeEach(async () => {
  world = await createWorld(knex);
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

const event = async (of: World): Promise<void> => void (await move(knex, (await createPaymentRow(knex, of)).id));
/** The database processes that block each waiting one. */
const waiting = async (): Promise<number[][]> => {
  const { rows } = await knex.raw<{ rows: { pids: number[] }[] }>(
    `SELECT pg_blocking_pids(pid) AS pids FROM pg_stat_activity
     WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return rows.map(({ pids }) => pids);
};
const configuration = (id: string) => knex('webhook_configurations').where({ id });

/** A disabled configuration with a pending delivery, whose row is locked for now. */
const leaveUntidy = async (of: World) => {
  const id = await createWebhookRow(knex, of, receiver.origin);
  await event(of);
  await configuration(id).update({ is_active: false });
  const holder = await knex.transaction();
  await holder('webhook_deliveries').where({ webhook_id: id }).forUpdate();
  const { rows } = await holder.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid');
  return { of, id, holder, pid: rows[0]!.pid };
};

it('a webhook enabled again while another one is tidied gets the events from then on', async () => {
  const untidy = [await leaveUntidy(world), await leaveUntidy(await createWorld(knex))];
  const tidying = delivering.store.tidy(60_000);
  const first = await eventually(async () => {
    const blocking = (await waiting()).flat();
    return untidy.find(({ pid }) => blocking.includes(pid));
  });
  const second = untidy.find((one) => one !== first)!;
  await second.holder.rollback();
  await configuration(second.id).update({ is_active: true });
  await event(second.of);
  await first.holder.rollback();
  await tidying;
  expect((await delivering.states(second.id)).at(-1)).toBe('pending');
});

it('a webhook enabled again while a cancel waits for its payment gets the event of the cancel', async () => {
  const { id: paymentId } = await createPaymentRow(knex, world);
  const options = { events: ['payment.cancel_requested'], isActive: false };
  const id = await createWebhookRow(knex, world, receiver.origin, options);
  const holder = await knex.transaction();
  await holder('payments').where({ id: paymentId }).forUpdate();
  const canceling = knex.transaction((trx) => requestCancel(trx, { paymentId, actorId: 'of a test' }));
  await eventually(async () => (await waiting()).length > 0);
  await configuration(id).update({ is_active: true });
  await holder.rollback();
  expect([await canceling, await delivering.states(id)]).toEqual(['accepted', ['pending']]);
});
