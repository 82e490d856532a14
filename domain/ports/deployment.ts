/** The port of deployment steps to a network, and what they tell their store. Hex has a 0x; addresses are lower-case. */
import type { DeploymentKind, DeploymentStepState } from '../deployment.ts';
import type { WaitingDetail } from '../payment.ts';
import type { Depth, DiamondInspection } from '../version-check.ts';

/** The reason why a step fails: a code, and a sentence for operators. */
export interface DeploymentProblem {
  readonly code: string;
  readonly message: string;
}

/** A contract call without value. */
export interface ContractCall {
  readonly to: string;
  readonly data: string;
}

/**
 * Reads one network by the quorum of its endpoints, and builds the calls of the steps. Sends nothing. Throws when endpoints
 * fail or too few agree; every other outcome is a result.
 */
export interface Deployer {
  /** @returns null when diamonds can be deployed here */
  preflight(): Promise<DeploymentProblem | null>;
  /** Finds facets of the network's release without code at the newest block, and the calls that deploy them. */
  missingFacets(): Promise<{
    readonly blockNumber: number;
    readonly facets: readonly (ContractCall & { readonly name: string })[];
  }>;
  /** Builds the call that creates the diamond of a node's wallet (UUIDs). A no-op on the chain when the diamond exists. */
  createDiamondCall(nodeId: string, walletId: string): ContractCall;
  /**
   * Checks whether a wallet may adopt a diamond. Code and loupe prove nothing, because anyone can deploy the same; only the
   * registry knows which diamonds it created, and for which nodes.
   * @param reaches tells whether the node (UUID) is within the reach of the adopting client
   * @returns null when our registry created the diamond at this address for such a node
   */
  refuseAdoption(address: string, reaches: (nodeId: string) => Promise<boolean>): Promise<DeploymentProblem | null>;
  /** Compares the diamond at the address with the network's release, at the newest confirmed block by default. */
  inspect(address: string, depth?: Depth): Promise<DiamondInspection>;
}

/** A step, with everything that its activity needs. */
export interface StepToRun extends DeploymentStepState {
  /** Number of the step's try. */
  readonly generation: number;
  readonly kind: DeploymentKind;
  readonly deploymentId: string;
  readonly walletId: string;
  readonly nodeId: string;
  readonly networkId: string;
  readonly diamondAddress: string;
  /** True when a client gave the address, so that the diamond must exist already. */
  readonly adopted: boolean;
  /** Block of the run's cut: `Infinity` while the transaction is in none; null when the run has not cut. */
  readonly cutBlock: number | null;
}

/** A call that a step requests on the chain. */
export interface StepCall extends ContractCall {
  readonly purpose: 'deploy_facet' | 'create_diamond' | 'diamond_cut';
  /** Name of the call within its step. */
  readonly what: string;
}

/** The state of a call that the current try of a step has requested. */
export interface RequestedCall {
  readonly what: string;
  readonly state: string;
  readonly outcome: string | null;
  /** The reason why it has no transaction yet. */
  readonly waiting: WaitingDetail | null;
  /** Block of its transaction; null while that is in none. */
  readonly block: number | null;
  /** Hash of the mined transaction, or of the newest attempt; null before the first is signed. */
  readonly transactionHash: string | null;
}
