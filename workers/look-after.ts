import { createChoreRunner, UNKNOWN, watchChores } from '../db/alerts/chores.ts';
import { linkMinutes } from '../db/audit/chain.ts';
import { closeWhatIsOver, raiseOfWebhooks } from '../db/alerts/over.ts';
import { expireCheckouts } from '../db/checkouts/expire.ts';
import type { connect } from '../db/connection.ts';
import { forgetOffers, distrustRecord } from '../db/offers/record.ts';
import { showStalledOffers } from '../db/offers/stalled.ts';
import { hasRoom } from '../db/operator/server.ts';
import { expireForgottenOffchain } from '../db/payments/offchain.ts';
import { restRetired } from '../db/catalogue/retire.ts';
import { disableBacklogs } from '../db/webhooks/backlog.ts';
import { logReceivers } from '../delivery/deliveries-in-hand.ts';
import type { Log } from '../domain/ports/log.ts';
import { logAlerts, logOver } from '../domain/tools/observer.ts';
import { repeat } from '../domain/tools/repeat.ts';
import type { Profile } from '../workflows/messages.ts';

/** Milliseconds between two rounds of chores. */
const everyMs: Record<Profile, number> = { production: 15_000, test: 2_000 };

interface LookingAfter {
  readonly knex: ReturnType<typeof connect>;
  /** Adds the search attributes that the namespace lacks; names of those that it could not add. */
  readonly registerAttributes: () => Promise<readonly string[]>;
  /** Name of the process. */
  readonly name: string;
  readonly profile: Profile;
  /** Of an offer, in seconds. */
  readonly offerWindow: number;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The outcome of a chore that has done a part and may have another. The others get their turn before it. */
const MORE = 'more';
type Outcome = typeof UNKNOWN | typeof MORE | undefined;

/** Periodic work that any worker may do. */
const chores = {
  /** Looks for a restore or a failover, which may have lost the record that an offer was revealed. */
  revealed_offers: async ({ knex, offerWindow, log }: LookingAfter): Promise<void> => {
    const payments = await distrustRecord(knex, offerWindow);
    if (payments !== null && payments > 0)
      log.warn('The database was restored, replaced or restarted: open offers count as revealed', { payments });
  },
  /** Shows on offered payments the reason why nobody signs their offers, if no run could show it. */
  stalled_offers: ({ knex }: LookingAfter): Promise<void> => showStalledOffers(knex),
  /** Deletes offers that are over, and lowers the floor of the database once nothing is offered any more. */
  old_offers: async ({ knex }: LookingAfter): Promise<void> => {
    while (await forgetOffers(knex));
  },
  /** Disables webhooks of nodes with too many undelivered events, before alerts about webhooks are raised. */
  backlogs: async ({ knex, log }: LookingAfter): Promise<void> => {
    logReceivers(log, { turned: [], disabled: await disableBacklogs(knex) });
  },
  /** Puts retired networks at rest, before their alerts are closed. */
  retired_networks: async ({ knex, log }: LookingAfter): Promise<void> => {
    const { resting, woken } = await restRetired(knex);
    for (const network of resting) log.info('A retired network is at rest and no longer watched', { network });
    for (const network of woken) log.warn('A retired network is watched again after a late event', { network });
  },
  /** Raises alerts about webhooks, and closes all alerts whose cause is gone by the database. */
  alerts: async ({ knex, log }: LookingAfter): Promise<void> => {
    logAlerts({ log }, await raiseOfWebhooks(knex));
    logOver({ log }, await closeWhatIsOver(knex));
  },
  /** Adds search attributes that the namespace has lost. While Temporal does not answer, which has an alert of its own, it finds out nothing. */
  search_attributes: async ({ registerAttributes }: LookingAfter): Promise<Outcome> => {
    const lacking = await registerAttributes().catch(() => null);
    if (lacking === null) return UNKNOWN;
    // The alert shows the code of an error, and not its message.
    if (lacking.length > 0)
      throw Object.assign(new Error('search attributes are missing'), { code: lacking.join(', ') });
    return undefined;
  },
  /** Lets PostgreSQL write a small file: on a full disk only some statements fail, and none of an idle installation. */
  disk_room: async ({ knex }: LookingAfter): Promise<void> => {
    if (!(await hasRoom(knex, 1))) throw Object.assign(new Error('the disk is full'), { code: 'disk_full' });
  },
  /** Expires checkouts whose buyers have not chosen, or whose chosen payments have ended unpaid. */
  order_expiry: async ({ knex }: LookingAfter): Promise<Outcome> =>
    (await expireCheckouts(knex)).mayBeMore ? MORE : undefined,
  /** Expires payments whose workflow has not done so, because one of its tasks died with a worker. */
  offchain_expiry: async ({ knex, log }: LookingAfter): Promise<void> => {
    const expired = await expireForgottenOffchain(knex);
    if (expired > 0) log.warn('Expired overdue payments that their workflows had not', { payments: expired });
  },
  /** Links finished minutes of the audit log. Logs show the newest link, so that a rewritten chain differs from them. */
  audit_links: async ({ knex, log }: LookingAfter): Promise<void> => {
    const { head } = await linkMinutes(knex);
    if (head !== null)
      log.info('The audit log has a new link', { link: head.number, digest: head.digest.toString('hex') });
  },
};

/**
 * Repeats the chores until the signal aborts. A failed chore is retried next round; repeated failures raise an alert.
 */
export const lookAfter = async (deps: LookingAfter): Promise<void> => {
  const { profile, log, signal } = deps;
  const watch = watchChores(deps.knex, { kind: 'worker', name: deps.name }, log);
  const run = createChoreRunner(watch, log, { works: 'A chore works again', fails: 'A chore failed' });
  const round = async (): Promise<number> => {
    let isDone = true;
    for (const [chore, work] of Object.entries(chores)) {
      await run(chore, async () => {
        const outcome = await work(deps);
        if (outcome === MORE) isDone = false;
        return outcome;
      });
    }
    return isDone ? everyMs[profile] : 0;
  };
  await repeat(round, { signal, everyMs: everyMs[profile] });
};
