import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { startAgain } from '../../../db/recovery/start-again.ts';
import { workflowIds } from '../../../domain/workflow-ids.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, type PaymentRow } from '../../support/fixtures.ts';

const knex = connect((await createTestDatabase()).url, { pool: 4 });
afterAll(() => knex.destroy());

/** As if each command of the payment had been delivered so many seconds ago. */
const deliver = ({ id }: PaymentRow, secondsAgo: number) =>
  knex.raw(
    `UPDATE outbox SET delivered_at = clock_timestamp() - :seconds * interval '1 second' WHERE payment_id = :id`,
    { id, seconds: secondsAgo },
  );

it('a payment whose running workflow is never listed is commanded less and less often', async () => {
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

it('a workflow started after the request for the list does not count as lost, however long the list takes', async () => {
  const payment = await createPaymentRow(knex, await createWorld(knex));
  await knex('payments').where({ id: payment.id }).update({ workflow_id: 'late' });
  await knex('payment_followers').insert({ payment_id: payment.id, workflow_id: `payment/${payment.id}/cancel/2` });
  const command = { topic: 'command', group_key: 'x', payment_id: payment.id, payload: {} };
  await knex('outbox').insert({ ...command, workflow_id: `payment/${payment.id}/cancel/2` });
  const listed = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1_000);
  const others: string[] = await knex('payments')
    .whereNot({ id: payment.id })
    .whereNotNull('workflow_id')
    .pluck('workflow_id');
  await deliver(payment, 30);
  expect(await startAgain(knex, others, listed(60))).toBe(0);
  expect(await startAgain(knex, others, listed(25))).toBe(0);
  expect(await startAgain(knex, others, listed(10))).toBe(2);
});

it('only commands of a lost workflow itself put off its next start, however many others its payment has', async () => {
  await knex.raw('TRUNCATE payments, outbox CASCADE');
  const world = await createWorld(knex);
  const payment = await createPaymentRow(knex, world);
  const workflows = ['create', 'cancel/2', 'retry/3'].map((name) => `payment/${payment.id}/${name}`);
  const [create, cancel, retry] = workflows as [string, string, string];
  await knex('payments').where({ id: payment.id }).update({ workflow_id: create });
  await knex('payment_followers').insert(
    [cancel, retry].map((workflow) => ({ payment_id: payment.id, workflow_id: workflow })),
  );
  const commands = () => knex('outbox').whereNot({ topic: 'payment_signal' }).whereNull('delivered_at');
  const row = { group_key: 'x', payment_id: payment.id, payload: {} };
  for (const lost of workflows) {
    await knex('outbox').delete();
    const others = workflows.filter((workflow) => workflow !== lost);
    await knex('outbox').insert([
      // Signals of each workflow wait or have just been delivered, and so have the commands of the others.
      ...workflows.map((workflow) => ({ ...row, topic: 'payment_signal', workflow_id: workflow })),
      ...workflows.map((workflow) => ({
        ...row,
        topic: 'payment_signal',
        workflow_id: workflow,
        delivered_at: knex.fn.now(),
      })),
      ...others.map((workflow) => ({
        ...row,
        topic: workflow === create ? 'create_payment' : 'command',
        workflow_id: workflow,
        delivered_at: knex.fn.now(),
      })),
    ]);
    expect([lost, await startAgain(knex, others)]).toEqual([lost, 1]);
    expect(await commands().pluck('workflow_id')).toEqual([lost]);
  }
});

/** Open payments, deployments and retries of a merchant, none of which a workflow follows. */
const lostOnes = async (count: number): Promise<void> => {
  await knex.raw('TRUNCATE payments, deployments, outbox CASCADE');
  const world = await createWorld(knex);
  const { id } = await createPaymentRow(knex, world);
  await knex('payments').where({ id }).update({ workflow_id: 'payment/first' });
  await knex.raw(
    `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', uuidv7(), 'external_id', 'x' || g,
       'deal_id', g, 'workflow_id', 'payment/' || (g / 50)))).* FROM payments p, generate_series(2, :count::int) g WHERE p.id = :id`,
    { count, id },
  );
  await knex.raw(
    `INSERT INTO payment_followers (payment_id, workflow_id) SELECT id, 'payment/' || id || '/retry/2' FROM payments`,
  );
  await knex.raw(
    `INSERT INTO wallets SELECT (jsonb_populate_record(w, jsonb_build_object('id', uuidv7(), 'address', '0x' || lpad(to_hex(g), 40, '0')))).*
     FROM wallets w, generate_series(1, :count::int) g WHERE w.id = :wallet`,
    { count, wallet: world.walletId },
  );
  await knex.raw(
    `INSERT INTO deployments (wallet_id, network_id, kind, updated_at)
     SELECT id, ?, 'deploy', clock_timestamp() - interval '1 minute' FROM wallets WHERE node_id = ? AND id <> ?`,
    [world.networkId, world.nodeId, world.walletId],
  );
  await knex('outbox').delete();
};

it('lost workflows are commanded once, even after a failure in the middle', async () => {
  await lostOnes(2_500);
  const last = await knex('payments')
    .orderBy([{ column: 'node_id' }, { column: 'id', order: 'desc' }])
    .first('id');
  await knex.raw(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the power fails'; END $$`);
  await knex.raw(
    `CREATE TRIGGER fail BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.payment_id = '${last.id}') EXECUTE FUNCTION fail()`,
  );
  await expect(startAgain(knex, [])).rejects.toThrow('the power fails');
  const before = (await knex('outbox')).length;
  expect(before).toBeGreaterThan(1_900);
  await knex.raw('DROP FUNCTION fail CASCADE');
  expect(await startAgain(knex, [])).toBe(7_500 - before);
  expect(await startAgain(knex, [])).toBe(0);
  const rows = await knex('outbox').select('topic', 'payment_id', 'workflow_id');
  const names = rows.map((row) => `${row.topic} ${row.payment_id} ${row.workflow_id}`);
  expect([rows.length, new Set(names).size]).toEqual([7_500, 7_500]);

  // Temporal may not list a workflow yet that was started a moment ago.
  await knex('outbox').delete();
  const [fresh] = await knex('deployments').orderBy('id').limit(1);
  await knex('deployments')
    .where({ id: fresh.id })
    .update({ updated_at: knex.raw('clock_timestamp()') });
  await startAgain(knex, []);
  const told = await knex('outbox').whereLike('workflow_id', 'diamond/%').pluck('workflow_id');
  expect(told).toHaveLength(2_499);
  expect(told).not.toContain(workflowIds.diamond(fresh.wallet_id, fresh.network_id));
});

it('no page of lost payments hides older payments of another merchant', async () => {
  await lostOnes(1_500);
  const { node_id: first } = await knex('payments').first('node_id');
  let other = await createWorld(knex);
  // Pages are in the order of the nodes.
  while (other.nodeId < first) other = await createWorld(knex);
  const older = await createPaymentRow(knex, other);
  await knex('payments')
    .where({ id: older.id })
    .update({ workflow_id: 'payment/older', created_at: knex.raw("created_at - interval '1 day'") });
  await knex('outbox').delete();
  await startAgain(knex, []);
  expect(await knex('outbox').where({ payment_id: older.id }).pluck('workflow_id')).toEqual(['payment/older']);
});

it('any number of running workflows cost no write', async () => {
  await lostOnes(2_500);
  const ids: string[] = [
    ...(await knex('payments').pluck('workflow_id')),
    ...(await knex('payment_followers').pluck('workflow_id')),
    ...(await knex('deployments')).map((row) => workflowIds.diamond(row.wallet_id, row.network_id)),
  ];
  const written: string[] = [];
  const note = ({ sql }: Knex.Sql) => written.push(...(sql.includes('INSERT') ? [sql] : []));
  knex.on('query', note);
  expect(await startAgain(knex, ids)).toBe(0);
  knex.removeListener('query', note);
  expect(written).toEqual([]);
});
