import type { DeploymentStep } from '../domain/deployment.ts';
import type { Deployer, DeploymentProblem, DeploymentStore, StepCall, StepToRun } from '../domain/ports/deployment.ts';
import type { Failpoint } from '../domain/ports/failpoint.ts';
import { withHeartbeat } from './heartbeat.ts';

/** What a deployment's activities work with. */
export interface DeploymentActivityDeps {
  readonly deployments: DeploymentStore;
  readonly deployer: (networkId: string) => Promise<Deployer>;
  readonly failpoint: Failpoint;
}

/** What a try of a step came to. Waiting: something on the chain has to happen first. */
export interface StepOutcome {
  readonly status: 'completed' | 'waiting' | 'failed';
  readonly detail: string | null;
}

/** What a step found when it looked: it is done, it is impossible, it waits, or it wants these calls on the chain. */
type Finding =
  | { readonly done: true }
  | { readonly problem: DeploymentProblem }
  | { readonly waitFor: string }
  | { readonly calls: readonly StepCall[] };

const doneUnless = (problem: DeploymentProblem | null): Finding => (problem === null ? { done: true } : { problem });

/** Whether a node is within the reach of who asked for the deployment. */
type Reach = (nodeId: string) => Promise<boolean>;

/** Every step looks at the chain first, so that it may be repeated at any time and finds what others have done. */
const findings: Record<DeploymentStep, (step: StepToRun, deployer: Deployer, reaches: Reach) => Promise<Finding>> = {
  preflight: async (_step, deployer) => doneUnless(await deployer.preflight()),

  deploy_facets: async (_step, deployer) => {
    const missing = await deployer.missingFacets();
    if (missing.length === 0) return { done: true };
    return {
      calls: missing.map(({ name, ...call }) => ({ purpose: 'deploy_facet', what: name, ...call })),
    };
  },

  deploy_diamond: async (step, deployer, reaches) => {
    // Nothing is ever created for an adopted wallet: what node and wallet would create has another address.
    if (step.adopted) return doneUnless(await deployer.refuseAdoption(step.diamondAddress, reaches));
    if (await deployer.hasDiamond(step.diamondAddress)) return { done: true };
    const call = deployer.createDiamondCall(step.nodeId, step.walletId);
    return { calls: [{ purpose: 'create_diamond', what: 'diamond', ...call }] };
  },

  verify: async (step, deployer, reaches) => {
    const refusal = step.adopted ? await deployer.refuseAdoption(step.diamondAddress, reaches) : null;
    if (refusal !== null) return { problem: refusal };
    // A block may have been reorganised away meanwhile; its transaction comes again.
    if (!(await deployer.hasDiamond(step.diamondAddress))) return { waitFor: 'the diamond to be mined again' };
    return doneUnless(await deployer.verifyDiamond(step.diamondAddress));
  },

  activate: async (step, deployer) =>
    (await deployer.isConfirmed(step.diamondAddress)) ? { done: true } : { waitFor: 'confirmations of the diamond' },
};

/** The steps of the diamond workflow. */
export const createDeploymentActivities = ({ deployments, deployer, failpoint }: DeploymentActivityDeps) => {
  const finish = async (step: StepToRun, chain: Deployer): Promise<void> => {
    if (step.key !== 'activate') await deployments.completeStep(step);
    else await deployments.activateDiamond(step, await chain.releaseLike(step.diamondAddress));
  };

  /** Wants the calls on the chain, once for each try of the step; one that had no effect fails the step. */
  const request = async (step: StepToRun, calls: readonly StepCall[]): Promise<Finding> => {
    const requested = new Map((await deployments.requestedCalls(step)).map((call) => [call.what, call]));
    for (const call of calls) {
      const earlier = requested.get(call.what);
      if (earlier === undefined) await deployments.requestCall(step, call);
      else if (earlier.state === 'settled' && earlier.outcome !== 'effective') {
        return { problem: { code: 'transaction_failed', message: `The transaction for ${call.what} had no effect` } };
      }
    }
    return { waitFor: `${calls.map((call) => call.what).join(', ')} on the chain` };
  };

  return {
    nextStep: async (walletId: string, networkId: string): Promise<{ id: string; key: DeploymentStep } | null> => {
      const step = await deployments.nextStep(walletId, networkId);
      return step === null ? null : { id: step.id, key: step.key };
    },

    runStep: (walletId: string, networkId: string, stepId: string): Promise<StepOutcome> =>
      withHeartbeat(async () => {
        const step = await deployments.nextStep(walletId, networkId);
        // An earlier try has finished it and its answer was lost.
        if (step === null || step.id !== stepId) return { status: 'completed', detail: null };
        failpoint('runStep:before');
        const chain = await deployer(networkId);
        const found = await findings[step.key](step, chain, (nodeId) => deployments.reaches(step, nodeId));
        const finding = 'calls' in found ? await request(step, found.calls) : found;
        failpoint('runStep:after_effect');
        if ('waitFor' in finding) return { status: 'waiting', detail: `waits for ${finding.waitFor}` };
        if ('problem' in finding) await deployments.failStep(step, finding.problem);
        else await finish(step, chain);
        failpoint('runStep:after_record');
        return 'problem' in finding
          ? { status: 'failed', detail: `${finding.problem.code}: ${finding.problem.message}` }
          : { status: 'completed', detail: null };
      }),
  };
};
