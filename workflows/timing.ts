/**
 * Timeouts and intervals of workflows, by profile. The starter names the profile in the input, so that a running workflow
 * does not depend on the environment of its worker. With `test`, recovery from a kill takes seconds.
 */
export type Profile = 'production' | 'test';

/** All in milliseconds. */
export interface Timing {
  /** Timeout of a workflow task, after which another worker gets it. */
  readonly workflowTask: number;
  /** Timeout of one try of a database step inside the workflow task. After three failures it becomes an ordinary activity. */
  readonly localStep: number;
  /** Timeout of one try of an ordinary activity. */
  readonly step: number;
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** Heartbeat timeout, after which another worker gets a lane, a watcher or a deployment step. */
  readonly heartbeat: number;
  /** Duration of one activity of a lane or watcher. It is limited so that histories stay short and new versions take over. */
  readonly chainRun: number;
  /** Duration of one run of the retries of one webhook. It is limited so that other webhooks get the slot. */
  readonly webhookRun: number;
  /** Interval at which a waiting deployment step runs again without a signal. */
  readonly advance: number;
  /** Timeout of an inspection, all tries together: no request waits longer. */
  readonly inspection: number;
  /** Time for late signals of an ended payment; afterwards the workflow reads the log. */
  readonly stragglers: number;
  /** Time for the outcome of an expiry; afterwards the step runs again. */
  readonly expiryOutcome: number;
}

/** The times of each profile. */
export const timings: Readonly<Record<Profile, Timing>> = {
  production: {
    workflowTask: 10_000,
    localStep: 1_500,
    step: 30_000,
    firstRetry: 200,
    longestRetry: 10_000,
    heartbeat: 15_000,
    chainRun: 600_000,
    webhookRun: 60_000,
    advance: 30_000,
    inspection: 9_000,
    stragglers: 10_000,
    expiryOutcome: 10_000,
  },
  test: {
    workflowTask: 2_000,
    localStep: 1_500,
    step: 5_000,
    firstRetry: 100,
    longestRetry: 1_000,
    heartbeat: 2_500,
    chainRun: 30_000,
    webhookRun: 10_000,
    advance: 3_000,
    inspection: 90_000,
    stragglers: 1_000,
    expiryOutcome: 1_000,
  },
};
