import type { Failpoint } from '../domain/ports/failpoint.ts';
import type { PaymentTransition } from '../domain/ports/outbox.ts';
import type { Deployer } from '../domain/ports/deployment.ts';
import type { InspectedDiamond } from '../domain/version-check.ts';
import { withFailures } from './failures.ts';
import { createDeploymentActivities, type DeploymentActivityDeps } from './deployment.ts';

/** The database calls of the activities. */
export interface PaymentActivityDeps {
  /** Queues the creates of the payments that are pending; repeated calls change nothing. */
  readonly insertDealIntents: (paymentIds: readonly string[]) => Promise<unknown>;
  /** Expires the off-chain payments among them that are past their expiry. */
  readonly expireOverdueOffchain: (paymentIds: readonly string[]) => Promise<unknown>;
  /** All transitions in the payments' logs. */
  readonly selectTransitions: (paymentIds: readonly string[]) => Promise<PaymentTransition[]>;
  /** Ends a payment with an accepted cancel that cannot have a deal, or queues a cancel on the chain. */
  readonly decideCancel: (paymentId: string) => Promise<unknown>;
  /** Has the lane send the deal of a pending payment again, or queues a new create. */
  readonly sendAgain: (paymentId: string) => Promise<unknown>;
  readonly failpoint: Failpoint;
}

/** The steps of workflows that follow payments. Each returns all transitions in the payments' logs. */
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

/** The steps by name, as workflows call them. */
export type PaymentActivities = ReturnType<typeof createPaymentActivities>;

export interface InspectionActivityDeps {
  readonly deployer: (networkId: string) => Promise<Deployer>;
}

/** Inspects diamonds, on a separate queue: callers may request any number of inspections. */
export const createInspectionActivities = ({ deployer }: InspectionActivityDeps) =>
  withFailures({
    inspectDiamond: async (networkId: string, address: string): Promise<InspectedDiamond> => {
      const inspection = await (await deployer(networkId)).inspect(address);
      return { ...inspection, checkedAt: new Date().toISOString() };
    },
  });

/** By name, as the workflow calls it. */
export type InspectionActivities = ReturnType<typeof createInspectionActivities>;

/** Short activities, which run on the queue of the workflows. */
export const createStepActivities = (deps: PaymentActivityDeps & DeploymentActivityDeps) =>
  withFailures({ ...createPaymentActivities(deps), ...createDeploymentActivities(deps) });

/** The short activities by name, as workflows call them. */
export type StepActivities = ReturnType<typeof createStepActivities>;
