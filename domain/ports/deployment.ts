/**
 * What the steps of a deployment ask of a network, and what they keep in their store. Hex has a 0x; addresses are
 * lower-case.
 */
import type { DeploymentKind, DeploymentStepState } from '../deployment.ts';
import type { WaitingDetail } from '../payment.ts';
import type { Depth, DiamondInspection } from '../version-check.ts';
import type { RaisedAlert } from './alert.ts';

/** Why a step can not be done, by a code and in a sentence for an operator. */
export interface DeploymentProblem {
  readonly code: string;
  readonly message: string;
}

/** A call of a contract, without value. */
export interface ContractCall {
  readonly to: string;
  readonly data: string;
}

/**
 * What the steps ask of one network, each answer as the quorum of its endpoints has it, and the calls that they want on it.
 * It sends nothing itself. Trouble with the endpoints throws, and so does too little agreement; everything else is an answer.
 */
export interface Deployer {
  /** @returns null when diamonds can be deployed here */
  preflight(): Promise<DeploymentProblem | null>;
  /** Facets of the network's release that have no code at the newest block, which is named, and the calls that deploy them. */
  missingFacets(): Promise<{
    readonly blockNumber: number;
    readonly facets: readonly (ContractCall & { readonly name: string })[];
  }>;
  /** The call that creates the diamond of a node's wallet (UUIDs); harmless where it exists. */
  createDiamondCall(nodeId: string, walletId: string): ContractCall;
  /**
   * Judges a diamond that a wallet wants to adopt. Code and loupe prove nothing, since anyone can deploy the same; only
   * the registry knows which ones it created, and for which node.
   * @param reaches tells whether the node (UUID) is within the reach of who adopts
   * @returns null when our registry created the diamond at this address for such a node
   */
  refuseAdoption(address: string, reaches: (nodeId: string) => Promise<boolean>): Promise<DeploymentProblem | null>;
  /** The diamond at the address beside the network's release, at the newest confirmed block unless told. */
  inspect(address: string, depth?: Depth): Promise<DiamondInspection>;
}

/** A step with all that its activity needs to know. */
export interface StepToRun extends DeploymentStepState {
  /** Which try of the step this is. */
  readonly generation: number;
  readonly kind: DeploymentKind;
  readonly deploymentId: string;
  readonly walletId: string;
  readonly nodeId: string;
  readonly networkId: string;
  readonly diamondAddress: string;
  /** The address was given by a client: the diamond must be there already. */
  readonly adopted: boolean;
  /** Where the run has cut the diamond: `Infinity` while its transaction is in no block; null where it has sent none. */
  readonly cutBlock: number | null;
}

/** A call that a step wants on the chain. */
export interface StepCall extends ContractCall {
  readonly purpose: 'deploy_facet' | 'create_diamond' | 'diamond_cut';
  /** Names the call among those of its step. */
  readonly what: string;
}

/** What became of a call that the current try of a step has requested. */
export interface RequestedCall {
  readonly what: string;
  readonly state: string;
  readonly outcome: string | null;
  /** Why it has no transaction yet. */
  readonly waiting: WaitingDetail | null;
  /** Of its transaction; null while that is in none. */
  readonly block: number | null;
  /** Of the transaction that was mined, else of the newest one that may be; null before it is signed. */
  readonly transactionHash: string | null;
}

/** The deployments, behind SQL. Every call may be repeated. */
export interface DeploymentStore {
  /** The step that a diamond's workflow has to run next, oldest deployment first; null when nothing is left to do. */
  nextStep(walletId: string, networkId: string): Promise<StepToRun | null>;
  /** True when the node is the one of who asked for the deployment, or below it. */
  reaches(step: StepToRun, nodeId: string): Promise<boolean>;
  /** The calls that the step's current try has requested. */
  requestedCalls(step: StepToRun): Promise<RequestedCall[]>;
  /**
   * Wants one call of a step on the chain, in the lane of the network's upgrader, while this try of the step is not over.
   * From the nonce of a cut on the diamond is `updating`, until its run ends.
   */
  requestCall(step: StepToRun, call: StepCall): Promise<void>;
  /** Writes why a step waits, where that is known, on its run and on the payments that wait for the diamond. */
  showWaiting(step: StepToRun, reason: WaitingDetail | null): Promise<void>;
  /** Marks a step done and starts the next one, or completes the deployment. What nobody waits for any more is withdrawn. */
  completeStep(step: StepToRun): Promise<void>;
  /**
   * Marks a step failed, and withdraws its calls; who asks again gives it a new try. What has a nonce is mined whatever becomes
   * of the step, and the next try must find it done or undone.
   * @returns the alert of it, where it is new; null when a call has a nonce, and nothing is changed
   */
  failStep(step: StepToRun, problem: DeploymentProblem): Promise<readonly RaisedAlert[] | null>;
  /** Completes the last step: the diamond is active, and payments that waited for it go on. */
  activateDiamond(step: StepToRun, release: string | null): Promise<void>;
}
