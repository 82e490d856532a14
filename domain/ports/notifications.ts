/** A source of notifications, in place of frequent polling. */
export interface NotificationSource {
  /**
   * Resolves on a notification, after `ms` milliseconds, or when the signal aborts, whichever is first. A notification since
   * the last wait counts too. Never rejects.
   */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
