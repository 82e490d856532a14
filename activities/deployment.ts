import type { LoadedStep } from '../db/wallets/deployments.ts';
import type { DeploymentStep } from '../domain/deployment.ts';
import type { Failpoint } from '../domain/failpoint.ts';
import { withHeartbeat } from './heartbeat.ts';

/** Why something can not be done, in a word and a sentence. */
export interface StepProblem {
  readonly code: string;
  readonly message: string;
}

/** A call as it goes into a transaction. Hex, 0x-prefixed. */
export interface StepCall {
  readonly to: string;
  readonly data: string;
}

/** What the steps ask of one network. Trouble with its endpoints throws; everything else is an answer. */
export interface Deployer {
  readonly release: string;
  preflight(): Promise<StepProblem | null>;
  /** Names of the release's facets that have no code at the tip. */
  missingFacets(): Promise<readonly string[]>;
  facetDeployCall(name: string): StepCall;
  /** True when there is code at the address at the tip. */
  hasDiamond(address: string): Promise<boolean>;
  createDiamondCall(nodeId: string, walletId: string): StepCall;
  /** Why the diamond at an address that a client gave can not be the wallet's; null when it can. */
  refuseAdoption(address: string): Promise<StepProblem | null>;
  verifyDiamond(address: string): Promise<StepProblem | null>;
  /** True when the code has the network's confirmations. */
  isConfirmed(address: string): Promise<boolean>;
}

export interface DeploymentStore {
  nextStep(walletId: string, networkId: string): Promise<LoadedStep | null>;
  stepIntents(step: LoadedStep): Promise<{ idempotency_key: string; state: string; outcome: string | null }[]>;
  enqueueStepCall(
    step: LoadedStep,
    call: StepCall & { purpose: 'deploy_facet' | 'create_diamond'; what: string },
  ): Promise<void>;
  completeStep(step: LoadedStep): Promise<void>;
  failStep(step: LoadedStep, problem: StepProblem): Promise<void>;
  activateDiamond(step: LoadedStep, release: string): Promise<void>;
}

export interface DeploymentDeps {
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
  | { readonly problem: StepProblem }
  | { readonly waitFor: string }
  | { readonly calls: readonly (StepCall & { purpose: 'deploy_facet' | 'create_diamond'; what: string })[] };

const doneUnless = (problem: StepProblem | null): Finding => (problem === null ? { done: true } : { problem });

/** Every step looks at the chain first, so that it may be repeated at any time and finds what others have done. */
const findings: Record<DeploymentStep, (step: LoadedStep, deployer: Deployer) => Promise<Finding>> = {
  preflight: async (_step, deployer) => doneUnless(await deployer.preflight()),

  deploy_facets: async (_step, deployer) => {
    const missing = await deployer.missingFacets();
    if (missing.length === 0) return { done: true };
    return {
      calls: missing.map((name) => ({ purpose: 'deploy_facet', what: name, ...deployer.facetDeployCall(name) })),
    };
  },

  deploy_diamond: async (step, deployer) => {
    // Nothing is ever created for an adopted wallet: what node and wallet would create has another address.
    if (step.adopted) return doneUnless(await deployer.refuseAdoption(step.diamondAddress));
    if (await deployer.hasDiamond(step.diamondAddress)) return { done: true };
    const call = deployer.createDiamondCall(step.nodeId, step.walletId);
    return { calls: [{ purpose: 'create_diamond', what: 'diamond', ...call }] };
  },

  verify: async (step, deployer) => {
    const refusal = step.adopted ? await deployer.refuseAdoption(step.diamondAddress) : null;
    if (refusal !== null) return { problem: refusal };
    // A block may have been reorganised away meanwhile; its transaction comes again.
    if (!(await deployer.hasDiamond(step.diamondAddress))) return { waitFor: 'the diamond to be mined again' };
    return doneUnless(await deployer.verifyDiamond(step.diamondAddress));
  },

  activate: async (step, deployer) =>
    (await deployer.isConfirmed(step.diamondAddress)) ? { done: true } : { waitFor: 'confirmations of the diamond' },
};

/** The steps of the diamond workflow. */
export const createDeploymentActivities = ({ deployments, deployer, failpoint }: DeploymentDeps) => {
  const finish = (step: LoadedStep, release: string): Promise<void> =>
    step.key === 'activate' ? deployments.activateDiamond(step, release) : deployments.completeStep(step);

  /** Wants the calls on the chain, once for each try of the step; one that was settled in vain fails the step. */
  const request = async (step: LoadedStep, calls: Extract<Finding, { calls: unknown }>['calls']): Promise<Finding> => {
    const keyOf = (what: string): string => `step:${step.id}:g${step.generation}:${what}`;
    const intents = new Map((await deployments.stepIntents(step)).map((intent) => [intent.idempotency_key, intent]));
    for (const call of calls) {
      const intent = intents.get(keyOf(call.what));
      if (intent === undefined) await deployments.enqueueStepCall(step, call);
      else if (intent.state === 'settled' && intent.outcome !== 'effective') {
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
        const found = await findings[step.key](step, chain);
        const finding = 'calls' in found ? await request(step, found.calls) : found;
        failpoint('runStep:after_effect');
        if ('waitFor' in finding) return { status: 'waiting', detail: `waits for ${finding.waitFor}` };
        if ('problem' in finding) await deployments.failStep(step, finding.problem);
        else await finish(step, chain.release);
        failpoint('runStep:after_record');
        return 'problem' in finding
          ? { status: 'failed', detail: `${finding.problem.code}: ${finding.problem.message}` }
          : { status: 'completed', detail: null };
      }),
  };
};
