import { setTimeout as delay } from 'node:timers/promises';
import { watchChores } from '../db/alerts/chores.ts';
import { closeWhatIsOver, raiseOfWebhooks } from '../db/alerts/over.ts';
import type { connect } from '../db/connection.ts';
import { expireForgottenOffchain } from '../db/payments/offchain.ts';
import { restRetired } from '../db/catalogue/rest.ts';
import { disableBacklogs } from '../db/webhooks/backlog.ts';
import { tellOfReceivers } from '../delivery/tell.ts';
import type { Log } from '../domain/ports/log.ts';
import { logAlerts, logOver } from '../domain/tools/alert-log.ts';
import { errorName } from '../domain/tools/error-name.ts';
import { createSpells } from '../domain/tools/spell.ts';
import type { Profile } from '../workflows/messages.ts';

/** Milliseconds between looks. */
const everyMs: Record<Profile, number> = { production: 15_000, test: 1_000 };

interface LookingAfter {
  readonly knex: ReturnType<typeof connect>;
  /** Of the process. */
  readonly name: string;
  readonly profile: Profile;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** What needs nothing but the database and is done at some time, whoever does it. */
const chores = {
  /** Disables webhooks with which a node has too much undelivered, before alerts are raised of them. */
  backlogs: async ({ knex, log }: LookingAfter): Promise<void> => {
    tellOfReceivers(log, { turned: [], disabled: await disableBacklogs(knex) });
  },
  /** Lets retired networks rest, before their alerts are closed. */
  retired_networks: async ({ knex, log }: LookingAfter): Promise<void> => {
    const { resting, woken } = await restRetired(knex);
    for (const network of resting)
      log.info('A retired network is at rest: nothing of it is watched any more', { network });
    for (const network of woken) log.warn('A retired network is watched again: something came to it late', { network });
  },
  /** Raises alerts about webhooks, and closes all whose cause the database shows to be gone. */
  alerts: async ({ knex, log }: LookingAfter): Promise<void> => {
    logAlerts({ log }, await raiseOfWebhooks(knex));
    logOver({ log }, await closeWhatIsOver(knex));
  },
  /** Expires payments whose workflow has not, because it waits for a task that a dead worker took with it. */
  offchain_expiry: async ({ knex, log }: LookingAfter): Promise<void> => {
    const expired = await expireForgottenOffchain(knex);
    if (expired > 0) log.warn('Payments were expired that their workflows had left', { payments: expired });
  },
};

/** Does these again and again until the signal aborts. What fails is tried the next time, and told when it fails again and again. */
export const lookAfter = async (deps: LookingAfter): Promise<void> => {
  const { profile, log, signal } = deps;
  const watch = watchChores(deps.knex, { kind: 'worker', name: deps.name }, log);
  const troubles = createSpells();
  while (!signal.aborted) {
    for (const [chore, work] of Object.entries(chores)) {
      try {
        await work(deps);
        await watch.worked(chore);
        troubles.ends(chore, () => log.info('A chore works again', { chore }));
      } catch (error) {
        troubles.begins(chore, () => log.warn('A chore failed', { chore, error: errorName(error) }));
        await watch.failed(chore, error);
      }
    }
    await delay(everyMs[profile], undefined, { signal }).catch(() => undefined);
  }
};
