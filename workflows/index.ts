/** The workflows of the worker's bundle, by the names in messages.ts. */
export { cancelPayment } from './cancel-payment.ts';
export { lane, offerDeals, watchNetwork } from './chain.ts';
export { createPayment } from './create-payment.ts';
export { diamond } from './diamond.ts';
export { inspect } from './inspect.ts';
export { retrySend } from './retry-send.ts';
export { retryWebhooks, sendWebhooks } from './webhooks.ts';
