import type { Knex } from 'knex';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { endCondition, insertAlerts, runAlerts, toRaised } from './alerts.ts';

const keyOf = (process: string): string => `notifications_missing:${process}`;

const missing = insertAlerts(`
SELECT :key::text AS key, 'notifications_missing' AS kind, NULL::uuid AS network_id, NULL::uuid AS payment_id, NULL::uuid AS node_id,
  NULL::uuid AS webhook_id, 'PostgreSQL''s notifications do not reach the api ' || :process::text AS message,
  jsonb_build_object('process', :process::text) AS data`);

/** Raises the alert that notifications do not reach an api process, once while that lasts. */
export const raiseOfDeafness = async (knex: Knex, process: string): Promise<RaisedAlert[]> =>
  (await runAlerts(knex, missing, { key: keyOf(process), process })).map(toRaised);

/** Closes that alert. A no-op when it is not open. */
export const endOfDeafness = (knex: Knex, process: string): Promise<RaisedAlert[]> =>
  endCondition(knex, keyOf(process));
