import { describeCheckout } from '../domain/checkouts/checkout-facts.ts';
import type { StoredEvent } from '../domain/ports/deliveries.ts';
import { describePayment } from '../domain/payment-facts.ts';

/** The `api_version` of every body. */
const API_VERSION = 'v1';

type Checksum = (address: string) => string;

const dataOf = ({ payment, checkout, alert, intervalSeconds }: StoredEvent, checksum: Checksum): object => {
  if (checkout !== null) return { checkout: describeCheckout(checkout, checksum) };
  if (intervalSeconds !== null) return { interval_seconds: intervalSeconds };
  return alert === null ? { payment: payment && describePayment(payment, checksum) } : { alert };
};

/**
 * Renders the body of an event as JSON. It is rendered once and then stored.
 * @param checksum formats an address with its EIP-55 checksum
 */
export const renderBody = (event: StoredEvent, checksum: Checksum): string =>
  JSON.stringify({
    id: event.id,
    type: event.type,
    api_version: API_VERSION,
    timestamp: event.at.toISOString(),
    sequence: event.sequence,
    // The type `webhook.test` says so by its name.
    ...(event.isTest && (event.payment ?? event.checkout) !== null && { test: true }),
    data: dataOf(event, checksum),
  });
