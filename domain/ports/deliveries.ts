/** Events, deliveries and their results. Times as text are ISO 8601 in UTC. */
import type { ShownAlert } from '../alerts/alert.ts';
import type { CheckoutFacts } from '../checkouts/checkout-facts.ts';
import type { PaymentFacts } from '../payment-facts.ts';

/** The states of a delivery. Only `pending` ones are sent. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'skipped', 'canceled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One attempt, without credentials. The event has the body that was sent. */
export interface DeliveryTry {
  readonly at: string;
  readonly url: string;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Why there is no response: `timed_out`, `address_refused`, `interrupted` (a test), or a code of the network or of TLS. */
  readonly error: string | null;
  /** The first 2 kB of the response, without Carat's credentials. */
  readonly body: string;
  readonly duration_ms: number;
}

/** A snapshot of the part of a configuration that an attempt needs. */
export interface Receiver {
  readonly webhookId: string;
  /** Time of the snapshot, in milliseconds of `performance.now()`. */
  readonly readAt: number;
  /** Node of the configuration. All configurations of a node share the limits of its deliveries in hand. */
  readonly ownerId: string;
  /** An origin in its normal form. */
  readonly host: string;
  readonly successPath: string;
  readonly errorPath: string;
  readonly encryptedCredentials: Uint8Array;
  /** The newest secret, then the previous one while the overlap lasts. */
  readonly encryptedSecrets: readonly Uint8Array[];
}

/** A stored event, with everything that its body is rendered from. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  /** Number of the payment's log entry, or of the checkout's transition; null for an event without either. */
  readonly sequence: number | null;
  readonly at: Date;
  /** True for a test on request, whose payment is made up. */
  readonly isTest: boolean;
  /** Null in `webhook.test` and in events for the operator. */
  readonly payment: PaymentFacts | null;
  /** The checkout of an event of a checkout; null in others. */
  readonly checkout: CheckoutFacts | null;
  /** The alert of an event for the operator; null in others. */
  readonly alert: ShownAlert | null;
  /** Seconds between two `carat.alive` events; null in others. */
  readonly intervalSeconds: number | null;
}

/** The body of an event, or the stored event while its body is not rendered. An unreadable event affects no other. */
export interface EventBody {
  readonly id: string;
  readonly body: string | null;
  /** Null when the body is rendered. @throws the error that makes the stored event unreadable */
  readonly readEvent: (() => StoredEvent) | null;
}

/** A due delivery, with the data that its attempt needs beside the body. */
export interface DueDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  /** Attempts before this one. */
  readonly attempts: number;
  /** True for a test, which is sent once and whose outcome does not affect its configuration. */
  readonly isTest: boolean;
  /** Size of the event's body; null while it is not rendered. */
  readonly bodyBytes: number | null;
  readonly receiver: Receiver;
}

/** The result of an attempt. */
export interface DeliveryResult {
  readonly id: string;
  readonly webhookId: string;
  readonly isTest: boolean;
  readonly attempt: DeliveryTry;
  /** Counted attempts at the time of the send; a test counts as it begins. A requested redelivery resets the row to fewer. */
  readonly counted: number;
  /** Target of the attempt. */
  readonly place: { readonly host: string; readonly path: string };
  /** `gone`: the receiver answered 410 and wants no more deliveries. Never for a test. */
  readonly outcome: 'delivered' | 'failed' | 'gone';
  /** Pause after a failure until the next attempt; null when none follows. */
  readonly pauseMs: number | null;
}

/** A configuration that was disabled, until someone enables it again. */
export interface DisabledReceiver {
  readonly webhookId: string;
  /** `backlog`: its node has too many undelivered events, and this configuration has the most. */
  readonly reason: 'gone' | 'failing' | 'backlog';
}

/** A configuration that started to fail or recovered. */
export interface TurnedReceiver {
  readonly webhookId: string;
  readonly isFailing: boolean;
}

/** The effects of recorded results. */
export interface Recorded {
  readonly turned: readonly TurnedReceiver[];
  readonly disabled: readonly DisabledReceiver[];
  /** Results that were skipped because their configuration or delivery was locked elsewhere. Record them again. */
  readonly left: readonly DeliveryResult[];
}

/** A configuration with its deliveries in hand, and how many more the sender would take. */
export interface Holder {
  readonly webhookId: string;
  readonly held: readonly string[];
  readonly room: number;
}

/** The result of a query for first attempts. */
export interface FirstLook {
  readonly due: readonly DueDelivery[];
  /** Failing configurations with new deliveries, whose retries must be woken. */
  readonly failing: readonly string[];
}

/** The operator's webhook for alerts. */
export interface OperatorWebhook {
  readonly host: string;
  readonly path: string;
  readonly encryptedCredentials: Buffer;
  readonly encryptedSecret: Buffer;
  /** True when the bytes are the same secret, encrypted. */
  isSecret(encrypted: Buffer): boolean;
}
