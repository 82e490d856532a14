import type { Knex } from 'knex';
import type { Alert, RaisedAlert } from '../../domain/ports/alert.ts';

/**
 * Writes what an operator must look at on a network; once per key.
 * @returns those that are new
 */
export const raiseAlerts = async (knex: Knex, networkId: string, alerts: readonly Alert[]): Promise<RaisedAlert[]> => {
  if (alerts.length === 0) return [];
  const { rows } = await knex.raw<{ rows: RaisedAlert[] }>(
    `INSERT INTO alerts (dedupe_key, kind, network_id, message, data)
     SELECT key, kind, :network_id, message, coalesce(data, '{}')
     FROM jsonb_to_recordset(:alerts::jsonb) AS a (key text, kind text, message text, data jsonb)
     ON CONFLICT (dedupe_key) DO NOTHING RETURNING kind, message, data`,
    { network_id: networkId, alerts: JSON.stringify(alerts) },
  );
  return rows;
};
