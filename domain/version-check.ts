/** What a diamond is made of, beside what it should be made of. Hex has a 0x; addresses and hashes are lower-case. */

/**
 * How a contract is. `missing`: not there, or nothing of it is; `unknown`: other code than in any release; `obsolete`: of a
 * release, and the target release does not use it.
 */
export const contractStatuses = ['up_to_date', 'update_available', 'missing', 'unknown', 'obsolete'] as const;
export type ContractStatus = (typeof contractStatuses)[number];

/** Functions by their selectors, sorted. */
export interface SelectorChanges {
  readonly add: readonly string[];
  readonly replace: readonly string[];
  readonly remove: readonly string[];
}

/** The diamond, or one facet of it. What is not known is null. */
export interface ContractVersion {
  readonly name: string | null;
  readonly kind: 'diamond' | 'facet';
  /** Where it is; where it will be, while it is missing. */
  readonly address: string;
  readonly current_version: string | null;
  readonly latest_version: string | null;
  readonly current_code_hash: string | null;
  readonly latest_code_hash: string | null;
  /** Whether the registry approves the facet that the diamond has; null for the diamond, and while the facet is missing. */
  readonly current_approved: boolean | null;
  /** The same of the release's facet; a cut to one that is not approved reverts. */
  readonly latest_approved: boolean | null;
  readonly status: ContractStatus;
  /** An update would change something of it. */
  readonly update_available: boolean;
  /** What the update would do: selectors that this facet gains, takes over from others, and loses without a successor. */
  readonly selectors: SelectorChanges;
}

/** One entry of a cut (EIP-2535). */
export interface FacetCut {
  /** The zero address for a removal. */
  readonly facet: string;
  readonly action: 'add' | 'replace' | 'remove';
  readonly selectors: readonly string[];
}

/** The call that cuts a diamond, with all that a second person needs to compute it again. */
export interface PlannedCut {
  /** The diamond. */
  readonly to: string;
  /** Call data of `diamondCutChecked`. */
  readonly data: string;
  readonly cuts: readonly FacetCut[];
  /** Hash of the diamond's facets as they are; in any other state the cut reverts. */
  readonly expectedLoupeHash: string;
}

/** A diamond beside the release of its network, at one confirmed block. */
export interface DiamondInspection {
  readonly blockNumber: number;
  /** True for a diamond that the network's registry made. */
  readonly isThere: boolean;
  readonly contracts: readonly ContractVersion[];
  /** Null where there is nothing to do, and where root has set a release that is none of ours. */
  readonly cut: PlannedCut | null;
  /** The version of such a release: the newest of ours is what was compared with then, and nothing is offered. */
  readonly unknownRelease?: string;
}

/** An inspection, and when it was made (RFC 3339). */
export interface CheckedDiamond extends DiamondInspection {
  readonly checkedAt: string;
}

/** What is to be inspected: the diamond of a wallet on a network. */
export interface InspectionRequest {
  readonly walletId: string;
  readonly nodeId: string;
  readonly networkId: string;
  /** Of the wallet on every network, lower-case hex. */
  readonly address: string;
}

/** Looks at a diamond on its chain; null when there is no answer within ten seconds. */
export type Inspect = (request: InspectionRequest) => Promise<CheckedDiamond | null>;
