import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Log } from '../domain/ports/log.ts';
import type { NotificationSource } from '../domain/ports/notifications.ts';
import type { OutboxStore } from '../domain/ports/outbox.ts';
import { createSingleFlight } from '../domain/tools/single-flight.ts';
import { createSpells } from '../domain/tools/spell.ts';
import type { Profile } from '../workflows/messages.ts';
import { createBackground } from './background.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import { reasonOf } from './reason.ts';
import { createTemporalCalls } from './temporal-calls.ts';
import { isBusyWorkflow, isServerTrouble, isSilence } from './temporal-errors.ts';
import { createCommands, createSignals, createStarts, type TopicDeps } from './topics.ts';

/** What a dispatcher works with, and its limits. */
export interface DispatcherDeps {
  readonly outbox: OutboxStore;
  readonly client: Client;
  readonly taskQueue: string;
  readonly profile: Profile;
  readonly log: Log;
  /** Wakes the loop of `start` early; without it, the loop looks once a second. */
  readonly notified?: NotificationSource;
  /** False in a process that only starts workflows of payments and diamonds, such as the API. */
  readonly signals?: boolean;
  /** Longest time for one call to Temporal, in milliseconds. */
  readonly deadlineMs?: number;
  /** Workflows that are signalled at the same time. */
  readonly signalConcurrency?: number;
}

/** Brings the outbox to Temporal. */
export interface Dispatcher {
  /**
   * Says that commands were committed: starts of this group, or anything. Returns at once and never throws; what
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

/** The plain clock, where nothing wakes the loop early. Resolves at once when the signal aborts. */
const clock: NotificationSource = {
  wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/** 0.2 s, doubled with every failure of this very command, up to 10 s. */
const backoffMs = (attempts: number): number => Math.min(200 * 2 ** Math.min(attempts, 10), 10_000);

/** Makes the call and writes down what came of it. The log has when it begins to fail and when it has worked, not each try. */
const createDelivery = (
  { outbox, log }: DispatcherDeps,
  breaker: Breaker,
  answers: () => Promise<boolean>,
): TopicDeps['deliver'] => {
  const troubles = createSpells();
  return async (claim, what, call) => {
    const { rowIds, attempts } = claim;
    try {
      await call();
    } catch (error) {
      const reason = reasonOf(error);
      // When the server is down the breaker waits for all, and the rows are due as soon as it is back.
      // What is not answered may be about a workflow that is locked: then the server answers to something else.
      const trouble = isServerTrouble(error) && !(isSilence(error) && (await answers()));
      if (trouble) breaker.trip(reason);
      else if (isBusyWorkflow(error) || isSilence(error))
        troubles.begins(what, () => log.warn('A workflow is busy, and is told later', { what, attempts }));
      else troubles.begins(what, () => log.error(`Temporal refused to ${what}`, { reason, attempts }));
      await outbox.markFailed(rowIds, reason, trouble ? 0 : backoffMs(attempts));
      return;
    }
    troubles.ends(what, () => log.info('A workflow was told after all', { what, attempts }));
    await outbox.markDelivered(rowIds);
  };
};

/** Tells workflows what is due, of each topic by itself. */
const createTelling = (topic: TopicDeps, { signals = true, signalConcurrency = 16 }: DispatcherDeps): (() => void) => {
  const tell = [createCommands(topic, 'command')];
  if (signals) tell.push(createSignals(topic, signalConcurrency), createCommands(topic, 'webhook_command'));
  return () => {
    for (const some of topic.mayRun() ? tell : []) void some();
  };
};

const isThere = (answer: Promise<void>): Promise<boolean> =>
  answer.then(
    () => true,
    () => false,
  );

/** Puts the topics together: told of commands it looks at once, and in any case once a second. */
export const createDispatcher = (deps: DispatcherDeps): Dispatcher => {
  const { outbox, log, notified = clock, deadlineMs = 1_000 } = deps;
  const temporal = createTemporalCalls({ ...deps, deadlineMs });
  const background = createBackground(log);
  const stopping = new AbortController();
  const breaker = createBreaker({ probe: temporal.probe, onBack: () => now(), log });
  const mayRun = (): boolean => !breaker.isOpen && !stopping.signal.aborted;

  const answers = createSingleFlight(() => isThere(temporal.probe()), { late: 'join' });
  const deliver = createDelivery(deps, breaker, answers);
  // A claim outlives every call made under it, so that no two processes deliver the same rows.
  const topic: TopicDeps = { outbox, temporal, background, mayRun, deliver, claimMs: deadlineMs + 1_500 };
  const starts = createStarts(topic);
  const tellRunning = createTelling(topic, deps);
  const forgetDelivered = background.repeated(
    () => 'what was delivered long ago',
    async () => !stopping.signal.aborted && outbox.forgetDelivered(),
  );

  const now = (group?: string): void => {
    if (!mayRun()) return;
    if (group !== undefined) return void starts.ofGroup(group);
    void starts.ofAllGroups();
    tellRunning();
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
    start: () => void background.run('the loop', loop),
    stop: async () => {
      stopping.abort();
      breaker.stop();
      await background.idle();
    },
  };
};
