import type { PaymentTransition } from '../domain/outbox.ts';
import type { Fault } from './fault.ts';

export interface PaymentDeps {
  /** Wants the deals of the payments that are pending; repeated calls change nothing. */
  readonly enqueueDeals: (paymentIds: readonly string[]) => Promise<unknown>;
  /** Expires those off-chain payments whose time is over. */
  readonly expireOffchain: (paymentIds: readonly string[]) => Promise<unknown>;
  readonly readTransitions: (paymentIds: readonly string[]) => Promise<PaymentTransition[]>;
  readonly fault: Fault;
}

/** The database steps of createPayment. Each answers all that the payments' logs say by now. */
export const createPaymentActivities = ({ enqueueDeals, expireOffchain, readTransitions, fault }: PaymentDeps) => ({
  enqueueDeals: async (paymentIds: readonly string[]): Promise<PaymentTransition[]> => {
    fault('enqueueDeals:before');
    await enqueueDeals(paymentIds);
    fault('enqueueDeals:after_effect');
    const transitions = await readTransitions(paymentIds);
    fault('enqueueDeals:after_record', 'after_answer');
    return transitions;
  },

  expireOffchain: async (paymentIds: readonly string[]): Promise<PaymentTransition[]> => {
    fault('expireOffchain:before');
    await expireOffchain(paymentIds);
    fault('expireOffchain:after_effect');
    const transitions = await readTransitions(paymentIds);
    fault('expireOffchain:after_record', 'after_answer');
    return transitions;
  },

  readTransitions: (paymentIds: readonly string[]): Promise<PaymentTransition[]> => readTransitions(paymentIds),
});
