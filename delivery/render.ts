import type { StoredEvent } from '../domain/ports/deliveries.ts';
import { describePayment } from '../domain/payment-facts.ts';

/** What every body says of its own form. */
const API_VERSION = 'v1';

/**
 * The bytes that receivers get of an event, as text. Made once, and then kept.
 * @param checksum gives an address the form that is shown to people
 */
export const renderBody = (
  { id, type, at, sequence, payment, alert }: StoredEvent,
  checksum: (address: string) => string,
): string =>
  JSON.stringify({
    id,
    type,
    api_version: API_VERSION,
    timestamp: at.toISOString(),
    sequence,
    data: alert === null ? { payment: payment && describePayment(payment, checksum) } : { alert },
  });
