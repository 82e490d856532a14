import type { Recorded } from '../domain/ports/deliveries.ts';
import type { Log } from '../domain/ports/log.ts';

/** Logs each webhook that starts to fail, recovers or is disabled, but not the single attempts. */
export const logReceivers = (log: Log, { turned, disabled }: Pick<Recorded, 'turned' | 'disabled'>): void => {
  for (const { webhookId, isFailing } of turned) {
    if (isFailing) log.warn('A webhook started to fail', { webhook_id: webhookId });
    else log.info('A webhook recovered', { webhook_id: webhookId });
  }
  for (const { webhookId, reason } of disabled) log.warn('A webhook was disabled', { webhook_id: webhookId, reason });
};
