import { Context } from '@temporalio/activity';
import type { DeploymentKind, DeploymentStep } from '../domain/deployment.ts';
import type {
  Deployer,
  DeploymentProblem,
  DeploymentStore,
  RequestedCall,
  StepCall,
  StepToRun,
} from '../domain/ports/deployment.ts';
import type { NetworkTrouble, WaitingDetail } from '../domain/payment.ts';
import { faultOf, type DiamondInspection } from '../domain/version-check.ts';
import type { Failpoint } from '../domain/ports/failpoint.ts';
import type { Log } from '../domain/ports/log.ts';
import { logAlerts } from '../domain/tools/alert-log.ts';
import { withHeartbeat } from './heartbeat.ts';

/** What a deployment's activities work with. */
export interface DeploymentActivityDeps {
  readonly deployments: DeploymentStore;
  readonly deployer: (networkId: string) => Promise<Deployer>;
  /** What an error tells of the endpoints; null for one that is not about them. */
  readonly networkTrouble: (error: unknown) => NetworkTrouble | null;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/** What a try of a step came to. Waiting: something on the chain has to happen first. */
export interface StepOutcome {
  readonly status: 'completed' | 'waiting' | 'failed';
  readonly detail: string | null;
  /** Why it can not go on now, where that is more than the time that a chain takes. */
  readonly waiting?: WaitingDetail | null;
  /** Of the transactions that this try of the step has wanted, as far as they are signed. */
  readonly transactions?: readonly string[];
}

/** What became of a step: it is done, with the release that the diamond is now, it is impossible, or it waits. */
type Finding =
  | { readonly done: true; readonly release?: string | null }
  | { readonly problem: DeploymentProblem }
  | { readonly waitFor: string; readonly waiting?: WaitingDetail | null };

/** Calls that a step wants on the chain, by a look at a block. */
interface Wanted {
  readonly blockNumber: number;
  readonly calls: readonly StepCall[];
}

/** What a step found when it looked: that, or calls that it wants. */
type Found = Finding | Wanted;

const doneUnless = (problem: DeploymentProblem | null): Finding => (problem === null ? { done: true } : { problem });

/** What the steps look with. */
interface Look {
  readonly deployer: Deployer;
  /** Whether a node is within the reach of who asked for the deployment. */
  readonly reaches: (nodeId: string) => Promise<boolean>;
  /** What this try of the step has wanted so far. */
  readonly requested: readonly RequestedCall[];
}

const changed: DeploymentProblem = {
  code: 'loupe_changed',
  message:
    'The diamond, or the release of its network, was changed after the cut was planned; the next update plans anew',
};

const mismatch = (version: string): DeploymentProblem => ({
  code: 'release_mismatch',
  message: `The release "${version}" of the network is none of ours`,
});

const hasCode = ({ contracts: [diamond] }: DiamondInspection): boolean => diamond?.current_code_hash != null;

/** What a look at the finished diamond says of its run, and which release it is. */
const judge = ({ kind, cutBlock }: StepToRun, seen: DiamondInspection, waitFor: string): Finding => {
  if (!seen.isThere && !hasCode(seen)) return { waitFor };
  if (kind === 'update' && seen.cut !== null) {
    // Endpoints may be apart, and a block be reorganised away: a look from before the cut tells nothing of what came after.
    return seen.blockNumber < (cutBlock ?? 0) ? { waitFor: 'a look at what came after the cut' } : { problem: changed };
  }
  const fault = faultOf(seen);
  return fault === null ? { done: true, release: seen.contracts[0]?.current_version ?? null } : { problem: fault };
};

/** Every step looks at the chain first, so that it may be repeated at any time and finds what others have done. */
const findings: Record<DeploymentStep, (step: StepToRun, look: Look) => Promise<Found>> = {
  preflight: async (_step, { deployer }) => doneUnless(await deployer.preflight()),

  deploy_facets: async (_step, { deployer }) => {
    const { blockNumber, facets } = await deployer.missingFacets();
    if (facets.length === 0) return { done: true };
    return {
      blockNumber,
      calls: facets.map(({ name, ...call }) => ({ purpose: 'deploy_facet', what: name, ...call })),
    };
  },

  deploy_diamond: async (step, { deployer, reaches }) => {
    // Nothing is ever created for an adopted wallet: what node and wallet would create has another address.
    if (step.adopted) return doneUnless(await deployer.refuseAdoption(step.diamondAddress, reaches));
    const seen = await deployer.inspect(step.diamondAddress, 'newest');
    if (hasCode(seen)) return { done: true };
    const call = deployer.createDiamondCall(step.nodeId, step.walletId);
    return { blockNumber: seen.blockNumber, calls: [{ purpose: 'create_diamond', what: 'diamond', ...call }] };
  },

  cut: async (step, { deployer, requested }) => {
    const seen = await deployer.inspect(step.diamondAddress);
    const { blockNumber, isThere, cut, unknownRelease } = seen;
    if (!isThere) return doneUnless(faultOf(seen));
    if (unknownRelease !== undefined) return { problem: mismatch(unknownRelease) };
    if (cut === null) return { done: true };
    // The name holds what the diamond looked like: one plan is wanted once, and no other one in its place.
    const what = `cut:${cut.expectedLoupeHash}`;
    if (requested.some((call) => call.what !== what)) return { problem: changed };
    const refusal = await deployer.preflight();
    if (refusal !== null) return { problem: refusal };
    return { blockNumber, calls: [{ purpose: 'diamond_cut', what, to: cut.to, data: cut.data }] };
  },

  verify: async (step, { deployer, reaches }) => {
    const refusal = step.adopted ? await deployer.refuseAdoption(step.diamondAddress, reaches) : null;
    if (refusal !== null) return { problem: refusal };
    // A block may have been reorganised away meanwhile; its transaction comes again.
    return judge(step, await deployer.inspect(step.diamondAddress, 'newest'), 'the diamond to be mined again');
  },

  activate: async (step, { deployer }) =>
    judge(step, await deployer.inspect(step.diamondAddress), 'confirmations of the diamond'),
};

/** A try of a step: what it finds, and what becomes of the step by that. */
const createTry = ({ deployments, log }: Pick<DeploymentActivityDeps, 'deployments' | 'log'>) => {
  const finish = (step: StepToRun, release: string | null): Promise<void> =>
    step.key === 'activate' ? deployments.activateDiamond(step, release) : deployments.completeStep(step);

  /** Wants the calls on the chain, once for each try of the step; one that had no effect fails the step. */
  const request = async (
    step: StepToRun,
    { calls, blockNumber }: Wanted,
    requested: readonly RequestedCall[],
  ): Promise<Finding> => {
    for (const call of calls) {
      const earlier = requested.find(({ what }) => what === call.what);
      if (earlier === undefined) await deployments.requestCall(step, call);
      else if (earlier.state === 'settled' && earlier.outcome !== 'effective') {
        // An endpoint that is behind does not show what somebody else has done before that transaction.
        if (blockNumber < (earlier.block ?? 0)) return { waitFor: `a look at what came after ${call.what}` };
        return { problem: { code: 'transaction_failed', message: `The transaction for ${call.what} had no effect` } };
      }
    }
    const isOpen = ({ state }: RequestedCall): boolean => state === 'queued' || state === 'assigned';
    const waiting = requested.find((call) => isOpen(call) && call.waiting !== null)?.waiting ?? null;
    return { waitFor: `${calls.map((call) => call.what).join(', ')} on the chain`, waiting };
  };

  const look = async (step: StepToRun, deployer: Deployer, requested: readonly RequestedCall[]): Promise<Finding> => {
    const reaches = (nodeId: string) => deployments.reaches(step, nodeId);
    const found = await findings[step.key](step, { deployer, reaches, requested });
    return 'calls' in found ? request(step, found, requested) : found;
  };

  /** What a finding makes of the step. */
  const record = async (step: StepToRun, finding: Finding): Promise<StepOutcome> => {
    if ('waitFor' in finding) {
      const { waitFor, waiting = null } = finding;
      await deployments.showWaiting(step, waiting);
      return { status: 'waiting', detail: `waits for ${waitFor}${waiting === null ? '' : `: ${waiting}`}`, waiting };
    }
    if ('done' in finding) {
      await finish(step, finding.release ?? null);
      return { status: 'completed', detail: null };
    }
    const { code, message } = finding.problem;
    const reason = `${code}: ${message}`;
    const raised = await deployments.failStep(step, finding.problem);
    if (raised !== null) {
      logAlerts({ log }, raised);
      const place = { wallet: step.walletId, network: step.networkId, step: step.key };
      if (raised.length === 0) log.warn('A deployment or an update has failed', { ...place, code, reason: message });
      return { status: 'failed', detail: reason };
    }
    return { status: 'waiting', detail: `waits for the end of its transactions, and fails then: ${reason}` };
  };

  return { look, record };
};

/** The steps of the diamond workflow. */
export const createDeploymentActivities = (deps: DeploymentActivityDeps) => {
  const { deployments, deployer, failpoint } = deps;
  const { look, record } = createTry(deps);

  /** Trouble with the endpoints is waited out like anything else, and named; once it is tried again at once. */
  const unlessUnreachable = (error: unknown): Finding => {
    const waiting = deps.networkTrouble(error);
    if (waiting === null || Context.current().info.attempt < 2) throw error;
    return { waitFor: 'the network', waiting };
  };

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
        const requested = await deployments.requestedCalls(step);
        const finding = await deployer(networkId)
          .then((chain) => look(step, chain, requested))
          .catch((error: unknown) => unlessUnreachable(error));
        failpoint('runStep:after_effect');
        const outcome = await record(step, finding);
        if (outcome.status !== 'waiting') failpoint('runStep:after_record');
        return { ...outcome, transactions: requested.flatMap(({ transactionHash }) => transactionHash ?? []) };
      }),
  };
};
