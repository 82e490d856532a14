import { createHmac, createSecretKey } from 'node:crypto';

/** The signed content: the event's id, the start of this attempt in Unix seconds, and the exact bytes that are sent. */
export interface Signed {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

const PREFIX = 'whsec_';

/**
 * Returns the value of `webhook-signature` by the Standard Webhooks specification: one signature per secret, newest first.
 * @param secrets `whsec_` and the key in base64
 */
export const sign = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets
    .map((secret) => {
      // With the bytes of the key, Node 24 takes several times as long.
      const key = createSecretKey(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');
