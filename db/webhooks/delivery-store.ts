import type { Knex } from 'knex';
import type { EventBody } from '../../domain/ports/deliveries.ts';
import { boundTo, executePlanned, prepared, rowsOf, type Statement } from '../query/statements.ts';
import { closePending, insertRetryCommands } from './deliveries.ts';
import { selectDueFirsts, selectDueOf, selectNextDue, selectUntidy, beginTests, rereadDeliveries } from './due.ts';
import { recordResults } from './record.ts';
import { storedEventColumns, toStoredEvent, type EventRow } from './events.ts';

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

const readAll = async (knex: Knex, eventIds: readonly string[]): Promise<readonly EventBody[]> =>
  (await prepared<EventRow>(knex, readStatement, [eventIds])).map(toBody);

const readAlone = (knex: Knex, id: string): Promise<readonly EventBody[]> =>
  readAll(knex, [id]).catch((error: unknown) => {
    if (!isUnreadable(error)) throw error;
    const readEvent = (): never => {
      throw error;
    };
    return [{ id, body: null, readEvent }];
  });

/**
 * Reads the bodies of events, or the stored events while bodies are not rendered. A row that fails the statement is found by reading
 * each event alone.
 */
export const readBodies = async (knex: Knex, eventIds: readonly string[]): Promise<readonly EventBody[]> => {
  try {
    return await readAll(knex, eventIds);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const bodies: EventBody[] = [];
    for (const id of eventIds) bodies.push(...(await readAlone(knex, id)));
    return bodies;
  }
};

/** Stores the first rendered body of each event. Later ones, of other processes, are dropped. @returns the stored bodies by event id */
export const keepBodies = async (
  knex: Knex,
  bodies: readonly { readonly id: string; readonly body: string }[],
): Promise<ReadonlyMap<string, string>> => {
  const values = [bodies.map(({ id }) => id), bodies.map(({ body }) => body)];
  const rows = await prepared<{ id: string; other: string | null }>(knex, keepStatement, values);
  const others = new Map(rows.map(({ id, other }) => [id, other]));
  return new Map(bodies.filter(({ id }) => others.has(id)).map(({ id, body }) => [id, others.get(id) ?? body]));
};

/** Writes a row of a configuration's deliveries without a change. @throws Error while the database refuses writes */
const requireWritable = async (knex: Knex, webhookId: string): Promise<void> => {
  await executePlanned(knex, { webhook_id: webhookId })(`
     UPDATE webhook_deliveries SET due_at = due_at WHERE id IN (
       SELECT id FROM webhook_deliveries WHERE webhook_id = :webhook_id AND state = 'pending' LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)`);
};

/** Starts or wakes the retry workflows of failing configurations. */
const wakeRetries = (knex: Knex, webhookIds: readonly string[]): Promise<void> =>
  knex.transaction((trx) => insertRetryCommands(trx, webhookIds));

/**
 * Ends pending deliveries of disabled and deleted configurations; of a long backlog only a part.
 * @param signal stops the cleanup before the next configuration
 * @returns the configurations whose retries are overdue by more than `overdueMs`
 */
const tidy = async (knex: Knex, overdueMs: number, signal?: AbortSignal): Promise<readonly string[]> => {
  const { closed, overdue } = await selectUntidy(knex, overdueMs);
  for (const id of closed) {
    if (signal?.aborted) break;
    await knex.transaction(async (trx) => {
      // Checks again under the lock, because the configuration may be enabled again by now.
      const rows = await rowsOf<{ is_deleted: boolean }>(trx, [id])(`
         SELECT deleted_at IS NOT NULL AS is_deleted FROM webhook_configurations
         WHERE id = ? AND (deleted_at IS NOT NULL OR NOT is_active) FOR NO KEY UPDATE SKIP LOCKED`);
      for (const { is_deleted: isDeleted } of rows) await closePending(trx, id, isDeleted ? 'canceled' : 'skipped');
    });
  }
  return overdue;
};

/** Creates the store of deliveries. Without claims: a delivery is due until its result is recorded, so each is sent at least once. */
export const createDeliveryStore = (knex: Knex) =>
  boundTo(knex, {
    dueFirsts: selectDueFirsts,
    dueOf: selectDueOf,
    requireWritable,
    reread: rereadDeliveries,
    beginTests,
    nextDueMs: selectNextDue,
    readBodies,
    keepBodies,
    record: recordResults,
    wakeRetries,
    tidy,
  });

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;
