import type { Knex } from 'knex';
import type { DeliveryStore } from '../../domain/ports/deliveries.ts';
import { closePending } from './deliveries.ts';
import { selectDueFirsts, selectDueOf, selectEvents, selectNextDue, selectUntidy } from './due.ts';
import { recordResults } from './record.ts';
import { insertRetryCommands } from './retry-commands.ts';

/** Keeps the first body that was made of each event, whoever made it. */
const keepBodies =
  (knex: Knex): DeliveryStore['keepBodies'] =>
  async (bodies) => {
    const { rows } = await knex.raw<{ rows: { id: string; body: string }[] }>(
      `UPDATE webhook_events e SET body = coalesce(e.body, made.body)
       FROM jsonb_to_recordset(?::jsonb) AS made (id uuid, body text) WHERE e.id = made.id RETURNING e.id, e.body`,
      [JSON.stringify([...bodies].sort((a, b) => (a.id < b.id ? -1 : 1)))],
    );
    return new Map(rows.map(({ id, body }) => [id, body]));
  };

/** Closes what the race between an event and the end of its configuration has left pending. */
const tidy =
  (knex: Knex): DeliveryStore['tidy'] =>
  async (overdueMs) => {
    const { closed, overdue } = await selectUntidy(knex, overdueMs);
    for (const { id, is_deleted: isDeleted } of closed) {
      await knex.transaction(async (trx) => {
        await trx.raw('SELECT 1 FROM webhook_configurations WHERE id = ? FOR NO KEY UPDATE', [id]);
        await closePending(trx, id, isDeleted ? 'canceled' : 'skipped');
      });
    }
    return overdue;
  };

/** What senders see of the database. */
export const createDeliveryStore = (knex: Knex): DeliveryStore => ({
  dueFirsts: selectDueFirsts(knex),
  dueOf: selectDueOf(knex),
  nextDueMs: selectNextDue(knex),
  events: selectEvents(knex),
  keepBodies: keepBodies(knex),
  record: (results, { wakesRetries }) => recordResults(knex, results, wakesRetries),
  wakeRetries: (webhookIds) => knex.transaction((trx) => insertRetryCommands(trx, webhookIds)),
  tidy: tidy(knex),
});
