import { createOperations, type CaratOperations } from './operations.ts';
import { usualRetries, type RetryPolicy } from './retry.ts';
import { createTokenSource } from './token-source.ts';
import { createTransport, type Transport } from './transport.ts';

export { CaratError } from './carat-error.ts';
export { verifyWebhook, WebhookError, type WebhookDelivery } from './webhook.ts';

export interface CaratOptions {
  /** Where the API is, such as `https://pay.example`. */
  readonly url: string;
  /** Of the integration that calls; both may be left out where only operations without a token are called. */
  readonly apiKey?: string;
  readonly secret?: string;
  /** Permissions to ask for, separated by spaces; all of the integration's when absent. */
  readonly scope?: string;
  /** Milliseconds for one attempt, its answer included. Default 30,000. */
  readonly timeoutMs?: number;
  /** What differs from three retries with growing pauses. */
  readonly retries?: Partial<RetryPolicy>;
  /** Default: the one of the platform. */
  readonly fetch?: typeof fetch;
  /** Milliseconds since the epoch, for the life of tokens. Default: the clock of the platform. */
  readonly now?: () => number;
}

/**
 * A client of the Carat API: one method for every operation of `openapi.yaml`, named by its operationId.
 *
 * It gets its token when it first needs one, and a new one before that ends or when it is refused. Every POST carries an
 * Idempotency-Key, so that a call whose answer was lost is sent again without being carried out twice. A PUT or DELETE is
 * sent again too; a DELETE whose first answer was lost then ends with 404.
 *
 * Methods throw {@link CaratError} when there is no good answer.
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
    // Called without a receiver, as browsers insist.
    fetch: options.fetch ?? ((...call) => fetch(...call)),
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: { ...usualRetries, ...options.retries },
  });
  return createOperations(transport);
};
