/**
 * How long workflows wait, by profile. The starter names the profile in the input, so that a running workflow never
 * depends on the environment of the worker that happens to hold it. `test` makes recovery from a kill take seconds.
 */
export type Profile = 'production' | 'test';

/** All in milliseconds. */
export interface Timing {
  /** A workflow task that takes longer is given to another worker. */
  readonly workflowTask: number;
  /** One try of a database step inside the workflow task; when three have failed, it becomes an ordinary activity. */
  readonly localStep: number;
  /** One try of an ordinary activity. */
  readonly step: number;
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** Silence after which a lane, a watcher or a deployment step is given to another worker. */
  readonly heartbeat: number;
  /** A lane's or watcher's activity ends after this, so that histories stay short and deployments roll. */
  readonly chainRun: number;
  /** A run of the retries of one webhook ends after this, so that others get its slot. */
  readonly webhookRun: number;
  /** How long a waiting deployment step rests when no signal comes. */
  readonly advance: number;
  /** An inspection takes no longer than that, its tries together: nobody waits for it any more. */
  readonly inspection: number;
  /** How long a finished payment waits for signals that were overtaken before it reads them from the log. */
  readonly stragglers: number;
  /** How long to wait for the outcome of an expiry before asking again. */
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
    heartbeat: 2_000,
    chainRun: 30_000,
    webhookRun: 10_000,
    advance: 3_000,
    inspection: 9_000,
    stragglers: 1_000,
    expiryOutcome: 1_000,
  },
};
