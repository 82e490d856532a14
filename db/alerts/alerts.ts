import type { Knex } from 'knex';
import { conditionKinds, operatorWebhookId, type AlertRow, type alertEvents } from '../../domain/alert.ts';
import type { Alert, RaisedAlert } from '../../domain/ports/alert.ts';
import { planned } from '../query/prepared.ts';

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

/**
 * SQL: writes alerts, and returns `kind`, `message`, `data` and `payment_id` of the new ones.
 * @param rows SQL of `key, kind, network_id, payment_id, node_id, webhook_id, message, data`
 */
export const insertAlerts = (rows: string): string => `
WITH found AS (${rows}),
changed AS (INSERT INTO alerts (dedupe_key, kind, is_condition, network_id, payment_id, node_id, webhook_id, message, data)
  SELECT key, kind, kind = ANY('{${conditionKinds.join()}}'), network_id, payment_id, node_id, webhook_id, message, data FROM found
  ON CONFLICT DO NOTHING RETURNING *),
${telling('alert.raised')}
SELECT kind, message, data, payment_id, (SELECT count(*) FROM deliveries) AS told FROM changed`;

/** Picks the fields of a row that are logged. */
export const toRaised = ({ kind, message, data }: RaisedAlert): RaisedAlert => ({ kind, message, data: data ?? {} });

/** A new alert, with its payment. */
type NewAlert = RaisedAlert & { readonly payment_id: string | null };

/** Runs a statement of `insertAlerts`. */
export const runAlerts = async (knex: Knex, sql: string, bindings: Record<string, unknown>): Promise<NewAlert[]> =>
  (await knex.raw<{ rows: NewAlert[] }>(sql, bindings as Record<string, Knex.Value>)).rows;

const givenAlerts = insertAlerts(`
SELECT a.key, a.kind, CAST(:network_id AS uuid) AS network_id, a.payment AS payment_id, coalesce(p.node_id, w.node_id) AS node_id,
  NULL::uuid AS webhook_id, a.message, coalesce(a.data, '{}') AS data
FROM jsonb_to_recordset(:alerts::jsonb) AS a (key text, kind text, message text, data jsonb, payment uuid, diamond text)
LEFT JOIN payments p ON p.id = a.payment
LEFT JOIN diamonds d ON d.network_id = :network_id AND d.address = a.diamond
LEFT JOIN wallets w ON w.id = d.wallet_id`);

/** Updates the message and data of open conditions, without new events. */
const refreshConditions = (knex: Knex, alerts: readonly Alert[]) =>
  knex.raw(
    `UPDATE alerts a SET message = n.message, data = n.data
     FROM jsonb_to_recordset(:alerts::jsonb) AS n (key text, message text, data jsonb)
     WHERE a.is_condition AND a.closed_at IS NULL AND a.dedupe_key = n.key AND (a.message, a.data) <> (n.message, n.data)`,
    { alerts: JSON.stringify(alerts) },
  );

/** Writes alerts, and closes the condition that the last one ends, if any. */
const raisePart = async (knex: Knex, networkId: string | null, alerts: readonly Alert[]): Promise<RaisedAlert[]> => {
  const bindings = { network_id: networkId, alerts: JSON.stringify(alerts) };
  const fresh = alerts.filter(({ refreshes }) => refreshes);
  if (fresh.length > 0) await refreshConditions(knex, fresh);
  const raised = await runAlerts(knex, givenAlerts, bindings);
  const ended = alerts.at(-1)?.ends;
  if (ended !== undefined) await closeAlerts(knex, 'a.is_condition AND a.dedupe_key = :key', { key: ended });
  return raised.map(toRaised);
};

/**
 * Raises alerts of a network, or of none: an incident once, a condition once while it lasts.
 * @returns the new alerts
 */
export const raiseAlerts = async (
  knex: Knex,
  networkId: string | null,
  alerts: readonly Alert[],
): Promise<RaisedAlert[]> => {
  const raised: RaisedAlert[] = [];
  for (let from = 0; from < alerts.length;) {
    const last = alerts.findIndex(({ ends }, index) => index >= from && ends !== undefined);
    const to = last === -1 ? alerts.length : last + 1;
    raised.push(...(await raisePart(knex, networkId, alerts.slice(from, to))));
    from = to;
  }
  return raised;
};

/** Hands an open condition over to the process that has seen its cause last, so that it does not end with an earlier one. */
export const handOver = async (knex: Knex, key: string, process: string): Promise<void> => {
  await knex.raw(
    `UPDATE alerts SET data = data || jsonb_build_object('process', :process::text)
     WHERE is_condition AND closed_at IS NULL AND dedupe_key = :key AND data ->> 'process' IS DISTINCT FROM :process`,
    { key, process },
  );
};

/**
 * Closes open alerts.
 * @param which SQL condition on `alerts a`
 * @param closedBy the caller who closes them; null when their cause is gone
 * @returns the closed alerts
 */
export const closeAlerts = async (
  knex: Knex,
  which: string,
  bindings: Record<string, unknown> = {},
  closedBy: string | null = null,
): Promise<AlertRow[]> => {
  const { rows } = await knex.raw<{ rows: (AlertRow & { told: string })[] }>(
    `WITH changed AS (UPDATE alerts a SET closed_at = clock_timestamp(), closed_by = :closed_by
       WHERE a.closed_at IS NULL AND ${which} RETURNING a.*),
     ${telling('alert.closed')}
     SELECT *, (SELECT count(*) FROM deliveries) AS told FROM changed`,
    { ...(bindings as Record<string, Knex.Value>), closed_by: closedBy },
  );
  return rows;
};

/**
 * True while a condition is open, of one kind if it is named. Periodic checks ask this first, because usually none is open, and the
 * search for conditions that are over takes long to plan.
 */
export const hasOpenCondition = async (knex: Knex, kind: AlertRow['kind'] | null = null): Promise<boolean> => {
  const { rows } = await planned<{ rows: unknown[] }>(
    knex,
    `SELECT 1 FROM alerts WHERE is_condition AND closed_at IS NULL AND (:kind::text IS NULL OR kind = :kind::text) LIMIT 1`,
    { kind },
  );
  return rows.length > 0;
};

/** Closes a condition whose cause is gone. A no-op when it is not open. */
export const endCondition = async (knex: Knex, key: string): Promise<RaisedAlert[]> =>
  (await closeAlerts(knex, 'a.is_condition AND a.dedupe_key = :key', { key })).map(toRaised);
