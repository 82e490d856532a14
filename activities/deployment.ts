import { adoptionRefusals, type DeploymentKind, type DeploymentStep } from '../domain/deployment.ts';
import type {
  Deployer,
  DeploymentProblem,
  DeploymentStore,
  RequestedCall,
  StepCall,
  StepToRun,
} from '../domain/ports/deployment.ts';
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
  /** Of the transactions that this try of the step has wanted, as far as they are signed. */
  readonly transactions?: readonly string[];
}

/** What a step found when it looked: it is done, it is impossible, it waits, or it wants these calls on the chain. */
type Finding =
  | { readonly done: true }
  | { readonly problem: DeploymentProblem }
  | { readonly waitFor: string }
  | { readonly calls: readonly StepCall[] };

const doneUnless = (problem: DeploymentProblem | null): Finding => (problem === null ? { done: true } : { problem });

/** What the steps look with. */
interface Look {
  readonly deployer: Deployer;
  /** Whether a node is within the reach of who asked for the deployment. */
  readonly reaches: (nodeId: string) => Promise<boolean>;
  /** What this try of the step has wanted so far. */
  readonly requested: readonly RequestedCall[];
}

const foreign: DeploymentProblem = {
  code: adoptionRefusals.foreign,
  message: 'The registry did not make the diamond',
};

const changed: DeploymentProblem = {
  code: 'loupe_changed',
  message: 'The diamond was changed after its cut was planned; the next update plans anew',
};

const mismatch = (version: string): DeploymentProblem => ({
  code: 'release_mismatch',
  message: `The release "${version}" of the network is none of ours`,
});

/** Every step looks at the chain first, so that it may be repeated at any time and finds what others have done. */
const findings: Record<DeploymentStep, (step: StepToRun, look: Look) => Promise<Finding>> = {
  preflight: async (_step, { deployer }) => doneUnless(await deployer.preflight()),

  deploy_facets: async (_step, { deployer }) => {
    const missing = await deployer.missingFacets();
    if (missing.length === 0) return { done: true };
    return {
      calls: missing.map(({ name, ...call }) => ({ purpose: 'deploy_facet', what: name, ...call })),
    };
  },

  deploy_diamond: async (step, { deployer, reaches }) => {
    // Nothing is ever created for an adopted wallet: what node and wallet would create has another address.
    if (step.adopted) return doneUnless(await deployer.refuseAdoption(step.diamondAddress, reaches));
    if (await deployer.hasDiamond(step.diamondAddress)) return { done: true };
    const call = deployer.createDiamondCall(step.nodeId, step.walletId);
    return { calls: [{ purpose: 'create_diamond', what: 'diamond', ...call }] };
  },

  cut: async (step, { deployer, requested }) => {
    const { isThere, cut, unknownRelease } = await deployer.inspect(step.diamondAddress);
    if (!isThere) return { problem: foreign };
    if (unknownRelease !== undefined) return { problem: mismatch(unknownRelease) };
    if (cut === null) return { done: true };
    // The name holds what the diamond looked like: one plan is wanted once, and no other one in its place.
    const what = `cut:${cut.expectedLoupeHash}`;
    if (requested.some((call) => call.what !== what)) return { problem: changed };
    const refusal = await deployer.preflight();
    if (refusal !== null) return { problem: refusal };
    return { calls: [{ purpose: 'diamond_cut', what, to: cut.to, data: cut.data }] };
  },

  verify: async (step, { deployer, reaches }) => {
    const refusal = step.adopted ? await deployer.refuseAdoption(step.diamondAddress, reaches) : null;
    if (refusal !== null) return { problem: refusal };
    // A block may have been reorganised away meanwhile; its transaction comes again.
    if (!(await deployer.hasDiamond(step.diamondAddress))) return { waitFor: 'the diamond to be mined again' };
    const isCut = step.kind === 'deploy' || (await deployer.inspect(step.diamondAddress)).cut === null;
    if (!isCut) return { problem: changed };
    return doneUnless(await deployer.verifyDiamond(step.diamondAddress));
  },

  activate: async (step, { deployer }) =>
    (await deployer.isConfirmed(step.diamondAddress)) ? { done: true } : { waitFor: 'confirmations of the diamond' },
};

/** A try of a step: what it finds, and what becomes of the step by that. */
const createTry = (deployments: DeploymentStore) => {
  const finish = async (step: StepToRun, chain: Deployer): Promise<void> => {
    if (step.key !== 'activate') await deployments.completeStep(step);
    else await deployments.activateDiamond(step, await chain.releaseLike(step.diamondAddress));
  };

  /** Wants the calls on the chain, once for each try of the step; one that had no effect fails the step. */
  const request = async (
    step: StepToRun,
    calls: readonly StepCall[],
    requested: readonly RequestedCall[],
  ): Promise<Finding> => {
    for (const call of calls) {
      const earlier = requested.find(({ what }) => what === call.what);
      if (earlier === undefined) await deployments.requestCall(step, call);
      else if (earlier.state === 'settled' && earlier.outcome !== 'effective') {
        return { problem: { code: 'transaction_failed', message: `The transaction for ${call.what} had no effect` } };
      }
    }
    return { waitFor: `${calls.map((call) => call.what).join(', ')} on the chain` };
  };

  const look = async (step: StepToRun, chain: Deployer, requested: readonly RequestedCall[]): Promise<Finding> => {
    const reaches = (nodeId: string) => deployments.reaches(step, nodeId);
    const found = await findings[step.key](step, { deployer: chain, reaches, requested });
    return 'calls' in found ? request(step, found.calls, requested) : found;
  };

  /** What a finding makes of the step. */
  const record = async (step: StepToRun, chain: Deployer, finding: Finding): Promise<StepOutcome> => {
    if ('waitFor' in finding) return { status: 'waiting', detail: `waits for ${finding.waitFor}` };
    if (!('problem' in finding)) {
      await finish(step, chain);
      return { status: 'completed', detail: null };
    }
    const reason = `${finding.problem.code}: ${finding.problem.message}`;
    if (await deployments.failStep(step, finding.problem)) return { status: 'failed', detail: reason };
    return { status: 'waiting', detail: `waits for the end of its transactions, and fails then: ${reason}` };
  };

  return { look, record };
};

/** The steps of the diamond workflow. */
export const createDeploymentActivities = ({ deployments, deployer, failpoint }: DeploymentActivityDeps) => {
  const { look, record } = createTry(deployments);
  return {
    nextStep: async (
      walletId: string,
      networkId: string,
    ): Promise<{ id: string; key: DeploymentStep; kind?: DeploymentKind } | null> => {
      const step = await deployments.nextStep(walletId, networkId);
      return step === null ? null : { id: step.id, key: step.key, kind: step.kind };
    },

    runStep: (walletId: string, networkId: string, stepId: string): Promise<StepOutcome> =>
      withHeartbeat(async () => {
        const step = await deployments.nextStep(walletId, networkId);
        // An earlier try has finished it and its answer was lost.
        if (step === null || step.id !== stepId) return { status: 'completed', detail: null };
        failpoint('runStep:before');
        const chain = await deployer(networkId);
        const requested = await deployments.requestedCalls(step);
        const finding = await look(step, chain, requested);
        failpoint('runStep:after_effect');
        const outcome = await record(step, chain, finding);
        if (outcome.status !== 'waiting') failpoint('runStep:after_record');
        return { ...outcome, transactions: requested.flatMap(({ transactionHash }) => transactionHash ?? []) };
      }),
  };
};
