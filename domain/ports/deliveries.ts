/**
 * What merchants are sent, what their receivers said to it, and the store behind both. Times are ISO 8601 in UTC where
 * they are texts.
 */
import type { ShownAlert } from '../alert.ts';
import type { PaymentFacts } from '../payment-facts.ts';

/** How far a delivery has got. Only `pending` ones are sent. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'skipped' | 'canceled';

/** One attempt. It holds no credentials; the body that was sent is the event's. */
export interface DeliveryTry {
  readonly at: string;
  readonly url: string;
  /** Of the answer; null when there was none. */
  readonly status: number | null;
  /** Why there was none: `timed_out`, `address_refused`, `interrupted` of a test, or a code of the network or of TLS. */
  readonly error: string | null;
  /** The first 2 kB of the answer, without our credentials. */
  readonly body: string;
  readonly duration_ms: number;
}

/** The part of a configuration that an attempt needs, as it was when it was read. */
export interface Receiver {
  readonly webhookId: string;
  /** When that was, in milliseconds of `performance.now()`. */
  readonly readAt: number;
  /** The node that hears by it; what its configurations have in hand is bounded together. */
  readonly ownerId: string;
  /** An origin in its normal form. */
  readonly host: string;
  readonly successPath: string;
  readonly errorPath: string;
  readonly encryptedCredentials: Uint8Array;
  /** The newest first; the one before it while its overlap lasts. */
  readonly encryptedSecrets: readonly Uint8Array[];
}

/** An event as it was stored, with all that its body is made of. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  /** Of the payment's log entry; null where the event speaks of no payment. */
  readonly sequence: number | null;
  readonly at: Date;
  /** Told only because somebody wanted to see it arrive; the payment is made up then. */
  readonly isTest: boolean;
  /** Null in a test and in what the operator is told. */
  readonly payment: PaymentFacts | null;
  /** What the operator is told of; null in all else. */
  readonly alert: ShownAlert | null;
  /** Of a sign of life: how many seconds there are between two. Null in all else. */
  readonly intervalSeconds: number | null;
}

/** The body of an event, as it is sent; or what it is made of, where it was never made. */
export interface EventBody {
  readonly id: string;
  readonly body: string | null;
  readonly event: StoredEvent | null;
}

/** A delivery that is due, with what its attempt needs beside the body. */
export interface DueDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  /** Attempts before this one. */
  readonly attempts: number;
  /** Sent once, and its outcome counts for nothing. */
  readonly isTest: boolean;
  /** Of the event's body; null when it was never made. */
  readonly bodyBytes: number | null;
  readonly receiver: Receiver;
}

/** What came of an attempt. */
export interface DeliveryResult {
  readonly id: string;
  readonly webhookId: string;
  readonly isTest: boolean;
  readonly attempt: DeliveryTry;
  /** How many attempts were counted when it was sent, where a test is counted as it begins. Fewer are there once somebody has wanted it anew. */
  readonly counted: number;
  /** Where the configuration pointed. */
  readonly place: { readonly host: string; readonly path: string };
  /** `gone`: who is at that place wants nothing any more. Never that of a test. */
  readonly outcome: 'delivered' | 'failed' | 'gone';
  /** Until the next attempt, after a failure; null: that was the last one. */
  readonly pauseMs: number | null;
}

/** A configuration that gets nothing any more, until somebody switches it on again. */
export interface DisabledReceiver {
  readonly webhookId: string;
  /** `backlog`: its node has too much undelivered, and this configuration has the most of it. */
  readonly reason: 'gone' | 'failing' | 'backlog';
}

/** A configuration that has begun to fail, or takes what it is sent again. */
export interface TurnedReceiver {
  readonly webhookId: string;
  readonly isFailing: boolean;
}

