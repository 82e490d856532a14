import type { Client } from '@temporalio/client';
import type { Log } from '../domain/ports/log.ts';
import type { NotificationSource } from '../domain/ports/notifications.ts';
import type { OutboxStore } from '../db/outbox/outbox.ts';
import { pause, repeat } from '../domain/tools/repeat.ts';
import { createSingleFlight } from '../domain/tools/single-flight.ts';
import { createEpisodes } from '../domain/tools/episode.ts';
import { succeeds } from '../domain/tools/succeeds.ts';
import type { Profile } from '../workflows/messages.ts';
import { createBackground, createCommands, createSignals, createStarts, type TopicDeps } from './topics.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import { reasonOf, isBusyWorkflow, isServerTrouble, isSilence } from './temporal-errors.ts';
import { createTemporalCalls } from './temporal-calls.ts';
import { TEMPORAL_MS } from './temporal-client.ts';

/** The dependencies and limits of a dispatcher. */
export interface DispatcherDeps {
  readonly outbox: OutboxStore;
  readonly client: Client;
  readonly taskQueue: string;
  readonly profile: Profile;
  readonly log: Log;
  /** Wakes the loop of `start` early. Without it, the loop polls once a second. */
  readonly notified?: NotificationSource;
  /** False in a process that dispatches only starts and commands of payments and diamonds, such as the API. */
  readonly signals?: boolean;
  /** Timeout of a first call to Temporal, in milliseconds. */
  readonly deadlineMs?: number;
}

/** Passes the commands of the outbox to Temporal. */
export interface Dispatcher {
  /**
   * Dispatches committed commands now: starts of this group, or all. Returns at once and never throws; commands that fail
   * stay in the outbox and are retried.
   */
  now(group?: string): void;
  /** Polls for due rows until `stop`, so that nothing depends on notifications. */
  start(): void;
  /** Stops claiming and waits for the calls under way. */
  stop(): Promise<void>;
}

const POLL_MS = 1_000;
/** Workflows that are signalled concurrently. */
const SIGNALS_AT_ONCE = 16;

/** The backoff of a command: 0.2 s, doubled with each of its failures, up to 10 s. */
const backoffMs = (attempts: number): number => Math.min(200 * 2 ** Math.min(attempts, 10), 10_000);

/** Makes the call and records the outcome. Logs the first failure and the eventual success, not every try. */
const createDelivery = (
  { outbox, log }: DispatcherDeps,
  breaker: Breaker,
  responds: () => Promise<boolean>,
): TopicDeps['deliver'] => {
  const troubles = createEpisodes();
  return async (claim, what, call) => {
    const { rowIds, attempts } = claim;
    try {
      await call();
    } catch (error) {
      const reason = reasonOf(error);
      // While the server is down, the breaker waits on behalf of all rows, which are due as soon as it is back. A
      // timeout can also mean that one workflow is locked; then the server still responds to a ping.
      const trouble = isServerTrouble(error) && !(isSilence(error) && (await responds()));
      if (trouble) breaker.trip(reason);
      else if (isBusyWorkflow(error) || isSilence(error))
        troubles.begins(what, () => log.warn('A workflow is busy; the call is retried', { what, attempts }));
      else troubles.begins(what, () => log.error(`Temporal refused to ${what}`, { reason, attempts }));
      await outbox.markFailed(rowIds, reason, trouble ? 0 : backoffMs(attempts));
      return;
    }
    troubles.ends(what, () => log.info('A retried call to Temporal succeeded', { what, attempts }));
    await outbox.markDelivered(rowIds);
  };
};

/** Dispatches due commands and signals, each topic independently. */
const createTopicDispatch = (topic: TopicDeps, { signals = true }: DispatcherDeps): (() => void) => {
  const tell = [createCommands(topic, 'command')];
  if (signals) tell.push(createSignals(topic, SIGNALS_AT_ONCE), createCommands(topic, 'webhook_command'));
  return () => {
    for (const some of topic.mayRun() ? tell : []) void some();
  };
};

/** Creates a dispatcher. It claims due rows at once when it is notified, and otherwise once a second. */
export const createDispatcher = (deps: DispatcherDeps): Dispatcher => {
  const { outbox, log, notified = { wait: pause }, deadlineMs = TEMPORAL_MS } = deps;
  const temporal = createTemporalCalls({ ...deps, deadlineMs });
  const background = createBackground(log);
  const stopping = new AbortController();
  const breaker = createBreaker({ ping: temporal.ping, onBack: () => now(), log });
  const mayRun = (): boolean => !breaker.isOpen && !stopping.signal.aborted;

  const responds = createSingleFlight(() => succeeds(temporal.ping()), { late: 'join' });
  const deliver = createDelivery(deps, breaker, responds);
  // A claim outlives every call made under it, so that two processes never deliver the same rows.
  const topic: TopicDeps = { outbox, temporal, background, mayRun, deliver, claimMs: deadlineMs + 1_500 };
  const starts = createStarts(topic);
  const signalRunning = createTopicDispatch(topic, deps);

  const now = (group?: string): void => {
    if (!mayRun()) return;
    if (group !== undefined) return void starts.ofGroup(group);
    void starts.ofAllGroups();
    signalRunning();
  };

  /** Polls starts only once a second, because the process that accepted a payment dispatches it, and in larger groups. */
  let lookAt = 0;
  const look = async (): Promise<number> => {
    if (performance.now() < lookAt) signalRunning();
    else {
      lookAt = performance.now() + POLL_MS;
      now();
    }
    return Math.max(0, lookAt - performance.now());
  };
  const loop = (): Promise<void> => repeat(look, { signal: stopping.signal, everyMs: POLL_MS, wait: notified.wait });

  return {
    now,
    start: () => void background.run('the loop', loop),
    stop: async () => {
      stopping.abort();
      breaker.stop();
      await background.idle();
    },
  };
};
