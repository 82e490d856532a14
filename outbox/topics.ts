/** How each topic of the outbox is delivered: claim some rows, call Temporal, write down what came of it. */
import { MAX_GROUP, type CommandTopic, type OutboxStore } from '../domain/ports/outbox.ts';
import type { Background } from './background.ts';
import type { TemporalCalls } from './temporal-calls.ts';

/** What the topics share. */
export interface TopicDeps {
  readonly outbox: OutboxStore;
  readonly temporal: TemporalCalls;
  readonly background: Background;
  /** False while nothing new may be claimed. */
  readonly mayRun: () => boolean;
  /** Makes the call and marks the rows as delivered, or gives them back. */
  readonly deliver: (
    claim: { readonly rowIds: readonly string[]; readonly attempts: number },
    what: string,
    call: () => Promise<void>,
  ) => Promise<void>;
  /** How long a claim keeps its rows, in milliseconds. */
  readonly claimMs: number;
}

const MAX_TRANSITIONS_PER_SIGNAL = 500;
const COMMANDS_AT_ONCE: Record<CommandTopic, number> = { command: 16, webhook_command: 8 };

/** Group commit: of each group one start is under way, and what arrives meanwhile goes along in the next one. */
export const createStarts = ({ outbox, temporal, background, mayRun, deliver, claimMs }: TopicDeps) => {
  const ofGroup = background.repeated(
    (group: string) => `starts of ${group}`,
    async (group) => {
      const claim = mayRun() ? await outbox.claimStart(group, { limit: MAX_GROUP, claimMs }) : null;
      if (claim === null) return false;
      await deliver(claim, `start ${claim.workflowId}`, () => temporal.startPayments(claim));
      return true;
    },
  );
  const ofAllGroups = (): Promise<void> =>
    background.run('starts', async () => {
      for (const group of await outbox.startGroups()) void ofGroup(group);
    });
  return { ofGroup, ofAllGroups };
};

/** Rows that speak to one workflow. */
interface OfWorkflow {
  readonly workflowId: string;
}

/** How several workflows are served at once. */
interface Pool<Claim extends OfWorkflow> {
  readonly what: string;
  readonly concurrency: number;
  /** Claims rows of up to `room` workflows, and of none that is being served. */
  readonly claim: (room: number, served: readonly string[]) => Promise<readonly Claim[]>;
  readonly serve: (claim: Claim) => Promise<void>;
}

/** Serves several workflows at once, each in one piece; one that takes long takes one place, and the others go on. */
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
      // Half a set at a time is claimed, so that a backlog costs few queries.
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

/** Workflows that are told of changes of their payments. */
export const createSignals = (deps: TopicDeps, concurrency: number): (() => Promise<void>) => {
  const { outbox, temporal, deliver, claimMs } = deps;
  return createPool(deps, {
    what: 'signals',
    concurrency,
    claim: (limit, except) => outbox.claimSignals({ limit, perWorkflow: MAX_TRANSITIONS_PER_SIGNAL, claimMs, except }),
    serve: (claim) => deliver(claim, `signal ${claim.workflowId}`, () => temporal.signalPayments(claim)),
  });
};

/** Workflows that are to be started or told to look again; what one topic waits for holds up no other. */
export const createCommands = (deps: TopicDeps, topic: CommandTopic): (() => Promise<void>) => {
  const { outbox, temporal, deliver, claimMs } = deps;
  return createPool(deps, {
    what: topic === 'command' ? 'commands' : 'commands of webhooks',
    concurrency: COMMANDS_AT_ONCE[topic],
    claim: (limit, except) => outbox.claimCommands(topic, { limit, claimMs, except }),
    serve: (claim) => deliver(claim, `command ${claim.workflowId}`, () => temporal.command(claim)),
  });
};
