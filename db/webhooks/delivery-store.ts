import type { Knex } from 'knex';
import type { DeliveryStore, EventBody } from '../../domain/ports/deliveries.ts';
import { planned, prepared, type Statement } from '../query/prepared.ts';
import { closePending } from './deliveries.ts';
import { selectDueFirsts, selectDueOf, selectNextDue, selectUntidy } from './due.ts';
import { beginTests, rereadDeliveries } from './in-hand.ts';
import { recordResults } from './record.ts';
import { insertRetryCommands } from './retry-commands.ts';
import { storedEventColumns, toStoredEvent, type EventRow } from './stored-events.ts';

const keepStatement: Statement = {
  name: 'keep_bodies',
  // Deletes the snapshot, which is no longer needed: with both, PostgreSQL would have to compress the row.
  text: `UPDATE webhook_events e SET body = coalesce(e.body, made.body), snapshot = '{}'
    FROM unnest($1::uuid[], $2::text[]) AS made (id, body)
    WHERE e.id = made.id AND e.id = ANY (ARRAY(SELECT id FROM webhook_events WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE))
    RETURNING e.id, nullif(e.body, made.body) AS other`,
};

const readStatement: Statement = {
  name: 'read_bodies',
  text: `SELECT e.id AS event_id, ${storedEventColumns} FROM webhook_events e WHERE e.id = ANY ($1)`,
};

const toBody = (row: EventRow): EventBody => {
  const { event_id: id, body, snapshot } = row;
  return { id, body, readEvent: snapshot === null ? null : () => toStoredEvent(row, snapshot) };
};

/** SQLSTATEs of stored data that cannot be converted or is damaged. */
const unreadable = /^(?:22|XX)/;
const isUnreadable = (error: unknown): boolean => unreadable.test((error as { code?: string }).code ?? '');

/** Reads bodies. A row that fails the statement is found by reading each event alone. */
export const readBodies = (knex: Knex): DeliveryStore['readBodies'] => {
  const read = async (eventIds: readonly string[]): Promise<readonly EventBody[]> =>
    (await prepared<EventRow>(knex, readStatement, [eventIds])).map(toBody);
  const readAlone = (id: string): Promise<readonly EventBody[]> =>
    read([id]).catch((error: unknown) => {
      if (!isUnreadable(error)) throw error;
      const readEvent = (): never => {
        throw error;
      };
      return [{ id, body: null, readEvent }];
    });
  return async (eventIds) => {
    try {
      return await read(eventIds);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const bodies: EventBody[] = [];
      for (const id of eventIds) bodies.push(...(await readAlone(id)));
      return bodies;
    }
  };
};

/** Stores the first rendered body of each event. Later ones, of other processes, are dropped. */
export const keepBodies =
  (knex: Knex): DeliveryStore['keepBodies'] =>
  async (bodies) => {
    const rows = await prepared<{ id: string; other: string | null }>(knex, keepStatement, [
      bodies.map(({ id }) => id),
      bodies.map(({ body }) => body),
    ]);
    const others = new Map(rows.map(({ id, other }) => [id, other]));
    return new Map(bodies.filter(({ id }) => others.has(id)).map(({ id, body }) => [id, others.get(id) ?? body]));
  };

/** Ends pending deliveries of disabled and deleted configurations. */
const tidy =
  (knex: Knex): DeliveryStore['tidy'] =>
  async (overdueMs, signal) => {
    const { closed, overdue } = await selectUntidy(knex, overdueMs);
    for (const id of closed) {
      if (signal?.aborted) break;
      await knex.transaction(async (trx) => {
        // Checks again under the lock, because the configuration may be enabled again by now.
        const { rows } = await trx.raw<{ rows: { is_deleted: boolean }[] }>(
          `SELECT deleted_at IS NOT NULL AS is_deleted FROM webhook_configurations
           WHERE id = ? AND (deleted_at IS NOT NULL OR NOT is_active) FOR NO KEY UPDATE SKIP LOCKED`,
          [id],
        );
        for (const { is_deleted: isDeleted } of rows) await closePending(trx, id, isDeleted ? 'canceled' : 'skipped');
      });
    }
    return overdue;
  };

/** Creates the store of the senders. */
export const createDeliveryStore = (knex: Knex): DeliveryStore => ({
  dueFirsts: selectDueFirsts(knex),
  dueOf: selectDueOf(knex),
  requireWritable: async (webhookId) => {
    await planned(
      knex,
      `UPDATE webhook_deliveries SET due_at = due_at WHERE id IN (
         SELECT id FROM webhook_deliveries WHERE webhook_id = :webhook_id AND state = 'pending' LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)`,
      { webhook_id: webhookId },
    );
  },
  reread: rereadDeliveries(knex),
  beginTests: beginTests(knex),
  nextDueMs: selectNextDue(knex),
  readBodies: readBodies(knex),
  keepBodies: keepBodies(knex),
  record: (results, { wakesRetries }) => recordResults(knex, results, wakesRetries),
  wakeRetries: (webhookIds) => knex.transaction((trx) => insertRetryCommands(trx, webhookIds)),
  tidy: tidy(knex),
});
