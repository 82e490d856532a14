import type { Failpoint } from '../domain/failpoint.ts';
import type { PaymentTransition } from '../domain/outbox.ts';

export interface PaymentActivityDeps {
  /** Wants the deals of the payments that are pending; repeated calls change nothing. */
  readonly insertDealIntents: (paymentIds: readonly string[]) => Promise<unknown>;
  /** Expires those off-chain payments whose time is over. */
  readonly expireOffchain: (paymentIds: readonly string[]) => Promise<unknown>;
  readonly readTransitions: (paymentIds: readonly string[]) => Promise<PaymentTransition[]>;
  readonly failpoint: Failpoint;
}

/** The database steps of createPayment. Each answers all that the payments' logs say by now. */
export const createPaymentActivities = ({
  insertDealIntents,
  expireOffchain,
  readTransitions,
  failpoint,
}: PaymentActivityDeps) => ({
  enqueueDeals: async (paymentIds: readonly string[]): Promise<PaymentTransition[]> => {
    failpoint('enqueueDeals:before');
    await insertDealIntents(paymentIds);
    failpoint('enqueueDeals:after_effect');
    const transitions = await readTransitions(paymentIds);
    failpoint('enqueueDeals:after_record', 'after_answer');
    return transitions;
  },

  expireOffchain: async (paymentIds: readonly string[]): Promise<PaymentTransition[]> => {
    failpoint('expireOffchain:before');
    await expireOffchain(paymentIds);
    failpoint('expireOffchain:after_effect');
    const transitions = await readTransitions(paymentIds);
    failpoint('expireOffchain:after_record', 'after_answer');
    return transitions;
  },

  readTransitions: (paymentIds: readonly string[]): Promise<PaymentTransition[]> => readTransitions(paymentIds),
});
