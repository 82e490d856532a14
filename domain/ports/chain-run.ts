import type { NotificationSource } from './notifications.ts';

/** The control of one run of a lane, a watcher or a webhook sender. */
export interface ChainRun {
  /** Aborts when the run must end; it then returns after its current step. */
  readonly signal: AbortSignal;
  /**
   * The run calls this at each step; a run that is silent for long counts as hung. Operators see the last details of each name,
   * so they contain no secret.
   */
  readonly heartbeat: (details?: Readonly<Record<string, string | number | null>>) => void;
  /** Time to return, by `performance.now()`. */
  readonly deadlineMs: number;
}

/** A run whose pauses end early on a notification. */
export interface NotifiedRun extends ChainRun {
  readonly notified: NotificationSource;
}
