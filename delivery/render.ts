import type { StoredEvent } from '../domain/ports/deliveries.ts';
import { describePayment } from '../domain/payment-facts.ts';

/** What every body says of its own form. */
const API_VERSION = 'v1';

type Checksum = (address: string) => string;

const dataOf = ({ payment, alert, intervalSeconds }: StoredEvent, checksum: Checksum): object => {
  if (intervalSeconds !== null) return { interval_seconds: intervalSeconds };
  return alert === null ? { payment: payment && describePayment(payment, checksum) } : { alert };
};

/**
 * The bytes that receivers get of an event, as text. Made once, and then kept.
 * @param checksum gives an address the form that is shown to people
 */
export const renderBody = (event: StoredEvent, checksum: Checksum): string =>
  JSON.stringify({
    id: event.id,
    type: event.type,
    api_version: API_VERSION,
    timestamp: event.at.toISOString(),
    sequence: event.sequence,
    // The event `webhook.test` is one by its name.
    ...(event.isTest && event.payment !== null && { test: true }),
    data: dataOf(event, checksum),
  });
