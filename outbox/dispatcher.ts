import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Log } from '../domain/log.ts';
import { MAX_GROUP, type OutboxStore, type SignalClaim } from '../domain/outbox.ts';
import type { NotificationSource } from '../domain/notifications.ts';
import { createSingleFlight } from '../domain/single-flight.ts';
import type { Profile } from '../workflows/messages.ts';
import { createBreaker } from './breaker.ts';
import { createDeliver, isServerTrouble } from './deliver.ts';

export interface DispatcherDeps {
  readonly outbox: OutboxStore;
  readonly client: Client;
  readonly taskQueue: string;
  readonly profile: Profile;
  readonly log: Log;
  /** Wakes the loop of `start` early; without it, the loop looks once a second. */
  readonly notified?: NotificationSource;
  /** False in a process that only starts workflows, such as the API. */
  readonly signals?: boolean;
  /** Longest time for one call to Temporal, in milliseconds. */
  readonly deadlineMs?: number;
  /** Workflows that are signalled at the same time. */
  readonly signalConcurrency?: number;
}

/** Brings the outbox to Temporal. */
export interface Dispatcher {
  /**
   * Says that commands were committed: starts of this group, or anything. Returns at once and never throws; whatever
   * goes wrong, the commands stay in the outbox and are tried again.
   */
  now(group?: string): void;
  /** Looks for due rows until `stop`, so that nothing depends on being told. */
  start(): void;
  /** Takes nothing new and waits for the calls that are under way. */
  stop(): Promise<void>;
}

const POLL_MS = 1_000;
/** Between two looks for rows that need not be kept any more. */
const FORGET_MS = 60_000;
const MAX_TRANSITIONS_PER_SIGNAL = 500;
const DIAMONDS_AT_ONCE = 4;

/** The plain clock, where nothing wakes the loop early. Resolves at once when the signal aborts. */
const clock: NotificationSource = {
  wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/** 0.2 s, doubled with every failure of this very command, up to 10 s. */
const backoffMs = (attempts: number): number => Math.min(200 * 2 ** Math.min(attempts, 10), 10_000);

/**
 * Group commit: of each group one start is under way, and what arrives meanwhile goes along in the next one. Signals go
 * to several workflows at once, to each in one piece.
 */
export const createDispatcher = (deps: DispatcherDeps): Dispatcher => {
  const { outbox, log, notified = clock, signals = true, deadlineMs = 1_000, signalConcurrency = 16 } = deps;
  const deliver = createDeliver({ ...deps, deadlineMs });
  // A claim outlives every call made under it, so that no two processes deliver the same rows.
  const leaseMs = deadlineMs + 1_500;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  const breaker = createBreaker({ probe: deliver.probe, onBack: () => now(), log });
  const mayRun = (): boolean => !breaker.isOpen && !stopping.signal.aborted;

  /** Runs in the background; a database that is down is somebody else's alarm, here it only means "later". */
  const background = (what: string, work: () => Promise<void>): Promise<void> => {
    const run = work().catch((error: unknown) => {
      log.warn(`Outbox: ${what} failed, it will be tried again`, { reason: (error as Error).message });
    });
    underWay.add(run);
    void run.finally(() => underWay.delete(run));
    return run;
  };

  /** Work that may be asked for at any time: for each key rounds until one answers that there is no more. */
  const repeated = <Key = void>(what: (key: Key) => string, round: (key: Key) => Promise<boolean>) =>
    createSingleFlight(
      (key: Key) =>
        background(what(key), async () => {
          while (await round(key));
        }),
      { late: 'next' },
    );

  /** Makes the call and writes down what came of it. */
  const settle = async (
    claim: { readonly rowIds: readonly string[]; readonly attempts: number },
    what: string,
    call: () => Promise<void>,
  ): Promise<void> => {
    try {
      await call();
    } catch (error) {
      const reason = (error as Error).message;
      // When the server is down the breaker waits for all, and the rows are due as soon as it is back.
      const trouble = isServerTrouble(error);
      if (trouble) breaker.trip(reason);
      else log.error(`Temporal refused to ${what}`, { reason, attempts: claim.attempts });
      await outbox.markFailed(claim.rowIds, reason, trouble ? 0 : backoffMs(claim.attempts));
      return;
    }
    await outbox.markDelivered(claim.rowIds);
  };

  const deliverStarts = repeated(
    (group: string) => `starts of ${group}`,
    async (group) => {
      const claim = mayRun() ? await outbox.claimStart(group, { limit: MAX_GROUP, leaseMs }) : null;
      if (claim === null) return false;
      await settle(claim, `start ${claim.workflowId}`, () => deliver.start(claim));
      return true;
    },
  );

  const deliverAllStarts = async (): Promise<void> => {
    for (const group of await outbox.startGroups()) void deliverStarts(group);
  };

  const busyWorkflows = new Set<string>();
  const signal = async (claim: SignalClaim): Promise<void> => {
    busyWorkflows.add(claim.workflowId);
    try {
      await settle(claim, `signal ${claim.workflowId}`, () => deliver.signal(claim));
    } finally {
      busyWorkflows.delete(claim.workflowId);
      // Half a set at a time is claimed, so that a backlog costs few queries.
      if (busyWorkflows.size <= signalConcurrency / 2) void deliverSignals();
    }
  };
  const deliverSignals = repeated(
    () => 'signals',
    async () => {
      const room = signalConcurrency - busyWorkflows.size;
      if (!mayRun() || room <= 0) return false;
      const claims = await outbox.claimSignals({
        limit: room,
        perWorkflow: MAX_TRANSITIONS_PER_SIGNAL,
        leaseMs,
        except: [...busyWorkflows],
      });
      for (const claim of claims) void background(`signals of ${claim.workflowId}`, () => signal(claim));
      return false;
    },
  );

  const advanceDiamonds = repeated(
    () => 'diamonds',
    async () => {
      if (!mayRun()) return false;
      const claims = await outbox.claimDiamonds({ limit: DIAMONDS_AT_ONCE, leaseMs });
      await Promise.all(
        claims.map((claim) =>
          settle(claim, `advance diamond of ${claim.command.wallet_id}`, () => deliver.diamond(claim)),
        ),
      );
      return claims.length > 0;
    },
  );

  const tellRunning = (): void => {
    if (!mayRun()) return;
    void advanceDiamonds();
    if (signals) void deliverSignals();
  };

  const forgetDelivered = repeated(
    () => 'what was delivered long ago',
    async () => !stopping.signal.aborted && outbox.forgetDelivered(),
  );

  const now = (group?: string): void => {
    if (!mayRun()) return;
    if (group === undefined) {
      void background('starts', deliverAllStarts);
      tellRunning();
    } else void deliverStarts(group);
  };

  /** Starts are looked for at leisure: the process that accepted a payment dispatches it, in a larger group than two. */
  const loop = async (): Promise<void> => {
    let lookAt = 0;
    let forgetAt = 0;
    while (!stopping.signal.aborted) {
      if (Date.now() < lookAt) tellRunning();
      else {
        lookAt = Date.now() + POLL_MS;
        now();
      }
      if (Date.now() >= forgetAt) {
        forgetAt = Date.now() + FORGET_MS;
        void forgetDelivered();
      }
      await notified.wait(Math.max(0, lookAt - Date.now()), stopping.signal);
    }
  };

  return {
    now,
    start: () => void background('the loop', loop),
    stop: async () => {
      stopping.abort();
      breaker.stop();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
};
