import type { Recorded } from '../domain/ports/deliveries.ts';
import type { Log } from '../domain/ports/log.ts';

/** A line of the log for each webhook that begins to fail, takes what it is sent again, or is disabled; none for a try. */
export const tellOfReceivers = (log: Log, { turned, disabled }: Pick<Recorded, 'turned' | 'disabled'>): void => {
  for (const { webhookId, isFailing } of turned) {
    if (isFailing) log.warn('A webhook begins to fail', { webhook_id: webhookId });
    else log.info('A webhook takes what it is sent again', { webhook_id: webhookId });
  }
  for (const { webhookId, reason } of disabled) log.warn('A webhook was disabled', { webhook_id: webhookId, reason });
};