/** What has come of recording. */
export interface Recorded {
  readonly turned: readonly TurnedReceiver[];
  readonly disabled: readonly DisabledReceiver[];
  /** Somebody else holds their configuration or delivery: they are to be recorded again. */
  readonly left: readonly DeliveryResult[];
}

/** A configuration with the deliveries that a sender has in hand for it, and how many more it would take. */
export interface Holder {
  readonly webhookId: string;
  readonly held: readonly string[];
  readonly room: number;
}

/** What a sender finds when it looks. */
export interface FirstLook {
  readonly due: readonly DueDelivery[];
  /** Failing configurations that have something to send: their retries are to be woken. */
  readonly failing: readonly string[];
}

/** Where the operator wants to be told of alerts. */
export interface OperatorWebhook {
  readonly host: string;
  readonly path: string;
  readonly encryptedCredentials: Buffer;
  readonly encryptedSecret: Buffer;
  /** Whether these are the encrypted bytes of the same secret. */
  isSecret(encrypted: Buffer): boolean;
}

/** What the operator is told. Any process may send it, so each takes what it sends: unlike a sender of merchants' it has company. */
export interface OperatorDeliveryStore extends Pick<DeliveryStore, 'readBodies' | 'keepBodies'> {
  /** Takes at most so many deliveries that are due; what is not recorded within the claim is due again. */
  claim(limit: number, claimMs: number): Promise<readonly DueDelivery[]>;
  record(results: readonly DeliveryResult[]): Promise<Recorded>;
}

/** The rows, behind SQL. Nothing is lent: what was not recorded is due still, so each is sent at least once. */
export interface DeliveryStore {
  /**
   * First attempts of configurations that are active and not failing, oldest first, for each as many as it has room for, and
   * at most `limit`, so that those that one node hears by hold `perOwner` at most; those that hold the fewest come first.
   * @param holders configurations whose deliveries are in hand
   * @param room of all others
   */
  dueFirsts(
    holders: readonly Holder[],
    limits: { readonly room: number; readonly perOwner: number; readonly limit: number },
  ): Promise<FirstLook>;
  /** Everything of one failing configuration that is due: retries, and first attempts while it fails. Tests first, then the earliest. */
  dueOf(webhookId: string, busy: readonly string[], limit: number): Promise<readonly DueDelivery[]>;
  /** Those of the deliveries that are due still, with their receivers as they are now. */
  reread(ids: readonly string[]): Promise<readonly DueDelivery[]>;
  /**
   * Marks tests as begun, each once, so that nobody else sends them. What is never recorded is due again for its retries, which
   * end it.
   * @returns those that nobody has begun before
   */
  beginTests(ids: readonly string[]): Promise<readonly string[]>;
  /** Milliseconds until there is something due in the sense of `dueOf`; null when there will be nothing. */
  nextDueMs(webhookId: string): Promise<number | null>;
  /** The bodies of events, or what they are made of. */
  readBodies(eventIds: readonly string[]): Promise<readonly EventBody[]>;
  /** Keeps bodies for ever. Answers what is kept, by the event's id: maybe what another process has made before. */
  keepBodies(bodies: readonly { readonly id: string; readonly body: string }[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Records what came of attempts, in the order in which they ended and in one transaction: states, tries, when
   * configurations began to fail or recovered. What has failed wakes the retries of its configuration, unless it is they
   * that record. It waits for nobody who holds one of them, because the others are of other merchants.
   */
  record(results: readonly DeliveryResult[], options: { readonly wakesRetries: boolean }): Promise<Recorded>;
  /** Lets the workflows run that bring failing configurations what they have not taken. */
  wakeRetries(webhookIds: readonly string[]): Promise<void>;
  /**
   * Ends what is pending although its configuration was disabled or deleted meanwhile; of a long backlog a part.
   * @param signal after which no further configuration is begun with
   * @returns the configurations whose retries are late by more than that
   */
  tidy(overdueMs: number, signal?: AbortSignal): Promise<readonly string[]>;
}
