import type { AnyEvent } from '../api/generated/openapi-types.ts';

/**
 * Reason of a rejection: `malformed` for a missing or invalid header, `out_of_time` for a signature too old or in the
 * future, `wrong_signature`, or `test` for a genuine test event.
 */
export type WebhookErrorCode = 'malformed' | 'out_of_time' | 'wrong_signature' | 'test';

/** A request that must not be acted on. Answer 204 to a `test`, and 401 to all others. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A received request, and the parameters of its verification. */
export interface WebhookDelivery {
  /** The received bytes, or their text. JSON that was parsed and serialised again has another signature. */
  readonly body: string | Uint8Array;
  /** Headers of the request: by lower-case names, as in Node, or a `Headers` object. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The webhook's signing secret, or several; any of them may verify the request. */
  readonly secret: string | readonly string[];
  /** Accepts tests, whose payments do not exist. Never set it where goods are delivered. Default: false. */
  readonly acceptTests?: boolean;
  /** Maximum age of the signature and maximum clock difference, in seconds. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since the epoch. Default: the platform's clock. */
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
  throw new WebhookError('malformed', `The request must have exactly one header ${name}`);
};

const timeOf = (text: string): number => {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new WebhookError('malformed', 'The header webhook-timestamp is not a number of seconds');
};

const keyOf = (secret: string) => {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === null || bytes.length === 0) throw new TypeError('The signing secret is not base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
};

/** True when any secret verifies any signature. The platform compares in constant time. */
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

/** Maximum number of checked signatures: honest senders send fewer, and each costs a hash. */
const MAX_SIGNATURES = 8;

/**
 * Verifies a webhook request (Standard Webhooks): Carat signed exactly these bytes, recently.
 *
 * Tests are refused by default, because their payments do not exist and nothing may be delivered for them.
 * @returns the event
 * @throws WebhookError for a request that must not be acted on
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
    throw new WebhookError('wrong_signature', 'No signature of the request matches the signing secret');
  }
  // Written so that NaN tolerates nothing.
  if (!(Math.abs(now() / 1_000 - at) <= toleranceSeconds)) {
    throw new WebhookError('out_of_time', 'The signature is too old or in the future');
  }
  const event = JSON.parse(new TextDecoder().decode(bytes)) as AnyEvent;
  if (event.id !== id) throw new WebhookError('malformed', 'The body and the header webhook-id name different events');
  if (!acceptTests && (event.test === true || event.type === 'webhook.test')) {
    throw new WebhookError('test', 'The event is a test');
  }
  return event;
};
