import type { NotificationSource } from './notifications.ts';

/** What one run of a lane or a watcher is given. */
export interface ChainRun {
  /** Aborts when the run is not wanted any more; it then returns after the step it is at. */
  readonly signal: AbortSignal;
  /**
   * Called at each step; a run that does not for long counts as hung. Operators see the details of the last call of each
   * name; they hold no secret.
   */
  readonly heartbeat: (details?: Readonly<Record<string, string | number | null>>) => void;
  /** When to return, in milliseconds since the epoch. */
  readonly deadlineMs: number;
}

/** A run whose pauses end early when there may be something to do. */
export interface NotifiedRun extends ChainRun {
  readonly notified: NotificationSource;
}
