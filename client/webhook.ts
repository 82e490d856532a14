import type { AnyEvent } from '../api/generated/openapi-types.ts';

/**
 * Why a request is not taken for an event: a header is missing or makes no sense, it was signed too long ago or in the future,
 * no signature fits, or it is genuine and a test.
 */
export type WebhookErrorCode = 'malformed' | 'out_of_time' | 'wrong_signature' | 'test';

/** A request that is no event to act on. Answer 204 to a `test`, and 401 to all others. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A request as it came, and what it is judged by. */
export interface WebhookDelivery {
  /** The bytes as they came, or their text: JSON that was parsed and written again has another signature. */
  readonly body: string | Uint8Array;
  /** Of the request, by names in lower case, as Node has them, or as `fetch` has them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The signing secret of the webhook, or several: the request is genuine by any of them. */
  readonly secret: string | readonly string[];
  /** Takes tests too, whose payments do not exist. Not for what delivers goods. Default: false. */
  readonly acceptTests?: boolean;
  /** Seconds by which the clocks of sender and receiver may differ, delivery included. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since the epoch. Default: the clock of the platform. */
  readonly now?: () => number;
}

const PREFIX = 'whsec_';

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
};

const headerOf = ({ headers }: WebhookDelivery, name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookError('malformed', `The request has not exactly one header ${name}`);
};

const timeOf = (text: string): number => {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new WebhookError('malformed', 'The header webhook-timestamp is no number of seconds');
};

const keyOf = (secret: string) => {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === null || bytes.length === 0) throw new TypeError('The signing secret is not base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
};

/** True when one of the signatures is by one of the secrets. The platform compares them in constant time. */
const isSigned = async (
  secrets: readonly string[],
  header: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> => {
  const signatures = header
    .split(' ')
    .flatMap((text) => (text.startsWith('v1,') ? (bytesOf(text.slice(3)) ?? []) : []));
  let isGenuine = false;
  for (const secret of secrets) {
    const key = await keyOf(secret);
    for (const signature of signatures)
      isGenuine = (await crypto.subtle.verify('HMAC', key, signature, signed)) || isGenuine;
  }
  return isGenuine;
};

/** Secrets and signatures that are looked at: nobody sends more in good faith, and each costs a hash. */
const MAX_SIGNATURES = 8;

/**
 * Verifies what a webhook was sent (Standard Webhooks): that Carat signed these very bytes, a moment ago.
 *
 * Tests are refused unless they are asked for: their payments do not exist, and nothing may be delivered for them.
 * @returns the event
 * @throws WebhookError for whatever is no event to act on
 */
export const verifyWebhook = async (delivery: WebhookDelivery): Promise<AnyEvent> => {
  const { body, secret, acceptTests = false, toleranceSeconds = 300, now = Date.now } = delivery;
  const [id, timestamp] = [headerOf(delivery, 'webhook-id'), headerOf(delivery, 'webhook-timestamp')];
  const header = headerOf(delivery, 'webhook-signature').split(' ').slice(0, MAX_SIGNATURES).join(' ');
  const at = timeOf(timestamp);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  if (!(await isSigned(typeof secret === 'string' ? [secret] : secret, header, signed))) {
    throw new WebhookError('wrong_signature', 'No signature of the request is by the signing secret');
  }
  // A tolerance that is no number tolerates nothing.
  if (!(Math.abs(now() / 1_000 - at) <= toleranceSeconds)) {
    throw new WebhookError('out_of_time', 'The request was signed at another time');
  }
  const event = JSON.parse(new TextDecoder().decode(bytes)) as AnyEvent;
  if (event.id !== id) throw new WebhookError('malformed', 'The body is of another event than the header webhook-id');
  if (!acceptTests && (event.test === true || event.type === 'webhook.test')) {
    throw new WebhookError('test', 'The event is a test');
  }
  return event;
};
