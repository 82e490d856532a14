import type { Knex } from 'knex';
import { operatorWebhookId, type AlertRow, type alertEvents } from '../../domain/alerts/alert.ts';
import { conditionKinds, type Condition } from '../../domain/alerts/condition.ts';
import type { Alert, ConditionAlert, Looked, Observed, RaisedAlert } from '../../domain/ports/alert.ts';
import { execute, plannedRowsOf, rowsOf } from '../query/statements.ts';
import type { Log } from '../../domain/ports/log.ts';
import { logObserved, createObserver, type Observer } from '../../domain/tools/observer.ts';

/**
 * SQL: queues an event with the alert for the operator's webhook, for each row of `changed`. Takes no lock: a configuration
 * that is deleted meanwhile keeps at most one row, which is never sent.
 */
const telling = (event: (typeof alertEvents)[number]): string => `
target AS (SELECT id, is_active FROM webhook_configurations WHERE id = '${operatorWebhookId}' AND deleted_at IS NULL),
events AS (INSERT INTO webhook_events (type, snapshot) SELECT '${event}', to_jsonb(c) FROM changed c, target RETURNING id),
deliveries AS (INSERT INTO webhook_deliveries (webhook_id, event_id, state)
  SELECT t.id, e.id, CASE WHEN t.is_active THEN 'pending' ELSE 'skipped' END FROM events e, target t
  RETURNING pg_notify('carat_webhook', ''))`;

/** SQL of the parts of an alert; what is absent is null. */
export interface AlertSql {
  readonly kind: string;
  /** Of a condition its subject, of an incident what tells it from others of its kind. */
  readonly subject?: string;
  readonly cause?: string;
  readonly network?: string;
  readonly payment?: string;
  readonly node?: string;
  readonly webhook?: string;
  readonly message: string;
  readonly data: string;
  /** The clause that the parts are read from, and conditions. */
  readonly from?: string;
}

/** SQL: the text that no two alerts of an incident, and no two open ones of a condition share, made of SQL of its parts. */
const keyOf = (kind: string, subject: string, cause: string): string =>
  `concat_ws(':', ${kind}, nullif((${subject})::text, ''), nullif((${cause})::text, ''))`;

/** SQL: writes alerts, and returns `kind`, `message`, `data` and `payment_id` of the new ones. */
export const insertAlerts = (alert: AlertSql): string => {
  const {
    kind,
    subject = `''`,
    cause = `''`,
    network = 'NULL',
    payment = 'NULL',
    node = 'NULL',
    webhook = 'NULL',
  } = alert;
  return `
WITH found AS (SELECT ${kind} AS kind, (${subject})::text AS subject, (${cause})::text AS cause, (${network})::uuid AS network_id,
    (${payment})::uuid AS payment_id, (${node})::uuid AS node_id, (${webhook})::uuid AS webhook_id, ${alert.message} AS message, ${alert.data} AS data
  ${alert.from ?? ''}),
changed AS (INSERT INTO alerts (dedupe_key, kind, subject_id, cause, is_condition, network_id, payment_id, node_id, webhook_id, message, data)
  SELECT ${keyOf('kind', 'subject', 'cause')}, kind, subject, cause, kind = ANY('{${conditionKinds.join()}}'), network_id, payment_id, node_id, webhook_id, message, data
  FROM found ON CONFLICT DO NOTHING RETURNING *),
${telling('alert.raised')}
SELECT kind, message, data, payment_id, (SELECT count(*) FROM deliveries) AS told FROM changed`;
};

/** SQL: no condition of this kind, subject and cause is open. Spares a periodic pass the attempt to raise it again. */
export const isNotOpen = (kind: string, subject = `''`, cause = `''`): string =>
  `NOT EXISTS (SELECT 1 FROM alerts a WHERE a.is_condition AND a.closed_at IS NULL AND a.dedupe_key = ${keyOf(kind, subject, cause)})`;

/** Picks the fields of a row that are logged. */
export const toRaised = ({ kind, message, data }: RaisedAlert): RaisedAlert => ({ kind, message, data: data ?? {} });

/** A new alert, with its payment. */
type NewAlert = RaisedAlert & { readonly payment_id: string | null };

/** Runs a statement of `insertAlerts`. */
export const runAlerts = async (knex: Knex, sql: string, bindings: Record<string, unknown>): Promise<NewAlert[]> =>
  (await knex.raw<{ rows: NewAlert[] }>(sql, bindings as Record<string, Knex.Value>)).rows;

const givenAlerts = insertAlerts({
  kind: 'g.kind',
  subject: 'g.subject',
  cause: `coalesce(g.cause, '')`,
  network: ':network_id',
  payment: 'g.payment',
  node: 'coalesce(p.node_id, w.node_id)',
  message: 'g.message',
  data: `coalesce(g.data, '{}')`,
  from: `FROM jsonb_to_recordset(:alerts::jsonb) AS g (kind text, subject text, cause text, message text, data jsonb, payment uuid, diamond text)
    LEFT JOIN payments p ON p.id = g.payment
    LEFT JOIN diamonds d ON d.network_id = :network_id AND d.address = g.diamond
    LEFT JOIN wallets w ON w.id = d.wallet_id`,
});

/** SQL: alert `a` is about the condition in row `c` of a JSON recordset. */
const isSame = `a.dedupe_key = ${keyOf('c.kind', 'c.subject', 'c.cause')}`;

