import type { Failpoint } from '../domain/ports/failpoint.ts';
import type { PaymentTransition } from '../domain/ports/outbox.ts';

/** The statements that the activities run. */
export interface PaymentActivityDeps {
  /** Wants the deals of the payments that are pending; repeated calls change nothing. */
  readonly insertDealIntents: (paymentIds: readonly string[]) => Promise<unknown>;
  /** Expires those off-chain payments whose time is over. */
  readonly expireOverdueOffchain: (paymentIds: readonly string[]) => Promise<unknown>;
  /** All that the payments' logs say by now. */
  readonly selectTransitions: (paymentIds: readonly string[]) => Promise<PaymentTransition[]>;
  readonly failpoint: Failpoint;
}

/** The database steps of createPayment. Each answers all that the payments' logs say by now. */
export const createPaymentActivities = (deps: PaymentActivityDeps) => {
  const { insertDealIntents, expireOverdueOffchain, selectTransitions, failpoint } = deps;

  const activity =
    (name: 'enqueueDeals' | 'expireOffchain', effect: (paymentIds: readonly string[]) => Promise<unknown>) =>
    async (paymentIds: readonly string[]): Promise<PaymentTransition[]> => {
      failpoint(`${name}:before`);
      await effect(paymentIds);
      failpoint(`${name}:after_effect`);
      const transitions = await selectTransitions(paymentIds);
      failpoint(`${name}:after_record`, 'after_answer');
      return transitions;
    };

  return {
    enqueueDeals: activity('enqueueDeals', insertDealIntents),
    expireOffchain: activity('expireOffchain', expireOverdueOffchain),
    readTransitions: selectTransitions,
  };
};
