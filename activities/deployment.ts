import { Context } from '@temporalio/activity';
import type { DeploymentKind, DeploymentStep } from '../domain/deployment.ts';
import type { Deployer, DeploymentProblem, RequestedCall, StepCall, StepToRun } from '../domain/ports/deployment.ts';
import type { DeploymentStore } from '../db/wallets/deployment-store.ts';
import { firstReason } from '../domain/alerts/waiting.ts';
import type { NetworkTrouble, WaitingDetail } from '../domain/payment.ts';
import { faultOf, type DiamondInspection } from '../domain/version-check.ts';
import type { Failpoint } from '../domain/ports/failpoint.ts';
import type { Log } from '../domain/ports/log.ts';
import { logAlerts } from '../domain/tools/observer.ts';
import { withHeartbeat } from './failures.ts';

export interface DeploymentActivityDeps {
  readonly deployments: DeploymentStore;
  readonly deployer: (networkId: string) => Promise<Deployer>;
  /** The trouble with the endpoints that an error shows; null for another error. */
  readonly networkTrouble: (error: unknown) => NetworkTrouble | null;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/** The outcome of one try of a step. `waiting`: something must happen on the chain first. */
export interface StepOutcome {
  readonly status: 'completed' | 'waiting' | 'failed';
  readonly detail: string | null;
  /** The reason, if the step waits for more than the time that a chain takes. */
  readonly waiting?: WaitingDetail | null;
  /** The hashes of the signed transactions that this try of the step requested. */
  readonly transactions?: readonly string[];
}

/** The finding of a try: the step is done, with the release of the diamond; or it cannot be done; or it waits. */
type Finding =
  | { readonly done: true; readonly release?: string | null }
  | { readonly problem: DeploymentProblem }
  | { readonly waitFor: string; readonly waiting?: WaitingDetail | null };

/** Calls that a step needs, by an inspection at a block. */
interface Wanted {
  readonly blockNumber: number;
  readonly calls: readonly StepCall[];
}

type Found = Finding | Wanted;

const doneUnless = (problem: DeploymentProblem | null): Finding => (problem === null ? { done: true } : { problem });

/** The tools of the steps. */
interface Tools {
  readonly deployer: Deployer;
  /** Whether a node is within the reach of the caller who requested the deployment. */
  readonly reaches: (nodeId: string) => Promise<boolean>;
  /** The calls that this try of the step has requested so far. */
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

/** The finding for a finished diamond, and its release. */
const findingOf = ({ kind, cutBlock }: StepToRun, seen: DiamondInspection, waitFor: string): Finding => {
  if (!seen.isThere && !hasCode(seen)) return { waitFor };
  if (kind === 'update' && seen.cut !== null) {
    // An endpoint may lag, or a block may be reorganised away: an inspection from before the cut says nothing about it.
    return seen.blockNumber < (cutBlock ?? 0)
      ? { waitFor: 'an inspection at a block after the cut' }
      : { problem: changed };
  }
  const fault = faultOf(seen);
  return fault === null ? { done: true, release: seen.contracts[0]?.current_version ?? null } : { problem: fault };
};

/** Every step inspects the chain first, so it may be repeated at any time and finds the work of others. */
const findings: Record<DeploymentStep, (step: StepToRun, tools: Tools) => Promise<Found>> = {
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
    // Carat creates nothing for an adopted wallet: a diamond of this node and wallet would have another address.
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
    // The name holds the state of the diamond, so each plan is requested once, and no other plan in its place.
    const what = `cut:${cut.expectedLoupeHash}`;
    if (requested.some((call) => call.what !== what)) return { problem: changed };
    const refusal = await deployer.preflight();
    if (refusal !== null) return { problem: refusal };
    return { blockNumber, calls: [{ purpose: 'diamond_cut', what, to: cut.to, data: cut.data }] };
  },

  verify: async (step, { deployer, reaches }) => {
    const refusal = step.adopted ? await deployer.refuseAdoption(step.diamondAddress, reaches) : null;
    if (refusal !== null) return { problem: refusal };
    // A block may have been reorganised away meanwhile; its transaction is sent again.
    return findingOf(step, await deployer.inspect(step.diamondAddress, 'newest'), 'the diamond to be mined again');
  },

  activate: async (step, { deployer }) => {
    const waitFor = 'confirmations of the diamond';
    const finding = findingOf(step, await deployer.inspect(step.diamondAddress), waitFor);
    if (!('problem' in finding)) return finding;
    // A lagging endpoint may show a diamond from before a change that the earlier steps have seen.
    const newest = findingOf(step, await deployer.inspect(step.diamondAddress, 'newest'), waitFor);
    return 'problem' in newest ? finding : { waitFor };
  },
};

/** One try of a step: inspects, and records the finding. */
const createTry = ({ deployments, log }: Pick<DeploymentActivityDeps, 'deployments' | 'log'>) => {
  const finish = (step: StepToRun, release: string | null): Promise<void> =>
    step.key === 'activate' ? deployments.activateDiamond(step, release) : deployments.completeStep(step);

  /** Requests the calls, once for each try of the step. A call without effect fails the step. */
  const request = async (
    step: StepToRun,
    { calls, blockNumber }: Wanted,
    requested: readonly RequestedCall[],
  ): Promise<Finding> => {
    for (const call of calls) {
      const earlier = requested.find(({ what }) => what === call.what);
      if (earlier === undefined) await deployments.requestCall(step, call);
      else if (earlier.state === 'settled' && earlier.outcome !== 'effective') {
        // A lagging endpoint does not show the work of another sender from before that transaction.
        if (blockNumber < (earlier.block ?? 0)) return { waitFor: `an inspection at a block after ${call.what}` };
        return { problem: { code: 'transaction_failed', message: `The transaction for ${call.what} had no effect` } };
      }
    }
    const isOpen = ({ state }: RequestedCall): boolean => state === 'queued' || state === 'assigned';
    const waiting = firstReason(requested.filter(isOpen).map((call) => call.waiting));
    return { waitFor: `${calls.map((call) => call.what).join(', ')} on the chain`, waiting };
  };

  const inspect = async (
    step: StepToRun,
    deployer: Deployer,
    requested: readonly RequestedCall[],
  ): Promise<Finding> => {
    const reaches = (nodeId: string) => deployments.reaches(step, nodeId);
    const found = await findings[step.key](step, { deployer, reaches, requested });
    return 'calls' in found ? request(step, found, requested) : found;
  };

  /** Records the finding on the step. */
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

  return { inspect, record };
};

/** The steps of the diamond workflow. */
export const createDeploymentActivities = (deps: DeploymentActivityDeps) => {
  const { deployments, deployer, failpoint } = deps;
  const { inspect, record } = createTry(deps);

  /** Waits for endpoints in trouble and names the reason. The first error is retried at once. */
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
        // An earlier try ended the step, and its result was lost.
        if (step === null || step.id !== stepId) return deployments.endOf(stepId);
        failpoint('runStep:before');
        const requested = await deployments.requestedCalls(step);
        const finding = await deployer(networkId)
          .then((chain) => inspect(step, chain, requested))
          .catch((error: unknown) => unlessUnreachable(error));
        failpoint('runStep:after_effect');
        const outcome = await record(step, finding);
        if (outcome.status !== 'waiting') failpoint('runStep:after_record');
        return { ...outcome, transactions: requested.flatMap(({ transactionHash }) => transactionHash ?? []) };
      }),
  };
};
