/** Something to wait for instead of polling blindly. */
export interface NotificationSource {
  /**
   * Resolves when there may be something to do, after `ms` milliseconds, or when the signal aborts, whichever is first.
   * What happened since the last wait is not missed. Never rejects.
   */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
