import { refusedPayees, type TokenPayee } from '../chain/tokens/payees.ts';
import { observe } from '../db/alerts/alerts.ts';
import type { connect } from '../db/connection.ts';
import { newTokenPayees, payeesOfAlerts, type PaymentPayee } from '../db/watcher/payees.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import type { ConditionAlert } from '../domain/ports/alert.ts';
import type { Log } from '../domain/ports/log.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { logObserved } from '../domain/tools/observer.ts';
import { steadyClock } from '../domain/tools/clock.ts';
import { logOutcomes, repeat } from '../domain/tools/repeat.ts';
import { tokenClient } from './tokens.ts';

const EVERY_MS = 15_000;
const DAY_MS = 86_400_000;

/** Number of payees of a network that are asked about in one pass; the others have their turn in the next ones. */
const AT_ONCE = 100;
const LOOK_BACK = '10 minutes';

/** Number of payees that are remembered as asked. */
const MOST = 100_000;

/** The cause of the condition: one per network, token and payee. */
const causeOf = ({ token, payee }: TokenPayee): string => `${token}/${payee}`;

interface PayeeWatch {
  readonly knex: ReturnType<typeof connect>;
  readonly log: Log;
}

/** Asks the tokens of a network about payees, and raises or closes alerts. @param open those with an open alert */
const lookAt = async (
  { knex, log }: PayeeWatch,
  network: WatchedNetwork,
  places: readonly PaymentPayee[],
  open: ReadonlySet<PaymentPayee>,
): Promise<void> => {
  const refused = await refusedPayees({ rpc: tokenClient(network), quorum: network.quorum }, places);
  for (const place of places) {
    if (!refused.includes(place) && !open.has(place)) continue;
    const about = { kind: 'payee_refused', subject: network.id, cause: causeOf(place) } as const;
    const { token, payee, symbol, paymentId: payment } = place;
    const message = `${network.name}: ${symbol} at ${token} refuses the payee ${payee}, so nobody can pay it in this token`;
    const holding: ConditionAlert = { ...about, payment, message, data: { token, symbol, payee } };
    const observed = await observe(knex, about, refused.includes(place) ? [holding] : [], network.id);
    logObserved({ network, log }, observed);
  }
};

/** Asks the tokens about the payees of new payments, each once a day. */
export const createPayeeLook = (deps: PayeeWatch) => {
  const { knex } = deps;
  /** When each payee was asked about, by its network and cause. */
  const askedAt = new Map<string, number>();
  let hasLooked = false;
  const keyOf = (place: PaymentPayee): string => `${place.networkId}/${causeOf(place)}`;
  const isDue = (place: PaymentPayee): boolean =>
    steadyClock.now() - (askedAt.get(keyOf(place)) ?? -Infinity) >= DAY_MS;

  return async (): Promise<void> => {
    const open = new Set(await payeesOfAlerts(knex));
    const found = [...open, ...(await newTokenPayees(knex, hasLooked ? LOOK_BACK : '1 day'))];
    hasLooked = true;
    const due = [
      ...new Map(
        found
          .filter(isDue)
          .map((place) => [keyOf(place), place] as const)
          .toReversed(),
      ).values(),
    ];
    if (due.length === 0) return;
    if (askedAt.size > MOST) askedAt.clear();
    const looks = (await watchedNetworks(knex)).map(async (network) => {
      const own = due.filter(({ networkId }) => networkId === network.id).slice(0, AT_ONCE);
      if (own.length === 0 || network.isAtRest) return;
      await lookAt(deps, network, own, open);
      for (const place of own) askedAt.set(keyOf(place), steadyClock.now());
    });
    const failed = (await Promise.allSettled(looks)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  };
};

/** Repeats that until the signal aborts. */
export const watchPayees = (deps: PayeeWatch, signal: AbortSignal): Promise<void> => {
  const words = { works: 'Tokens are asked about payees again', fails: 'Tokens could not be asked about payees' };
  return repeat(createPayeeLook(deps), { signal, everyMs: EVERY_MS, ...logOutcomes(deps.log, words) });
};
