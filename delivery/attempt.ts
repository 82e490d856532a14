import { retryPause, readRetryAfter } from '../domain/webhooks/delivery-schedule.ts';
import type { DeliveryResult, DueDelivery, Receiver } from '../domain/ports/deliveries.ts';
import type { DeliveryStore } from '../db/webhooks/delivery-store.ts';
import { createBatch } from '../domain/tools/batch.ts';
import {
  credentialsContext,
  openHeaders,
  pathOf,
  signingSecretContext,
  type WebhookCredentials,
} from '../domain/webhook.ts';
import type { Encryption } from '../runtime/encryption.ts';
import type { Agents } from './agent.ts';
import type { Bodies } from './bodies.ts';
import { formsOf, hide } from '../domain/tools/hide.ts';
import { send, type ReceiverResponse, sign } from './send.ts';
import { measure } from '../runtime/measures.ts';

/** Dependencies of every attempt, beside its delivery. */
export interface AttemptDeps {
  readonly agents: Agents;
  readonly bodies: Bodies;
  readonly renew: Renew;
  readonly encryption: Pick<Encryption, 'decrypt'>;
  readonly profile: 'production' | 'test';
}

/**
 * Sends a delivery once and returns the result; null when it is no longer due.
 * @throws UnsendableError when this delivery alone cannot be sent, or the error that kept bodies or receivers from being read
 */
export type AttemptDelivery = (due: DueDelivery) => Promise<DeliveryResult | null>;

/** Carat cannot read or render what a delivery needs. Its receiver is not at fault, and other deliveries are not affected. */
export class UnsendableError extends Error {
  override readonly name = 'UnsendableError';
  readonly code: OwnFault;

  constructor(code: OwnFault) {
    super('Carat cannot send a delivery');
    this.code = code;
  }
}

/** Faults of Carat: the event cannot be rendered; the secrets are damaged, or encrypted under another master key. */
const ownFaults = ['body_unavailable', 'secret_unreadable'] as const;
type OwnFault = (typeof ownFaults)[number];
const ownFaultOf = ({ error }: ReceiverResponse): OwnFault | undefined => ownFaults.find((code) => code === error);

/** Refreshes a delivery right before it is sent; null when it is no longer due, or another process sends it. */
export type Renew = (due: DueDelivery) => Promise<DueDelivery | null>;

/** Age at which a receiver is read again before a send, in milliseconds. */
export const FRESH_MS = 1_000;
/** Deliveries per statement that reads receivers again, and concurrent statements. */
const REREAD_AT_ONCE = { maxItems: 200, maxBatches: 1 };
/** Tests per statement that marks them as begun. Statements do not wait for each other, because a row may be locked. */
const BEGUN_AT_ONCE = { maxItems: 32 };

const isBegunTest = ({ isTest, attempts }: DueDelivery): boolean => isTest && attempts > 0;

/** Reads receivers again that may have changed while their delivery waited, and begins each test once. */
export const createRenew = (store: Pick<DeliveryStore, 'reread' | 'beginTests'>): Renew => {
  const reread = createBatch<string, DueDelivery | null>({
    ...REREAD_AT_ONCE,
    run: async (ids) => {
      const now = new Map((await store.reread(ids)).map((due) => [due.id, due]));
      return ids.map((id) => now.get(id) ?? null);
    },
  });
  const begin = createBatch<string, boolean>({
    ...BEGUN_AT_ONCE,
    run: async (ids) => {
      const begun = await store.beginTests(ids);
      return ids.map((id) => begun.includes(id));
    },
  });
  return async (due) => {
    const isFresh = performance.now() - due.receiver.readAt < FRESH_MS;
    const now = isFresh ? due : await reread(due.id);
    if (now === null || !now.isTest || isBegunTest(now)) return now;
    return (await begin(now.id)) ? now : null;
  };
};

/** Time until the status of a response, in milliseconds, by profile. */
const timeouts = { production: 15_000, test: 3_000 };
/** Margin for the rest of the response and for the process itself, in milliseconds. */
const REST_MS = 2_500;

/** Longest duration of an attempt, in milliseconds. */
export const attemptMs = (profile: AttemptDeps['profile']): number => timeouts[profile] + REST_MS;

const GONE = 410;

