/** Delivers each topic of the outbox: claims rows, calls Temporal, records the outcome. */
import { setTimeout as delay } from 'node:timers/promises';
import type { OutboxStore } from '../db/outbox/outbox.ts';
import type { Log } from '../domain/ports/log.ts';
import { MAX_GROUP, type CommandTopic } from '../domain/ports/outbox.ts';
import { createEpisodes } from '../domain/tools/episode.ts';
import { errorName } from '../domain/tools/error-name.ts';
import { createSingleFlight } from '../domain/tools/single-flight.ts';
import type { TemporalCalls } from './temporal-calls.ts';

/**
 * Runs work that no caller waits for. Failed rows stay in the outbox and are retried, so the log has only the first failure and the
 * recovery.
 */
export const createBackground = (log: Log) => {
  const underWay = new Set<Promise<void>>();
  const troubles = createEpisodes();

  const run = (what: string, work: () => Promise<void>): Promise<void> => {
    const started = work().then(
      () => troubles.ends(what, () => log.info(`Outbox: ${what} works again`)),
      // An outage of the database raises its own alarms; here it only delays the work.
      (error: unknown) =>
        troubles.begins(what, () => log.warn(`Outbox: ${what} failed; retrying`, { error: errorName(error) })),
    );
    underWay.add(started);
    void started.finally(() => underWay.delete(started));
    return started;
  };

  return {
    run,
    /** Wraps work that may be requested at any time: one run per key at a time, repeated until it returns false. */
    repeated: <Key = void>(what: (key: Key) => string, work: (key: Key) => Promise<boolean>) =>
      createSingleFlight(
        (key: Key) =>
          run(what(key), async () => {
            while (await work(key));
          }),
        { late: 'next' },
      ),
    /** Resolves when all work has ended. */
    idle: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
};

type Background = ReturnType<typeof createBackground>;

/** The dependencies that all topics share. */
export interface TopicDeps {
  readonly outbox: OutboxStore;
  readonly temporal: TemporalCalls;
  readonly background: Background;
  /** False while rows may not be claimed. */
  readonly mayRun: () => boolean;
  /** Makes the call, and marks the rows as delivered or gives them back. */
  readonly deliver: (
    claim: { readonly rowIds: readonly string[]; readonly attempts: number },
    what: string,
    call: () => Promise<void>,
  ) => Promise<void>;
  /** Duration of a claim, in milliseconds. */
  readonly claimMs: number;
}

/**
 * Shortest time between two starts of a group, in milliseconds. Under load, more payments share a workflow: 37 instead of 28 at
 * 290 payments a second, and `npm run bench:payments` completes 1.07 and 1.13 times as many.
 */
const START_INTERVAL_MS = 200;
const MAX_TRANSITIONS_PER_SIGNAL = 500;
const COMMANDS_AT_ONCE: Record<CommandTopic, number> = { command: 16, webhook_command: 8 };

/** Group commit: each group has one start at a time; payments that arrive meanwhile share the next one. */
export const createStarts = ({ outbox, temporal, background, mayRun, deliver, claimMs }: TopicDeps) => {
  const again = new Set<string>();
  const ofGroup = background.repeated(
    (group: string) => `starts of ${group}`,
    async (group) => {
      const claim = mayRun() ? await outbox.claimStart(group, { limit: MAX_GROUP, claimMs }) : null;
      if (claim === null) return false;
      const nextAt = performance.now() + START_INTERVAL_MS;
      const started = deliver(claim, `start ${claim.workflowId}`, () => temporal.startPayments(claim));
      // One start that failed before is tried beside the group's next one, because it may hang.
      if (claim.attempts > 0 && !again.has(group)) {
        again.add(group);
        void background.run('a start again', () => started.finally(() => again.delete(group)));
      } else await started;
      if (claim.rowIds.length < MAX_GROUP) await delay(Math.max(0, nextAt - performance.now()));
      return true;
    },
  );
  const ofAllGroups = (): Promise<void> =>
    background.run('starts', async () => {
      for (const group of await outbox.startGroups()) void ofGroup(group);
    });
  return { ofGroup, ofAllGroups };
};

/** A claim of rows for one workflow. */
interface OfWorkflow {
  readonly workflowId: string;
}

/** How workflows are served concurrently. */
interface Pool<Claim extends OfWorkflow> {
  readonly what: string;
  readonly concurrency: number;
  /** Claims rows of up to `room` workflows, except those being served. */
  readonly claim: (room: number, served: readonly string[]) => Promise<readonly Claim[]>;
  readonly serve: (claim: Claim) => Promise<void>;
}

/** Serves workflows concurrently, one claim at a time each. A slow one occupies one place and does not block the others. */
const createPool = <Claim extends OfWorkflow>(
  { background, mayRun }: TopicDeps,
  { what, concurrency, claim, serve }: Pool<Claim>,
): (() => Promise<void>) => {
  const served = new Set<string>();

  const serveOne = async (one: Claim): Promise<void> => {
    served.add(one.workflowId);
    try {
      await serve(one);
    } finally {
      served.delete(one.workflowId);
      // Claims once half of the places are free, so that a backlog costs few queries.
      if (served.size <= concurrency / 2) void serveSome();
    }
  };

  const serveSome = background.repeated(
    () => what,
    async () => {
      const room = concurrency - served.size;
      if (!mayRun() || room <= 0) return false;
      const claims = await claim(room, [...served]);
      for (const one of claims) void background.run(`${what} of ${one.workflowId}`, () => serveOne(one));
      return false;
    },
  );
  return serveSome;
};

/** Signals workflows about changes of their payments. */
export const createSignals = (deps: TopicDeps, concurrency: number): (() => Promise<void>) => {
  const { outbox, temporal, deliver, claimMs } = deps;
  return createPool(deps, {
    what: 'signals',
    concurrency,
    claim: (limit, except) => outbox.claimSignals({ limit, perWorkflow: MAX_TRANSITIONS_PER_SIGNAL, claimMs, except }),
    serve: (claim) => deliver(claim, `signal ${claim.workflowId}`, () => temporal.signalPayments(claim)),
  });
};

/** Starts or wakes workflows. The topics do not wait for each other. */
export const createCommands = (deps: TopicDeps, topic: CommandTopic): (() => Promise<void>) => {
  const { outbox, temporal, deliver, claimMs } = deps;
  return createPool(deps, {
    what: topic === 'command' ? 'commands' : 'commands of webhooks',
    concurrency: COMMANDS_AT_ONCE[topic],
    claim: (limit, except) => outbox.claimCommands(topic, { limit, claimMs, except }),
    serve: (claim) => deliver(claim, `command ${claim.workflowId}`, () => temporal.command(claim)),
  });
};
