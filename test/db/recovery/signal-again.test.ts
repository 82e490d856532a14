import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { signalAgain, type RunningWorkflow } from '../../../db/recovery/signal-again.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld } from '../../support/fixtures.ts';

const TRANSITIONS = 5;

const knex = connect((await createTestDatabase()).url, { pool: 4 });
afterAll(() => knex.destroy());

/** Workflows with fifty payments each, as group commit makes them, all of which ended an hour ago. */
const endedPayments = async (workflows: number): Promise<RunningWorkflow[]> => {
  await knex.raw('TRUNCATE payments, outbox CASCADE');
  const first = await createPaymentRow(knex, await createWorld(knex));
  await knex.raw(
    `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', uuidv7(), 'external_id', 'x' || g, 'deal_id', g,
       'status', 'completed', 'sequence', :transitions::int, 'terminal_at', now() - interval '1 hour'))).*
     FROM payments p, generate_series(1, :count::int) g WHERE p.id = :id`,
    { count: workflows * 50, transitions: TRANSITIONS, id: first.id },
  );
  await knex.raw(
    `INSERT INTO payment_logs (payment_id, sequence, event_type, status, message, actor_type)
     SELECT p.id, s, 'payment_created', CASE s WHEN :transitions THEN 'completed' ELSE 'pending' END, 'told', 'chain'
     FROM payments p, generate_series(1, :transitions::int) s WHERE p.status = 'completed'`,
    { transitions: TRANSITIONS },
  );
  await knex('outbox').delete();
  const ids: string[] = await knex('payments').where({ status: 'completed' }).orderBy('id').pluck('id');
  return Array.from({ length: workflows }, (_, n) => ({
    workflowId: `payment/${ids[n * 50]}`,
    paymentIds: ids.slice(n * 50, n * 50 + 50),
  }));
};

/** The signals of each transition to each workflow: the number of different ones, and the most of one. */
const signals = async (): Promise<{ different: number; most: number }> => {
  const { rows } = await knex.raw(
    `SELECT count(*)::int AS different, coalesce(max(times), 0)::int AS most FROM (
       SELECT count(*) AS times FROM outbox WHERE topic = 'payment_signal'
       GROUP BY workflow_id, payment_id, payload ->> 'sequence') AS told`,
  );
  return rows[0];
};

/** The traffic to the database during the work: statements, and the bytes of the largest. */
const watched = async (work: () => Promise<unknown>): Promise<{ statements: number; largest: number }> => {
  const sizes: number[] = [];
  const note = ({ sql, bindings }: Knex.Sql) => sizes.push(sql.length + JSON.stringify(bindings ?? []).length);
  knex.on('query', note);
  await work();
  knex.removeListener('query', note);
  return { statements: sizes.length, largest: Math.max(...sizes) };
};

it('workflows of any number of ended payments get all of their transitions, once', async () => {
  const running = await endedPayments(60);
  expect(await signalAgain(knex, running)).toBe(running.length);
  expect(await signals()).toEqual({ different: 60 * 50 * TRANSITIONS, most: 1 });
  expect(await signalAgain(knex, running)).toBe(0);
  expect(await signals()).toEqual({ different: 60 * 50 * TRANSITIONS, most: 1 });
});

it('twice as many workflows take twice as many statements, none of them larger', async () => {
  const running = await endedPayments(80);
  const some = await watched(() => signalAgain(knex, running));
  await knex('outbox').delete();
  const half = await watched(() => signalAgain(knex, running.slice(0, 40)));
  expect(some.statements).toBeLessThanOrEqual(2 * half.statements);
  expect(some.largest).toBe(half.largest);
  expect(some.largest).toBeLessThan(100_000);
});

it('a pass that fails in the middle is continued from its last part', async () => {
  const running = await endedPayments(60);
  const last = running.at(-1)!.paymentIds[0]!;
  await knex.raw(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the power fails'; END $$`);
  await knex.raw(
    `CREATE TRIGGER fail BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.payment_id = '${last}') EXECUTE FUNCTION fail()`,
  );
  await expect(signalAgain(knex, running)).rejects.toThrow('the power fails');
  const before = await signals();
  expect(before.different).toBeGreaterThan(5_000);
  await knex.raw('DROP FUNCTION fail CASCADE');
  // The first signals may have been delivered before.
  await knex('outbox').where('id', '<', knex('outbox').max('id')).update({ delivered_at: knex.fn.now() });
  await signalAgain(knex, running);
  expect(await signals()).toEqual({ different: 60 * 50 * TRANSITIONS, most: 1 });
});

it('an undelivered signal is not stored again, however old it is', async () => {
  const running = await endedPayments(1);
  await signalAgain(knex, running);
  await knex('outbox').update({ created_at: new Date(Date.now() - 3_600_000) });
  expect(await signalAgain(knex, running)).toBe(0);
  await knex('outbox').update({ delivered_at: new Date(Date.now() - 3_600_000) });
  expect(await signalAgain(knex, running)).toBe(1);
});

it('a workflow whose final signal is under way, or was just delivered, for example after an outage, has lost nothing', async () => {
  const running = await endedPayments(1);
  const [{ workflowId, paymentIds }] = running as [RunningWorkflow];
  await knex('payments').whereIn('id', paymentIds).update({ workflow_id: workflowId });
  // To the workflow of its creation, as a transition writes it.
  await knex('outbox').insert({
    topic: 'payment_signal',
    group_key: 'network',
    payment_id: paymentIds[0],
    payload: { payment_id: paymentIds[0], sequence: TRANSITIONS },
    created_at: new Date(Date.now() - 3_600_000),
  });
  expect(await signalAgain(knex, running)).toBe(0);
  await knex('outbox').update({ delivered_at: knex.fn.now() });
  expect(await signalAgain(knex, running)).toBe(0);
  await knex('outbox').update({ delivered_at: new Date(Date.now() - 3_600_000) });
  expect(await signalAgain(knex, running)).toBe(1);
});
