import type { Knex } from 'knex';
import { measure } from '../../runtime/measures.ts';
import { hasRows, rowOf, rowsOf } from '../query/statements.ts';
import { ownerOf } from './due.ts';

const BATCH = 1_000;

/**
 * Deletes a batch of old events with their deliveries, except events with pending ones; true when there may be more. Rows locked
 * elsewhere, such as by a redelivery, are skipped.
 * @param days for which an event is kept
 */
export const forgetEvents = async (knex: Knex, days: number): Promise<boolean> => {
  // UUIDs of version 7 contain the time, so the primary key finds the oldest.
  const rows = await rowsOf(knex, [days])(`
WITH old AS MATERIALIZED (
  SELECT e.id FROM webhook_events e WHERE e.id < (SELECT uuidv7(make_interval(days => -?::int)))
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = e.id AND d.state = 'pending')
  ORDER BY e.id LIMIT ${BATCH}
), free AS MATERIALIZED (
  SELECT id, event_id FROM webhook_deliveries WHERE event_id = ANY (ARRAY(SELECT id FROM old)) AND state <> 'pending'
  ORDER BY id FOR UPDATE SKIP LOCKED
), over AS MATERIALIZED (
  SELECT o.id FROM old o WHERE NOT EXISTS (
    SELECT 1 FROM webhook_deliveries d WHERE d.event_id = o.id AND d.id NOT IN (SELECT id FROM free))
), events AS (
  DELETE FROM webhook_events WHERE id = ANY (ARRAY(SELECT id FROM over)) RETURNING id
), deliveries AS (
  DELETE FROM webhook_deliveries WHERE event_id = ANY (ARRAY(SELECT id FROM over))
)
SELECT id FROM events`);
  measure('forgotten', { kind: 'events', rows: rows.length });
  return rows.length > 0;
};

/** Most stored deliveries of a node, in any state. */
const MAX_STORED = 1_000_000;
const FORGOTTEN_AT_ONCE = 10_000;

/**
 * Picks the node of a random one of the newest deliveries. A node that stores more is picked more often, and only the picked
 * node's deliveries need counting.
 */
const pickGrowing = async (knex: Knex): Promise<string | null> => {
  const rows = await rowsOf<{ node_id: string | null }>(knex)(`SELECT coalesce(c.node_id, s.node_id) AS node_id FROM (
       SELECT webhook_id FROM (SELECT webhook_id FROM webhook_deliveries ORDER BY id DESC LIMIT 1000) newest
       ORDER BY random() LIMIT 1) one
     JOIN webhook_configurations c ON c.id = one.webhook_id LEFT JOIN wallets s ON s.id = c.wallet_id`);
  return rows[0]?.node_id ?? null;
};

/** SQL: all configurations of a node, deleted ones included. */
const ownOnes = `own AS MATERIALIZED (
  SELECT c.id FROM webhook_configurations c JOIN wallets s ON s.id = c.wallet_id WHERE ${ownerOf} = :node)`;

/**
 * Deletes the oldest deliveries of a picked node that has too many, except pending ones; true when there may be more. Rows locked
 * elsewhere are skipped.
 */
export const forgetBeyond = async (knex: Knex, most = MAX_STORED): Promise<boolean> => {
  const node = await pickGrowing(knex);
  if (node === null) return false;
  const { over } = await rowOf<{ over: number }>(knex, { node, most, limit: most + FORGOTTEN_AT_ONCE })(`WITH ${ownOnes}
     SELECT count(*)::integer - :most AS over FROM (
       SELECT 1 FROM own o CROSS JOIN LATERAL (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = o.id OFFSET 0) d LIMIT :limit) d`);
  if (over <= 0) return false;
  return hasRows(knex, { node, over })(`
WITH ${ownOnes}, oldest AS MATERIALIZED (
  SELECT d.id FROM own o CROSS JOIN LATERAL (
    SELECT d.id, d.created_at FROM webhook_deliveries d WHERE d.webhook_id = o.id AND d.state <> 'pending'
    ORDER BY d.created_at, d.id LIMIT :over) d
  ORDER BY d.created_at, d.id LIMIT :over
), free AS MATERIALIZED (
  SELECT id, event_id FROM webhook_deliveries WHERE id = ANY (ARRAY(SELECT id FROM oldest)) AND state <> 'pending'
  ORDER BY id FOR UPDATE SKIP LOCKED
), unheard AS MATERIALIZED (
  SELECT e.id FROM webhook_events e WHERE e.id = ANY (ARRAY(SELECT event_id FROM free)) AND NOT EXISTS (
    SELECT 1 FROM webhook_deliveries d WHERE d.event_id = e.id AND d.id NOT IN (SELECT id FROM free))
  FOR UPDATE SKIP LOCKED
), events AS (
  DELETE FROM webhook_events WHERE id = ANY (ARRAY(SELECT id FROM unheard))
)
DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(SELECT id FROM free)) RETURNING 1`);
};
