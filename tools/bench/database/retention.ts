import { setTimeout as delay } from 'node:timers/promises';
import { forgetAnswers } from '../../../db/audit/audited-transaction.ts';
import { forgetDelivered } from '../../../db/outbox/outbox.ts';
import { createRetention } from '../../../db/retention/passes.ts';
import { forgetEvents } from '../../../db/webhooks/forget.ts';
import { createPaymentRow, createWorld } from '../../../test/support/fixtures.ts';
import { quantile } from '../interleave.ts';
import { startBenchDatabase } from './server.ts';

/*
 * npm run bench:retention [-- ROWS]
 *
 * The deletion of rows that are old enough, from tables of a million rows of which nine of ten are old, beside a writer. Method and
 * figures: tools/bench/README.md.
 */

const rows = Number(process.argv[2] ?? 1_000_000);
/** Milliseconds between two writes into the same table. */
const WRITE_EVERY_MS = 20;

const { knex, stop } = await startBenchDatabase(4);
const chores = createRetention(knex, { alerts: 30, clientIps: 30, logs: 30, offers: 30 });

/** SQL: an id of row `g`; nine of ten are of 40 to 400 days ago, the rest of the last days. */
const id = `uuidv7(CASE WHEN g <= :rows * 0.9 THEN interval '-400 days' + g * interval '360 days' / (:rows * 0.9)
  ELSE interval '-3 days' + (g - :rows * 0.9) * interval '3 days' / (:rows * 0.1) END)`;
const series = 'generate_series(1, :rows::int) g';
const age = `(now() - CASE WHEN g <= :rows * 0.9 THEN interval '40 days' ELSE interval '1 minute' END)`;

const world = await createWorld(knex);
const { id: payment } = await createPaymentRow(knex, world);
await knex('payments')
  .where({ id: payment })
  .update({ status: 'expired', terminal_at: knex.raw(`now() - interval '40 days'`) });

interface Table {
  readonly name: string;
  readonly fill: string;
  readonly write: string;
  readonly forget: () => Promise<boolean>;
}

const tables: readonly Table[] = [
  {
    name: 'webhook_events and webhook_deliveries',
    fill: `WITH e AS (INSERT INTO webhook_events (id, type, snapshot, body) SELECT ${id}, 'payment.ready', '{}', repeat('x', 1500) FROM ${series} RETURNING id)
      INSERT INTO webhook_deliveries (webhook_id, event_id, state, attempts, delivered_at) SELECT uuidv7(), id, 'delivered', 1, now() FROM e`,
    write: `INSERT INTO webhook_events (type, snapshot) VALUES ('payment.ready', '{}')`,
    forget: () => forgetEvents(knex, 30),
  },
  {
    name: 'idempotency_keys',
    fill: `INSERT INTO idempotency_keys (actor_id, target, key, request_hash, status, encrypted_answer, created_at)
      SELECT 'actor', 'POST /api/v1/payments', g::text, sha256('x'), 201, decode(repeat('ab', 1500), 'hex'), ${age} FROM ${series}`,
    write: `INSERT INTO idempotency_keys (actor_id, target, key, request_hash, status, encrypted_answer)
      VALUES ('actor', 'new', gen_random_uuid()::text, sha256('x'), 201, 'x')`,
    forget: () => forgetAnswers(knex, 30),
  },
  {
    name: 'outbox',
    fill: `INSERT INTO outbox (topic, group_key, payment_id, payload, delivered_at)
      SELECT 'payment_signal', '${world.networkId}', '${payment}', '{}', ${age} FROM ${series}`,
    write: `INSERT INTO outbox (topic, group_key, payment_id, payload, delivered_at)
      VALUES ('payment_signal', '${world.networkId}', '${payment}', '{}', now())`,
    forget: () => forgetDelivered(knex, 30),
  },
  {
    name: 'payment_waits',
    fill: `INSERT INTO payment_waits (id, payment_id, event_type, reason, created_at)
      SELECT ${id}, '${payment}', 'waiting_started', 'diamond_missing', now() FROM ${series}`,
    write: `INSERT INTO payment_waits (payment_id, event_type, reason, created_at)
      VALUES ('${payment}', 'waiting_started', 'diamond_missing', now())`,
    forget: () => chores.old_payment_waits!(),
  },
  {
    name: 'alerts',
    fill: `INSERT INTO alerts (id, dedupe_key, kind, message, data, closed_at)
      SELECT ${id}, g::text, 'paid_late', 'x', '{}', ${age} FROM ${series}`,
    write: `INSERT INTO alerts (dedupe_key, kind, message, data) VALUES (gen_random_uuid()::text, 'paid_late', 'x', '{}')`,
    forget: () => chores.old_alerts!(),
  },
  {
    name: 'payments (client_ip)',
    fill: `INSERT INTO payments SELECT c.* FROM (SELECT * FROM payments WHERE id = '${payment}') one CROSS JOIN ${series}
      CROSS JOIN LATERAL jsonb_populate_record(one::payments, jsonb_build_object('id', ${id}, 'external_id', g::text, 'deal_id', g,
        'client_ip', '192.0.2.' || g % 250)) c`,
    write: `UPDATE payments SET metadata = gen_random_uuid()::text WHERE id = '${payment}'`,
    forget: () => chores.old_client_ips!(),
  },
];

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

/** Writes at a constant rate until the signal. @returns the milliseconds of each write */
const write = async (sql: string, signal: AbortSignal): Promise<number[]> => {
  const times: number[] = [];
  while (!signal.aborted) {
    times.push(await timed(() => knex.raw(sql)));
    await delay(WRITE_EVERY_MS);
  }
  return times;
};

const text = (times: readonly number[]): string =>
  `${quantile(times, 0.5).toFixed(1)} (${quantile(times, 0.99).toFixed(1)}, ${Math.max(...times).toFixed(1)})`;

console.log(
  '| table | parts | part, ms: median (99 %, most) | rows a second | write alone, ms | write beside it, ms |',
);
console.log('|---|---|---|---|---|---|');
for (const { name, fill, write: sql, forget } of tables) {
  await knex.raw(fill, { rows });
  await knex.raw('VACUUM ANALYZE');
  const alone = new AbortController();
  const before = write(sql, alone.signal);
  await delay(3_000);
  alone.abort();
  const undisturbed = await before;
  const beside = new AbortController();
  const during = write(sql, beside.signal);
  const parts: number[] = [];
  let mayBeMore = true;
  while (mayBeMore) parts.push(await timed(async () => (mayBeMore = await forget())));
  beside.abort();
  const total = parts.reduce((sum, ms) => sum + ms, 0);
  const each = ((rows * 0.9) / total) * 1_000;
  console.log(
    `| ${name} | ${parts.length} | ${text(parts)} | ${each.toFixed(0)} | ${text(undisturbed)} | ${text(await during)} |`,
  );
}
await stop();
