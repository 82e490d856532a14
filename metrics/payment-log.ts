import type { Log } from '../domain/ports/log.ts';
import { onMeasure } from '../runtime/measures.ts';

/** Logs each transition of a payment that this process has committed, so that one payment is one search. */
export const logPayments = (log: Log): void =>
  onMeasure('payments', ({ networkId, event, status, moved }) => {
    for (const { id } of moved) log.info('payment', { payment_id: id, network_id: networkId, event, status });
  });
