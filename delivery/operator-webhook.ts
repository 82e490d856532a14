import { operatorWebhookId } from '../domain/alerts/alert.ts';
import type { OperatorWebhook } from '../domain/ports/deliveries.ts';
import {
  credentialsContext,
  readWebhookHost,
  signingSecretContext,
  type WebhookCredentials,
  type WebhookHosts,
} from '../domain/webhook.ts';
import { createEncryption } from '../runtime/encryption.ts';

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
