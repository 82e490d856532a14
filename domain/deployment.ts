/**
 * The ordered steps that bring a wallet's diamond onto a network, and from one release to another. What they ask of the
 * network and what they keep is in `ports/deployment.ts`.
 */

/** The steps of each kind of run, in the order in which they are done. */
export const deploymentSteps = {
  deploy: ['preflight', 'deploy_facets', 'deploy_diamond', 'verify', 'activate'],
  update: ['preflight', 'deploy_facets', 'cut', 'verify', 'activate'],
} as const;
/** Whether a run makes a diamond or changes one. */
export type DeploymentKind = keyof typeof deploymentSteps;
/** The key of a step. */
export type DeploymentStep = (typeof deploymentSteps)[DeploymentKind][number];

/** How far a step has come. */
export type DeploymentStepStatus = 'pending' | 'started' | 'completed' | 'failed';

/** One row of a deployment, as stored. */
export interface DeploymentStepState {
  readonly id: string;
  readonly key: DeploymentStep;
  readonly status: DeploymentStepStatus;
}

/** What `POST …/deploy` and `POST …/update` answer: the first unfinished step, or the last one when all are done. */
export const currentStep = <Step extends DeploymentStepState>(steps: readonly Step[]): Step => {
  const step = steps.find((candidate) => candidate.status !== 'completed') ?? steps.at(-1);
  if (step === undefined) throw new RangeError('a deployment has at least one step');
  return step;
};

/** Why a deployment refuses the diamond at an address that a client gave: there is none, or it is not the registry's. */
export const adoptionRefusals = { missing: 'adopted_diamond_missing', foreign: 'not_our_diamond' } as const;
