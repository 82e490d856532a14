import { createHmac } from 'node:crypto';

/** What is signed: the event's id, when this attempt began in seconds since the epoch, and the very bytes that are sent. */
export interface Signed {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

const PREFIX = 'whsec_';

/**
 * The value of `webhook-signature` as Standard Webhooks wants it: one signature for each secret, the newest first.
 * @param secrets `whsec_` and the key in base64
 */
export const sign = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');
