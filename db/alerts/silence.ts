import type { Knex } from 'knex';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { newestAnswer } from '../processes/processes.ts';
import { insertAlerts, runAlerts, toRaised } from './alerts.ts';

/** SQL: the newest of these times is older than so many seconds, or there is none. */
const isOlder = (newest: string): string =>
  `coalesce((${newest}), '-infinity') < clock_timestamp() - make_interval(secs => v.seconds)`;

/** Also of workers that were told to stop: others take their place in a moment, and nobody needs to hear of it. */
const newestBeat = `SELECT max(p.beat_at) FROM processes p WHERE p.kind = 'worker'`;

const silence = insertAlerts(`
SELECT v.kind AS key, v.kind, NULL::uuid AS network_id, NULL::uuid AS payment_id, NULL::uuid AS node_id,
  NULL::uuid AS webhook_id, v.message, jsonb_build_object('seconds', v.seconds) AS data
FROM (VALUES
  ('workers_gone', 'No worker has shown a sign of life for ' || :seconds::int || ' seconds', :seconds::int),
  ('temporal_unreachable', 'Temporal has not answered for ' || :seconds::int || ' seconds', :seconds::int)
) AS v (kind, message, seconds)
WHERE CASE v.kind WHEN 'workers_gone' THEN ${isOlder(newestBeat)} ELSE ${isOlder(newestAnswer('v.seconds'))} END
  AND NOT EXISTS (SELECT 1 FROM alerts a WHERE a.is_condition AND a.closed_at IS NULL AND a.dedupe_key = v.kind)`);

/**
 * Raises an alert where no worker has shown a sign of life for so long, and where Temporal has answered nobody. The caller has
 * watched for as long itself: after an outage of the database, nobody's signs are fresh.
 */
export const raiseOfSilence = async (knex: Knex, seconds: number): Promise<RaisedAlert[]> =>
  (await runAlerts(knex, silence, { seconds })).map(toRaised);
