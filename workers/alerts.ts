import { setTimeout as delay } from 'node:timers/promises';
import { logAlerts, logOver } from '../chain/alert.ts';
import { closeWhatIsOver, raiseOfWebhooks } from '../db/alerts/over.ts';
import type { connect } from '../db/connection.ts';
import type { Log } from '../domain/ports/log.ts';
import type { Profile } from '../workflows/messages.ts';

/** Milliseconds between looks. */
const everyMs: Record<Profile, number> = { production: 15_000, test: 1_000 };

interface AlertKeeping {
  readonly knex: ReturnType<typeof connect>;
  readonly profile: Profile;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Raises alerts about webhooks, and closes all whose cause the database shows to be gone, until the signal aborts. */
export const keepAlerts = async ({ knex, profile, log, signal }: AlertKeeping): Promise<void> => {
  while (!signal.aborted) {
    try {
      logAlerts({ log }, await raiseOfWebhooks(knex));
      logOver({ log }, await closeWhatIsOver(knex));
    } catch (error) {
      log.warn('Alerts could not be looked after', { error: String(error) });
    }
    await delay(everyMs[profile], undefined, { signal }).catch(() => undefined);
  }
};
