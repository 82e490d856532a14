import { createOperations, type CaratOperations } from './operations.ts';
import { usualRetries, type RetryPolicy } from './retry.ts';
import { createTokenSource } from './token-source.ts';
import { createTransport, type Transport } from './transport.ts';

export type * from '../api/generated/openapi-types.ts';
export { CaratError } from './carat-error.ts';
export type { CaratOperations } from './operations.ts';
export type { Pages } from './pages.ts';
export { verifyWebhook, WebhookError, type WebhookDelivery, type WebhookErrorCode } from './webhook.ts';

export interface CaratOptions {
  /** Origin of the API, such as `https://pay.example`. */
  readonly url: string;
  /** Credentials of the integration; both may be absent if only operations without a token are called. */
  readonly apiKey?: string;
  readonly secret?: string;
  /** Requested permissions, separated by spaces. Default: all of the integration's. */
  readonly scope?: string;
  /** Timeout of one attempt including its answer, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Overrides of the default: three retries with exponential backoff. */
  readonly retries?: Partial<RetryPolicy>;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Clock for the expiry of tokens, in milliseconds since the epoch. Default: the platform's. */
  readonly now?: () => number;
}

/**
 * A client of the Carat API: one method per operation of `openapi.yaml`, named by its operationId.
 *
 * It fetches a token at the first call that needs one, and a new one before that expires or after a refusal. Every POST
 * carries an Idempotency-Key, so that a call whose answer was lost is retried without being carried out twice. A PUT or
 * DELETE is retried too; a DELETE whose first answer was lost then ends with 404.
 *
 * Methods throw {@link CaratError} when a call does not succeed.
 */
export const createCaratClient = (options: CaratOptions): CaratOperations => {
  const url = options.url.replace(/\/+$/, '');
  const { apiKey, secret, scope } = options;
  const tokens = createTokenSource(async () => {
    if (apiKey === undefined || secret === undefined) throw new TypeError('apiKey and secret are needed for this call');
    const grant = { grant_type: 'client_credentials', client_id: apiKey, client_secret: secret };
    return createOperations(transport).issueToken(scope === undefined ? grant : { ...grant, scope });
  }, options.now);
  const transport: Transport = createTransport({
    url,
    tokens,
    // Called without `this`, as browsers require.
    fetch: options.fetch ?? ((...call) => fetch(...call)),
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: { ...usualRetries, ...options.retries },
  });
  return createOperations(transport);
};
