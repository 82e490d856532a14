/** Events, deliveries and their results, and the port to their store. Times as text are ISO 8601 in UTC. */
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

/** The operator's deliveries. Unlike those of merchants, every process sends them, so each process claims its own. */
export interface OperatorDeliveryStore extends Pick<DeliveryStore, 'readBodies' | 'keepBodies' | 'record'> {
  /** Claims up to `limit` due deliveries. Those without a recorded result are due again after `claimMs`. */
  claim(limit: number, claimMs: number): Promise<readonly DueDelivery[]>;
}

/** The store of deliveries. Without claims: a delivery is due until its result is recorded, so each is sent at least once. */
export interface DeliveryStore {
  /**
   * Finds due first attempts of configurations that are active and not failing, oldest first: as many per configuration as it
   * has room for, so many per node that it has at most `perOwner` in hand, and at most `limit` in all. Configurations with the
   * fewest in hand come first.
   * @param holders configurations with deliveries in hand
   * @param limits `room`: that of all other configurations
   */
  dueFirsts(
    holders: readonly Holder[],
    limits: { readonly room: number; readonly perOwner: number; readonly limit: number },
  ): Promise<FirstLook>;
  /** Writes a row of a configuration's deliveries without a change. @throws Error while the database refuses writes */
  requireWritable(webhookId: string): Promise<void>;
  /** Finds due deliveries of a failing configuration: retries, and first attempts while it fails. Tests come first. */
  dueOf(webhookId: string, busy: readonly string[], limit: number): Promise<readonly DueDelivery[]>;
  /** Reads deliveries again, with their present receivers. Omits those that are no longer due. */
  reread(ids: readonly string[]): Promise<readonly DueDelivery[]>;
  /**
   * Marks tests as begun, each once, so that no other process sends them. A begun test without a result is due again for the
   * retries, which end it.
   * @returns the tests that were not begun before
   */
  beginTests(ids: readonly string[]): Promise<readonly string[]>;
  /** Milliseconds until `dueOf` finds a delivery; null when it will find none. */
  nextDueMs(webhookId: string, putOff: readonly string[]): Promise<number | null>;
  /** Reads the bodies of events, or the stored events while bodies are not rendered. */
  readBodies(eventIds: readonly string[]): Promise<readonly EventBody[]>;
  /** Stores bodies, unless another process has done so. Returns the stored bodies by event id. */
  keepBodies(bodies: readonly { readonly id: string; readonly body: string }[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Records results in the order in which the attempts ended, in one transaction: states, tries, and which configurations
   * started to fail or recovered. With `wakesRetries`, a failure wakes the retries of its configuration. Rows locked elsewhere
   * are skipped, because the other results belong to other merchants.
   */
  record(results: readonly DeliveryResult[], options: { readonly wakesRetries: boolean }): Promise<Recorded>;
  /** Starts or wakes the retry workflows of failing configurations. */
  wakeRetries(webhookIds: readonly string[]): Promise<void>;
  /**
   * Ends pending deliveries of disabled or deleted configurations; of a long backlog only a part.
   * @param signal stops the cleanup before the next configuration
   * @returns the configurations whose retries are overdue by more than `overdueMs`
   */
  tidy(overdueMs: number, signal?: AbortSignal): Promise<readonly string[]>;
}
