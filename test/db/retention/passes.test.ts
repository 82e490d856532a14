import { randomUUID } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { createRetention } from '../../../db/retention/passes.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';

const kept = { alerts: 30, clientIps: 30, logs: 30, offers: 30 };
const tables = ['alerts', 'offer_ends', 'payment_waits', 'tx_slot_logs'] as const;
/** Records of money, which no age deletes. */
const records = [
  'payments',
  'payment_logs',
  'payment_items',
  'tx_slots',
  'tx_attempts',
  'tx_intents',
  'audit_log',
  'payouts',
];

let knex: Knex;
let world: World;
let chores: ReturnType<typeof createRetention>;

beforeEach(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url, pool: { min: 0, max: 8 } });
  world = await createWorld(knex);
  chores = createRetention(knex, kept);
});
afterEach(() => knex.destroy());

const runAll = async (): Promise<void> => {
  for (const chore of Object.values(chores)) while (await chore());
};

/** An id as of so many days ago. */
const idOf = async (days: number): Promise<string> =>
  (await knex.raw<{ rows: { id: string }[] }>('SELECT uuidv7(make_interval(days => ?)) AS id', [-days])).rows[0]!.id;

/** A payment with its offers, waiting reason and an address, made so many days ago; it ended `ended` days ago. */
const paymentOf = async (made: number, ended: number | null): Promise<string> => {
  const { id: template } = await createPaymentRow(knex, world);
  const id = await idOf(made);
  await knex.raw(
    `INSERT INTO payments SELECT c.* FROM payments p CROSS JOIN LATERAL jsonb_populate_record(p, jsonb_build_object(
       'id', :id::text, 'external_id', :id::text, 'deal_id', p.deal_id + 1, 'client_ip', '192.0.2.7', 'deal_mode', 'offered',
       'status', CASE WHEN :ended::int IS NULL THEN 'pending' ELSE 'expired' END,
       'terminal_at', now() - make_interval(days => :ended::int))) c WHERE p.id = :template`,
    { id, ended, template },
  );
  await knex('offer_ends').insert({ payment_id: id, network_id: world.networkId, wanted_until: 1 });
  await knex('payment_waits').insert({
    id: await idOf(made),
    payment_id: id,
    event_type: 'waiting_started',
    reason: 'diamond_missing',
    created_at: new Date(),
  });
  return id;
};

const transactionOf = async (made: number, confirmed: number | null): Promise<string> => {
  const [slot] = await knex('tx_slots')
    .insert({
      account_id: world.operatorAccountId,
      nonce: made,
      to_address: hex(20),
      data: Buffer.alloc(0),
      gas_limit: 1,
      state: confirmed === null ? 'signed' : 'confirmed',
      block_number: confirmed === null ? null : 1,
      confirmed_at: confirmed === null ? null : knex.raw('now() - make_interval(days => ?)', [confirmed]),
    })
    .returning<{ id: string }[]>('id');
  const { id } = slot!;
  await knex('tx_slot_logs').insert({ id: await idOf(made), slot_id: id, event_type: 'transaction_sent', data: '{}' });
  return id;
};

const alertOf = async (made: number, closed: number | null): Promise<string> => {
  const id = await idOf(made);
  const closed_at = closed === null ? null : knex.raw('now() - make_interval(days => ?)', [closed]);
  await knex('alerts').insert({ id, dedupe_key: id, kind: 'paid_late', message: 'x', data: '{}', closed_at });
  return id;
};

const counts = async (names: readonly string[]): Promise<Record<string, number>> =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await knex(name)).length] as const)));

it('a pass deletes rows that ended long ago, and no open rows, recent rows or records of money', async () => {
  const [old, open, late] = [await paymentOf(100, 31), await paymentOf(100, null), await paymentOf(100, 29)];
  const young = await paymentOf(29, 1);
  const [slot, ...liveSlots] = [
    await transactionOf(90, 40),
    await transactionOf(91, null),
    await transactionOf(92, 10),
  ];
  const [alert, ...liveAlerts] = [await alertOf(90, 40), await alertOf(91, null), await alertOf(92, 10)];
  const before = await counts(records);
  await runAll();
  await runAll();
  const left = new Set([open, late, young]);
  expect(new Set(await knex('offer_ends').pluck<string[]>('payment_id'))).toEqual(left);
  expect(new Set(await knex('payment_waits').pluck<string[]>('payment_id'))).toEqual(left);
  expect(new Set(await knex('tx_slot_logs').pluck<string[]>('slot_id'))).toEqual(new Set(liveSlots));
  expect(new Set(await knex('alerts').pluck<string[]>('id'))).toEqual(new Set(liveAlerts));
  expect(await knex('payments').whereNotNull('client_ip').pluck('id')).toEqual([young]);
  expect([old, slot, alert].every(Boolean)).toBe(true);
  expect(await counts(records)).toEqual(before);
});

