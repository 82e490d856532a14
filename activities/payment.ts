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
  /** Ends a payment that is being canceled and can have no deal, or wants a cancel on the chain. */
  readonly decideCancel: (paymentId: string) => Promise<unknown>;
  /** Sends the deal of a pending payment again, or wants it anew. */
  readonly sendAgain: (paymentId: string) => Promise<unknown>;
  readonly failpoint: Failpoint;
}

/** The database steps of what follows payments. Each answers all that the payments' logs say by now. */
export const createPaymentActivities = (deps: PaymentActivityDeps) => {
  const { insertDealIntents, expireOverdueOffchain, decideCancel, sendAgain, selectTransitions, failpoint } = deps;

  const activity =
    <Ids extends string | readonly string[]>(
      name: 'enqueueDeals' | 'expireOffchain' | 'decideCancel' | 'sendAgain',
      effect: (ids: Ids) => Promise<unknown>,
    ) =>
    async (ids: Ids): Promise<PaymentTransition[]> => {
      failpoint(`${name}:before`);
      await effect(ids);
      failpoint(`${name}:after_effect`);
      const transitions = await selectTransitions([ids].flat());
      failpoint(`${name}:after_record`, 'after_answer');
      return transitions;
    };

  return {
    enqueueDeals: activity('enqueueDeals', insertDealIntents),
    expireOffchain: activity('expireOffchain', expireOverdueOffchain),
    decideCancel: activity('decideCancel', decideCancel),
    sendAgain: activity('sendAgain', sendAgain),
    readTransitions: selectTransitions,
  };
};
