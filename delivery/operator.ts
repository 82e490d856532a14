import { setTimeout as delay } from 'node:timers/promises';
import type { OperatorDeliveryStore } from '../db/webhooks/operator.ts';
import { operatorWebhookId } from '../domain/alerts/alert.ts';
import type { OperatorWebhook } from '../domain/ports/deliveries.ts';
import { logOutcomes, pause, startLoop } from '../domain/tools/repeat.ts';
import {
  credentialsContext,
  readWebhookHost,
  signingSecretContext,
  type WebhookCredentials,
  type WebhookHosts,
} from '../domain/webhook.ts';
import { createEncryption } from '../runtime/encryption.ts';
import { attemptMs } from './attempt.ts';
import { createDeliveriesInHand } from './deliveries-in-hand.ts';
import { FEWEST_AT_ONCE } from './receiver-queues.ts';
import { createSending, type SendingDeps } from './sending.ts';

interface OperatorWebhookOptions {
  /** Stores the configuration; null removes it. */
  readonly keep: (wanted: OperatorWebhook | null) => Promise<void>;
  readonly masterKey: Uint8Array;
  readonly webhookHosts: WebhookHosts;
  /** URL; empty when alerts are not sent. */
  readonly alertWebhook: string;
  readonly alertWebhookSecret: string;
}

const credentialsOf = ({ username, password }: URL): WebhookCredentials =>
  username === '' && password === ''
    ? { type: 'none' }
    : { type: 'basic', username: decodeURIComponent(username), password: decodeURIComponent(password) };

/**
 * Stores the operator's webhook from the configuration of this process.
 * @throws Error when the URL may not be called or the secret is missing
 */
export const storeOperatorWebhook = async (options: OperatorWebhookOptions): Promise<void> => {
  const { keep, masterKey, webhookHosts, alertWebhook, alertWebhookSecret: secret } = options;
  if (alertWebhook === '') return keep(null);
  const url = new URL(alertWebhook);
  const read = readWebhookHost(url.origin, webhookHosts);
  if ('problem' in read) throw new Error(`CARAT_ALERT_WEBHOOK ${read.problem}`);
  if (secret === '') throw new Error('CARAT_ALERT_WEBHOOK_SECRET is missing');
  const { encrypt, decrypt } = createEncryption(masterKey);
  const signing = signingSecretContext(operatorWebhookId);
  const wanted: OperatorWebhook = {
    host: read.origin,
    path: `${url.pathname}${url.search}`,
    encryptedCredentials: encrypt(credentialsContext(operatorWebhookId), JSON.stringify(credentialsOf(url))),
    encryptedSecret: encrypt(signing, secret),
    isSecret: (encrypted) => decrypt(signing, encrypted) === secret,
  };
  await keep(wanted);
};

export interface OperatorSenderDeps extends Omit<SendingDeps, 'renew'> {
  readonly store: OperatorDeliveryStore;
}

/** Most deliveries of a claim: all of them begin at once, so that none waits while its claim runs out. */
const MOST_CLAIMED = FEWEST_AT_ONCE;
/** Pause between two queries, in milliseconds. */
export const OPERATOR_POLL_MS = 1_000;
/** Time of a claim beyond the longest attempt, for the database, in milliseconds. */
const MARGIN_MS = 5_000;
/** Time for attempts in flight when the process stops, in milliseconds. Deliveries not recorded by then are sent again. */
const GRACE_MS = 3_000;

/**
 * Sends the due deliveries of the operator's webhook, first attempts and retries, until it is stopped. It needs only the
 * database, so it works without Temporal and without other processes. Of several processes, one claims each delivery.
 */
export const startOperatorSender = (deps: OperatorSenderDeps): { stop(): Promise<void> } => {
  const { store, profile, log } = deps;
  // Claimed deliveries are sent at once.
  const sending = createSending({ ...deps, renew: (due) => Promise.resolve(due) });
  const flight = createDeliveriesInHand({ ...sending, store });

  const look = async (): Promise<number | void> => {
    const due = await store.claim(MOST_CLAIMED, attemptMs(profile) + MARGIN_MS);
    flight.begin(due);
    while (!flight.isIdle()) {
      await pause(OPERATOR_POLL_MS, flight.nextEnd());
      await flight.record({ wakesRetries: false });
    }
    // More may be due.
    if (due.length === MOST_CLAIMED) return 0;
  };

  const words = {
    works: 'The operator webhook sender works again',
    fails: 'The operator webhook sender failed; retrying',
  };
  const looking = startLoop(look, { everyMs: OPERATOR_POLL_MS, ...logOutcomes(log, words) });

  return {
    stop: async () => {
      await Promise.race([looking.stop(), delay(GRACE_MS, undefined, { ref: false })]);
      sending.close();
    },
  };
};
