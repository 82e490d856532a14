import { createDeploymentActivities, type DeploymentActivityDeps } from './deployment.ts';
import { withFailures } from './failures.ts';
import { createPaymentActivities, type PaymentActivityDeps } from './payment.ts';

/** Short activities, which run on the queue of the workflows. */
export const createStepActivities = (deps: PaymentActivityDeps & DeploymentActivityDeps) =>
  withFailures({ ...createPaymentActivities(deps), ...createDeploymentActivities(deps) });

/** The short activities by name, as workflows call them. */
export type StepActivities = ReturnType<typeof createStepActivities>;