it('a pass comes back later to rows that were open at first', async () => {
  const open = await paymentOf(100, null);
  await runAll();
  expect(await counts(['offer_ends', 'payment_waits'])).toEqual({ offer_ends: 1, payment_waits: 1 });
  await knex.raw(`UPDATE payments SET status = 'canceled', terminal_at = now() - interval '31 days' WHERE id = ?`, [
    open,
  ]);
  await runAll();
  expect(await counts(['offer_ends', 'payment_waits'])).toEqual({ offer_ends: 0, payment_waits: 0 });
});

/** Alerts that were closed long ago. */
const storeAlerts = (count: number) =>
  knex.raw(
    `INSERT INTO alerts (id, dedupe_key, kind, message, data, closed_at)
     SELECT uuidv7(make_interval(days => -100, secs => n)), n::text, 'paid_late', 'x', '{}', now() - interval '90 days'
     FROM generate_series(1, ?) n`,
    [count],
  );

it('parts are deleted once each, however many processes delete', async () => {
  await storeAlerts(9_000);
  const deleted: number[] = [];
  const work = async (): Promise<void> => {
    for (;;) {
      const before = (await counts(['alerts'])).alerts!;
      const mayBeMore = await chores.old_alerts!();
      deleted.push(before - (await counts(['alerts'])).alerts!);
      if (!mayBeMore && before === 0) return;
    }
  };
  expect(await chores.old_alerts!()).toBe(true);
  expect(await counts(['alerts'])).toEqual({ alerts: 7_000 });
  await Promise.all([work(), work(), work()]);
  expect(await counts(['alerts'])).toEqual({ alerts: 0 });
});

it('a process that dies has deleted a part or nothing of it, and the next one goes on', async () => {
  await storeAlerts(3_000);
  const holder = await knex.transaction();
  await holder.raw('SELECT id FROM alerts ORDER BY id DESC OFFSET 1500 LIMIT 1 FOR UPDATE');
  const dying = chores.old_alerts!();
  const failed = expect(dying).rejects.toThrow(/terminat/i);
  await eventually(async () => {
    const { rows } = await knex.raw<{ rows: { pid: number }[] }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%DELETE FROM alerts%'`,
    );
    for (const { pid } of rows) await knex.raw('SELECT pg_terminate_backend(?)', [pid]);
    return rows.length > 0;
  });
  await failed;
  expect(await counts(['alerts'])).toEqual({ alerts: 3_000 });
  await holder.rollback();
  await runAll();
  expect(await counts(['alerts'])).toEqual({ alerts: 0 });
});

it('a part is left to the process that deletes it, and blocks no writer', async () => {
  await storeAlerts(10);
  const busy = await knex.transaction();
  await busy('retention').where({ kind: 'alerts' }).forUpdate();
  expect(await chores.old_alerts!()).toBe(false);
  expect(await counts(['alerts'])).toEqual({ alerts: 10 });
  await busy.rollback();
  const writer = await knex.transaction();
  await writer('alerts').insert({ dedupe_key: randomUUID(), kind: 'paid_late', message: 'x', data: '{}' });
  await runAll();
  await writer.commit();
  expect(await counts(tables)).toEqual({ alerts: 1, offer_ends: 0, payment_waits: 0, tx_slot_logs: 0 });
});

/** One connection, whose counters are written out when asked for. */
const withOneConnection = (): void => {
  const { connection } = knex.client.config as { connection: string };
  const one = knexFactory({ client: 'pg', connection, pool: { min: 1, max: 1 } });
  knex = one;
  chores = createRetention(one, kept);
};

it('a pass reads a bounded number of rows, all of them old, however many there are', async () => {
  await knex.destroy();
  withOneConnection();
  await storeAlerts(20_000);
  await knex.raw(
    `INSERT INTO alerts (dedupe_key, kind, message, data) SELECT 'young' || n, 'paid_late', 'x', '{}' FROM generate_series(1, 20000) n`,
  );
  await knex.raw('ANALYZE alerts');
  const read = async (): Promise<number> => {
    await knex.raw('SELECT pg_stat_force_next_flush()');
    const { rows } = await knex.raw<{ rows: { read: string }[] }>(
      `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_user_tables WHERE relname = 'alerts'`,
    );
    return Number(rows[0]!.read);
  };
  const before = await read();
  await chores.old_alerts!();
  expect((await read()) - before).toBeLessThanOrEqual(3 * 2_000);
});
