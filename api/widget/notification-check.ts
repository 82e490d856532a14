import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { observerOf } from '../../db/alerts/alerts.ts';
import type { Notifications } from '../../db/outbox/notifications.ts';
import { PAGES } from '../../db/outbox/pages.ts';
import type { Log } from '../../domain/ports/log.ts';
import { logOutcomes, pause, startLoop } from '../../domain/tools/repeat.ts';
import type { Pages } from './pages.ts';

/** Milliseconds between two notifications of this process to itself. */
const EVERY_MS = 5_000;
/** Notifications in a row that do not arrive before the operator is alerted. */
const PATIENCE = 2;

export interface NotificationCheckDeps {
  readonly knex: Knex;
  readonly notifications: Pick<Notifications, 'listen'>;
  readonly pages: Pick<Pages, 'readAll'>;
  /** Name of this process for operators. */
  readonly name: string;
  readonly everyMs?: number | undefined;
  readonly log: Log;
}

/**
 * Notifies this process through the database, and checks that the notification arrives: a pooler of connections drops `LISTEN`
 * without an error. While none arrives, it reads all open pages each time instead, and an alert tells the operator.
 */
export const checkNotifications = ({
  knex,
  notifications,
  pages,
  name,
  everyMs = EVERY_MS,
  log,
}: NotificationCheckDeps) => {
  // No page has this id.
  const self = randomUUID();
  let hasArrived = false;
  let missed = 0;
  const observed = observerOf(knex, log);
  const looked = { kind: 'notifications_missing', subject: name } as const;
  const message = `PostgreSQL's notifications do not reach the api ${name}`;

  const listener = notifications.listen({
    notified: (channel, payload) => {
      if (channel === PAGES && payload === self) hasArrived = true;
    },
    mayHaveMissed: () => {},
  });

  /** Waits for the notification itself, so that the next look may follow at once. */
  const check = async (signal: AbortSignal): Promise<number> => {
    hasArrived = false;
    await knex.raw('SELECT pg_notify(?, ?)', [PAGES, self]);
    await pause(everyMs, signal);
    if (signal.aborted) return 0;
    missed = hasArrived ? 0 : missed + 1;
    if (missed > 0) pages.readAll();
    if (missed >= PATIENCE) await observed(looked, [{ ...looked, message, data: { process: name } }]);
    else if (missed === 0) await observed(looked, []);
    return 0;
  };

  const words = {
    works: 'It is checked again that notifications arrive',
    fails: 'It cannot be checked that notifications arrive',
  };
  const checking = startLoop(check, { everyMs, ...logOutcomes(log, words) });

  return {
    stop: async (): Promise<void> => {
      listener.close();
      await checking.stop();
    },
  };
};
