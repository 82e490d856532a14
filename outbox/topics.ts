/** How each topic of the outbox is delivered: claim some rows, call Temporal, write down what came of it. */
import { MAX_GROUP, type OutboxStore, type SignalClaim } from '../domain/ports/outbox.ts';
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
const COMMANDS_AT_ONCE = 16;

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

/** Signals go to several workflows at once, to each in one piece. */
export const createSignals = (
  { outbox, temporal, background, mayRun, deliver, claimMs }: TopicDeps,
  concurrency: number,
): (() => Promise<void>) => {
  const busyWorkflows = new Set<string>();

  const signalOne = async (claim: SignalClaim): Promise<void> => {
    busyWorkflows.add(claim.workflowId);
    try {
      await deliver(claim, `signal ${claim.workflowId}`, () => temporal.signalPayments(claim));
    } finally {
      busyWorkflows.delete(claim.workflowId);
      // Half a set at a time is claimed, so that a backlog costs few queries.
      if (busyWorkflows.size <= concurrency / 2) void signalSome();
    }
  };

  const signalSome = background.repeated(
    () => 'signals',
    async () => {
      const room = concurrency - busyWorkflows.size;
      if (!mayRun() || room <= 0) return false;
      const claims = await outbox.claimSignals({
        limit: room,
        perWorkflow: MAX_TRANSITIONS_PER_SIGNAL,
        claimMs,
        except: [...busyWorkflows],
      });
      for (const claim of claims) void background.run(`signals of ${claim.workflowId}`, () => signalOne(claim));
      return false;
    },
  );
  return signalSome;
};

/** Workflows that are to be started or told to look again, a few at a time. */
export const createCommands = ({ outbox, temporal, background, mayRun, deliver, claimMs }: TopicDeps) =>
  background.repeated(
    () => 'commands',
    async () => {
      if (!mayRun()) return false;
      const claims = await outbox.claimCommands({ limit: COMMANDS_AT_ONCE, claimMs });
      await Promise.all(
        claims.map((claim) => deliver(claim, `command ${claim.workflowId}`, () => temporal.command(claim))),
      );
      return claims.length > 0;
    },
  );