/** The authorization header, and the parts of it to hide in responses. */
const authorize = (credentials: WebhookCredentials): { headers: { authorization?: string }; hidden: string[] } => {
  if (credentials.type === 'none') return { headers: {}, hidden: [] };
  if (credentials.type === 'token') {
    const { token } = credentials;
    return { headers: { authorization: `Bearer ${token}` }, hidden: [token] };
  }
  const { username, password } = credentials;
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  return { headers: { authorization: `Basic ${pair}` }, hidden: [pair, username, password] };
};

const unsent = (error: string): ReceiverResponse => ({
  status: null,
  error,
  body: '',
  retryAfter: null,
  durationMs: 0,
});

/** Decrypts the credentials and secrets of a receiver once for all deliveries that share the object. */
const createOpener = (encryption: AttemptDeps['encryption']) => {
  const open = (receiver: Receiver) => {
    const { webhookId, encryptedCredentials, encryptedSecrets } = receiver;
    const credentials = encryption.decrypt(credentialsContext(webhookId), encryptedCredentials);
    const { headers, hidden } = authorize(JSON.parse(credentials) as WebhookCredentials);
    return {
      headers,
      hidden: formsOf(hidden),
      secrets: encryptedSecrets.map((secret) => encryption.decrypt(signingSecretContext(webhookId), secret)),
    };
  };
  const opened = new WeakMap<Receiver, ReturnType<typeof open>>();
  return (receiver: Receiver): ReturnType<typeof open> => {
    const known = opened.get(receiver) ?? open(receiver);
    opened.set(receiver, known);
    return known;
  };
};

/** Creates the function that makes the attempts of one process. */
export const createAttempt = ({ agents, bodies, renew, encryption, profile }: AttemptDeps): AttemptDelivery => {
  const openReceiver = createOpener(encryption);
  const make = async (due: DueDelivery, body: Buffer | null): Promise<DeliveryResult> => {
    const { eventId, receiver, type, isTest } = due;
    const at = new Date();
    const path = pathOf(type, { success: receiver.successPath, error: receiver.errorPath });
    let url = `${receiver.host}${path}`;
    const post = async (): Promise<ReceiverResponse> => {
      if (isBegunTest(due)) return unsent('interrupted');
      if (body === null) return unsent('body_unavailable');
      const target = new URL(url);
      url = target.href;
      if (target.origin !== receiver.host) return unsent('address_refused');
      const open = openHeaders(eventId, at);
      const opened = openReceiver(receiver);
      const signature = sign(opened.secrets, { id: eventId, timestamp: open['webhook-timestamp'], body });
      const headers = { ...open, ...opened.headers, 'webhook-signature': signature };
      const response = await send({ url: target, headers, body }, { agents, timeoutMs: timeouts[profile] });
      return { ...response, body: hide(response.body, [...opened.hidden, ...formsOf(signature.split(' '))]) };
    };
    // Only unreadable secrets of this configuration throw here.
    const response = await post().catch(() => unsent('secret_unreadable'));
    const { status, error, body: said, retryAfter, durationMs } = response;
    const ownFault = ownFaultOf(response);
    // A test ends in any case, and tells its user.
    if (ownFault !== undefined && !isTest) throw new UnsendableError(ownFault);
    const isDelivered = status !== null && status >= 200 && status <= 299;
    const outcome = isDelivered ? 'delivered' : status === GONE && !isTest ? 'gone' : 'failed';
    measure('attempt', { outcome: isTest ? 'test' : outcome, seconds: durationMs / 1_000 });
    return {
      id: due.id,
      webhookId: receiver.webhookId,
      isTest,
      attempt: {
        at: at.toISOString(),
        url,
        status,
        error,
        body: said,
        duration_ms: durationMs,
      },
      counted: isTest ? 1 : due.attempts,
      place: { host: receiver.host, path },
      outcome,
      pauseMs:
        isDelivered || isTest
          ? null
          : retryPause(due.attempts + 1, readRetryAfter(retryAfter, new Date()), { profile }),
    };
  };
  return async (due) => {
    const { body, free } = await bodies.take(due);
    try {
      const now = await renew(due);
      return now === null ? null : await make(now, body);
    } finally {
      free();
    }
  };
};
