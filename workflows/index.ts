/** The workflows of the worker's bundle, by the names in messages.ts. */
export { cancelPayment } from './payments.ts';
export { lane, offerDeals, watchNetwork } from './chain.ts';
export { createPayment } from './payments.ts';
export { diamond } from './diamond.ts';
export { inspect } from './diamond.ts';
export { retrySend } from './payments.ts';
export { retryWebhooks, sendWebhooks } from './chain.ts';
