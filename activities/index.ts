import { createDeploymentActivities, type DeploymentDeps } from './deployment.ts';
import { withFailures } from './failures.ts';
import { createLaneActivities, type LaneActivityDeps } from './lane.ts';
import { createPaymentActivities, type PaymentActivityDeps } from './payment.ts';
import { createWatchActivities, type WatchDeps } from './watch.ts';

/** Short activities, which run on the queue of the workflows. */
export const createStepActivities = (deps: PaymentActivityDeps & DeploymentDeps) =>
  withFailures({ ...createPaymentActivities(deps), ...createDeploymentActivities(deps) });

/** Lanes and watchers, which run for minutes on a queue of their own. */
export const createChainActivities = (deps: LaneActivityDeps & WatchDeps) =>
  withFailures({ ...createLaneActivities(deps), ...createWatchActivities(deps) });

export type StepActivities = ReturnType<typeof createStepActivities>;
export type ChainActivities = ReturnType<typeof createChainActivities>;
