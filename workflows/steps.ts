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

/** Retries without end, with backoff. The activity marks failures that no retry can cure. */
export const retryPolicy = (timing: Timing): NonNullable<ActivityOptions['retry']> => ({
  initialInterval: timing.firstRetry,
  backoffCoefficient: 2,
  maximumInterval: timing.longestRetry,
});

const isPermanent = (error: unknown): boolean =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.nonRetryable === true;

/** Runs one activity by name, with a summary for operators. */
export type Step = <Name extends keyof StepActivities>(
  name: Name,
  summary: string,
  ...args: Parameters<StepActivities[Name]>
) => Promise<Awaited<ReturnType<StepActivities[Name]>>>;

/** Together with the timeout of a try, about five seconds. */
const LOCAL_TRIES = 3;

type UntypedStep = (name: string, summary: string, ...args: unknown[]) => Promise<unknown>;

/** Calls the activities of a proxy by name. The compiler cannot resolve their types by a type parameter. */
const untyped = (proxy: unknown): UntypedStep => {
  const activities = proxy as Record<
    string,
    { executeWithOptions(options: { summary: string }, args: unknown[]): Promise<unknown> }
  >;
  return async (name, summary, ...args) => activities[name]?.executeWithOptions({ summary }, args);
};

const LONGEST_CHAIN_RETRY_MS = 4_000;

/** A step that talks to a chain: an ordinary activity, which moves to another worker when its heartbeat stops. */
export const createChainStep = (timing: Timing): Step =>
  untyped(
    proxyActivities<StepActivities>({
      startToCloseTimeout: timing.step,
      heartbeatTimeout: timing.heartbeat,
      // Capped, so that an endpoint that was added to the catalogue is used soon.
      retry: { ...retryPolicy(timing), maximumInterval: Math.min(timing.longestRetry, LONGEST_CHAIN_RETRY_MS) },
    }),
  ) as Step;

/**
 * A step that needs only the database. It runs inside the workflow task, which costs the server one event. After a few
 * seconds of failures it becomes an ordinary activity, which retries until the database responds.
 */
export const createLocalStep = (timing: Timing): Step => {
  const retry = retryPolicy(timing);
  const local = untyped(
    proxyLocalActivities<StepActivities>({
      // A limit of tries, because no timeout of the SDK ends a local activity that waits between two tries.
      startToCloseTimeout: timing.localStep,
      retry: { ...retry, maximumAttempts: LOCAL_TRIES },
    }),
  );
  const ordinary = untyped(proxyActivities<StepActivities>({ startToCloseTimeout: timing.step, retry }));
  const step: UntypedStep = async (name, summary, ...args) => {
    try {
      return await local(name, summary, ...args);
    } catch (error) {
      if (isCancellation(error) || isPermanent(error)) throw error;
      return ordinary(name, summary, ...args);
    }
  };
  return step as Step;
};
