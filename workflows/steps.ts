import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { StepActivities } from '../activities/steps.ts';
import type { Timing } from './timing.ts';

/** Failures are tried again until they go away; what can not go away is marked as such by the activity. */
export const retryPolicy = (timing: Timing): NonNullable<ActivityOptions['retry']> => ({
  initialInterval: timing.firstRetry,
  backoffCoefficient: 2,
  maximumInterval: timing.longestRetry,
});

const isForGood = (error: unknown): boolean =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.nonRetryable === true;

/** Runs one activity by name, with a line for the operator. */
export type Step = <Name extends keyof StepActivities>(
  name: Name,
  summary: string,
  ...args: Parameters<StepActivities[Name]>
) => Promise<Awaited<ReturnType<StepActivities[Name]>>>;

/** With the time of one try, about five seconds. */
const LOCAL_TRIES = 3;

type UntypedStep = (name: string, summary: string, ...args: unknown[]) => Promise<unknown>;

/** Calls a proxy's activities by name; a type parameter hides their types from the compiler until the end. */
const untyped = (proxy: unknown): UntypedStep => {
  const activities = proxy as Record<
    string,
    { executeWithOptions(options: { summary: string }, args: unknown[]): Promise<unknown> }
  >;
  return async (name, summary, ...args) => activities[name]?.executeWithOptions({ summary }, args);
};

const LONGEST_CHAIN_RETRY_MS = 4_000;

/** A step that talks to a chain: an ordinary activity, given to another worker when this one falls silent. */
export const createChainStep = (timing: Timing): Step =>
  untyped(
    proxyActivities<StepActivities>({
      startToCloseTimeout: timing.step,
      heartbeatTimeout: timing.heartbeat,
      // Another endpoint of the catalogue counts at once, whatever the one before has cost.
      retry: { ...retryPolicy(timing), maximumInterval: Math.min(timing.longestRetry, LONGEST_CHAIN_RETRY_MS) },
    }),
  ) as Step;

/**
 * A step that needs the database alone. It runs inside the workflow task, which costs the server one event; when that
 * does not work out in a few seconds it becomes an ordinary activity, which waits for the database as long as it takes.
 */
export const createLocalStep = (timing: Timing): Step => {
  const retry = retryPolicy(timing);
  const local = untyped(
    proxyLocalActivities<StepActivities>({
      // Tries are counted, because the SDK does not end a local activity that waits between two of them.
      startToCloseTimeout: timing.localStep,
      retry: { ...retry, maximumAttempts: LOCAL_TRIES },
    }),
  );
  const ordinary = untyped(proxyActivities<StepActivities>({ startToCloseTimeout: timing.step, retry }));
  const step: UntypedStep = async (name, summary, ...args) => {
    try {
      return await local(name, summary, ...args);
    } catch (error) {
      if (isCancellation(error) || isForGood(error)) throw error;
      return ordinary(name, summary, ...args);
    }
  };
  return step as Step;
};
