/** Everything that the worker's bundle runs, by the names in messages.ts. */
export { createPayment } from './create-payment.ts';
export { diamond } from './diamond.ts';
export { lane } from './lane.ts';
export { watchNetwork } from './watch-network.ts';
