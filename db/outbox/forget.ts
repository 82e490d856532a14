import type { Knex } from 'knex';
import { measure } from '../../runtime/measures.ts';

/** Oldest delivered rows that one statement looks at. */
const WINDOW = 5_000;

/**
 * Deletes commands that Temporal received so many days ago, oldest first. Rows that wait, however many, hold up no others.
 * @returns true when there may be more
 */
export const forgetDelivered = async (knex: Knex, days: number): Promise<boolean> => {
  // Finds the oldest rows by the primary key, because an index on delivered_at would make every delivery dearer.
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `
DELETE FROM outbox WHERE id IN (
  SELECT o.id FROM outbox o WHERE o.id IN (SELECT id FROM outbox WHERE delivered_at IS NOT NULL ORDER BY id LIMIT :window)
    AND o.delivered_at < now() - :days * interval '1 day' FOR UPDATE SKIP LOCKED)`,
    { window: WINDOW, days },
  );
  measure('forgotten', { kind: 'commands', rows: rowCount });
  return rowCount > 0;
};