/** Updates the message and data of open conditions, without new events. */
const refreshConditions = (knex: Knex, alerts: readonly Alert[]) =>
  knex.raw(
    `UPDATE alerts a SET message = c.message, data = c.data
     FROM jsonb_to_recordset(:alerts::jsonb) AS c (kind text, subject text, cause text, message text, data jsonb)
     WHERE a.is_condition AND a.closed_at IS NULL AND ${isSame} AND (a.message, a.data) <> (c.message, c.data)`,
    { alerts: JSON.stringify(alerts) },
  );

/**
 * Raises alerts of a network, or of none: an incident once, a condition once while it lasts.
 * @returns the new alerts
 */
export const raiseAlerts = async (
  knex: Knex,
  networkId: string | null,
  alerts: readonly Alert[],
): Promise<RaisedAlert[]> => {
  if (alerts.length === 0) return [];
  const fresh = alerts.filter((alert) => 'refreshes' in alert && alert.refreshes);
  if (fresh.length > 0) await refreshConditions(knex, fresh);
  return (await runAlerts(knex, givenAlerts, { network_id: networkId, alerts: JSON.stringify(alerts) })).map(toRaised);
};

/** SQL: alert `a` is the open one of the condition in the bindings `kind`, `subject` and `cause`. */
const isOf = `a.is_condition AND a.closed_at IS NULL AND a.dedupe_key = ${keyOf(':kind::text', ':subject', ':cause')}`;

const bindingsOf = ({ kind, subject, cause = '' }: Condition) => ({ kind, subject, cause: cause as string });

/** Hands an open condition over to the process that has seen its cause last, so that it does not end with an earlier one. */
export const handOver = async (knex: Knex, condition: Condition, process: string): Promise<void> => {
  await execute(knex, { ...bindingsOf(condition), process })(`
     UPDATE alerts a SET data = a.data || jsonb_build_object('process', :process::text)
     WHERE ${isOf} AND a.data ->> 'process' IS DISTINCT FROM :process`);
};

/**
 * Closes open alerts.
 * @param which SQL condition on `alerts a`
 * @param closedBy the caller who closes them; null when their cause is gone
 * @returns the closed alerts
 */
export const closeAlerts = (
  knex: Knex,
  which: string,
  bindings: Record<string, unknown> = {},
  closedBy: string | null = null,
): Promise<AlertRow[]> =>
  rowsOf<AlertRow & { told: string }>(knex, { ...(bindings as Record<string, Knex.Value>), closed_by: closedBy })(`
     WITH changed AS (UPDATE alerts a SET closed_at = clock_timestamp(), closed_by = :closed_by
       WHERE a.closed_at IS NULL AND ${which} RETURNING a.*),
     ${telling('alert.closed')}
     SELECT *, (SELECT count(*) FROM deliveries) AS told FROM changed`);

/**
 * True while a condition is open, of one kind if it is named. Periodic checks ask this first, because usually none is open, and the
 * search for conditions that are over takes long to plan.
 */
export const hasOpenCondition = async (knex: Knex, kind: AlertRow['kind'] | null = null): Promise<boolean> => {
  const rows = await plannedRowsOf(knex, { kind })(
    `SELECT 1 FROM alerts WHERE is_condition AND closed_at IS NULL AND (:kind::text IS NULL OR kind = :kind::text) LIMIT 1`,
  );
  return rows.length > 0;
};

/** Closes a condition whose cause is gone. A no-op when it is not open. */
export const endCondition = async (knex: Knex, condition: Condition): Promise<RaisedAlert[]> =>
  (await closeAlerts(knex, isOf, bindingsOf(condition))).map(toRaised);

/**
 * Writes what an observer has seen: of the conditions that it has looked at, those in `holding` hold, and all others do not. What it
 * could not look at stays as it is.
 */
export const observe = async (
  knex: Knex,
  looked: Looked,
  holding: readonly ConditionAlert[],
  networkId: string | null = looked.network ?? null,
): Promise<Observed> => {
  const { kind, network = null, subject = null, cause = null, but = [] } = looked;
  // Where one alert follows another, readers see either.
  if (holding.length > 0 && !knex.isTransaction)
    return knex.transaction((trx) => observe(trx, looked, holding, networkId));
  const raised = await raiseAlerts(knex, networkId, holding);
  const over = await closeAlerts(
    knex,
    `a.is_condition AND a.kind = :kind AND a.subject_id <> ALL(:but)
       AND (:network::uuid IS NULL OR a.network_id = :network) AND (:subject::text IS NULL OR a.subject_id = :subject)
       AND (:cause::text IS NULL OR a.cause = :cause)
       AND NOT EXISTS (SELECT 1 FROM jsonb_to_recordset(:holding::jsonb) AS c (kind text, subject text, cause text) WHERE ${isSame})`,
    { kind, network, subject, cause, but, holding: JSON.stringify(holding) },
  );
  return { raised, over: over.map(toRaised) };
};

/** Creates the observer of a process, for conditions of this process. */
export const observerOf = (knex: Knex, log: Log): Observer =>
  createObserver((looked, holding) => observe(knex, looked, holding), { log });

/** Creates the observer of a process for conditions that others observe as well: every observation is written. */
export const sharedObserverOf =
  (knex: Knex, log: Log): Observer =>
  async (looked, holding) =>
    logObserved({ log }, await observe(knex, looked, holding));
