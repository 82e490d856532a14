/**
 * The ordered steps that deploy a wallet's diamond on a network, or update it to another release. Their ports to the network
 * and the store are in `ports/deployment.ts`.
 */

/** The steps of each kind of run, in their order. */
export const deploymentSteps = {
  deploy: ['preflight', 'deploy_facets', 'deploy_diamond', 'verify', 'activate'],
  update: ['preflight', 'deploy_facets', 'cut', 'verify', 'activate'],
} as const;
/** Whether a run makes a diamond or changes one. */
export type DeploymentKind = keyof typeof deploymentSteps;
/** The key of a step. */
export type DeploymentStep = (typeof deploymentSteps)[DeploymentKind][number];

/** The progress of a step. */
export type DeploymentStepStatus = 'pending' | 'started' | 'completed' | 'failed';

/** One row of a deployment, as stored. */
export interface DeploymentStepState {
  readonly id: string;
  readonly key: DeploymentStep;
  readonly status: DeploymentStepStatus;
}

/** The step that `POST …/deploy` and `POST …/update` answer: the first unfinished one, or the last when all are done. */
export const currentStep = <Step extends DeploymentStepState>(steps: readonly Step[]): Step => {
  const step = steps.find((candidate) => candidate.status !== 'completed') ?? steps.at(-1);
  if (step === undefined) throw new RangeError('a deployment has at least one step');
  return step;
};

/** Codes for an adopted address without a diamond, or with one that the registry did not create. */
export const adoptionRefusals = { missing: 'adopted_diamond_missing', foreign: 'not_our_diamond' } as const;
