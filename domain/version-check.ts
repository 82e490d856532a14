/** What a diamond is made of, beside what it should be made of. Hex has a 0x; addresses and hashes are lower-case. */
import { adoptionRefusals } from './deployment.ts';

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

/** How deep the block is at which a diamond is looked at: with the network's confirmations, or none. */
export type Depth = 'confirmed' | 'newest';

/** A diamond beside the release of its network, at one block. */
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

/** The contracts that keep a diamond from being exactly one of the releases, with facets that the registry approves. */
export const faultsOf = ({ contracts }: DiamondInspection): ContractVersion[] => {
  const isReleased = contracts[0]?.current_version != null;
  return contracts.filter(
    ({ status, current_approved: isApproved }) =>
      status === 'unknown' || isApproved === false || (!isReleased && status !== 'up_to_date'),
  );
};

/** Why a diamond is none of the registry's that is exactly one of the releases, by a code and in a sentence; null when it is. */
export const faultOf = (seen: DiamondInspection): { readonly code: string; readonly message: string } | null => {
  const [diamond] = seen.contracts;
  const at = diamond?.address;
  if (!seen.isThere) return { code: adoptionRefusals.foreign, message: `The registry did not create ${at}` };
  const faults = faultsOf(seen);
  const unknown = faults.filter(({ status }) => status === 'unknown');
  const textOf = (some: readonly ContractVersion[]): string => some.map(({ name, address }) => name ?? address).join();
  if (unknown[0] === diamond && diamond) return { code: 'code_mismatch', message: `The code of ${at} is no diamond's` };
  if (faults.length > 0 && diamond?.current_version === null) {
    return { code: 'loupe_mismatch', message: `${at} does not look like any release` };
  }
  if (unknown.length > 0) return { code: 'code_mismatch', message: `Other code than was released: ${textOf(unknown)}` };
  return faults.length === 0 ? null : { code: 'facet_not_approved', message: `Not approved: ${textOf(faults)}` };
};

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
