/** A diamond's contracts, compared with its network's release. Hex has a 0x; addresses and hashes are lower-case. */
import { adoptionRefusals } from './deployment.ts';

/**
 * The status of a contract. `missing`: not deployed, or a facet that the diamond lacks; `unknown`: its code is in no release;
 * `obsolete`: its code is in a release, but the target release does not use it.
 */
export type ContractStatus = 'up_to_date' | 'update_available' | 'missing' | 'unknown' | 'obsolete';

/** Changed functions by their selectors, sorted. */
export interface SelectorChanges {
  readonly add: readonly string[];
  readonly replace: readonly string[];
  readonly remove: readonly string[];
}

/** The diamond, or one facet of it. Unknown values are null. */
export interface ContractVersion {
  readonly name: string | null;
  readonly kind: 'diamond' | 'facet';
  /** Its address; while it is missing, its future address. */
  readonly address: string;
  readonly current_version: string | null;
  readonly latest_version: string | null;
  readonly current_code_hash: string | null;
  readonly latest_code_hash: string | null;
  /** Whether the registry approves the diamond's facet; null for the diamond itself, and while the facet is missing. */
  readonly current_approved: boolean | null;
  /** Whether the registry approves the release's facet. A cut to a facet that is not approved reverts. */
  readonly latest_approved: boolean | null;
  readonly status: ContractStatus;
  /** True when an update would change it. */
  readonly update_available: boolean;
  /** Selectors that the facet would gain, take over from other facets, and lose without a successor. */
  readonly selectors: SelectorChanges;
}

/** One entry of a cut (EIP-2535). */
export interface FacetCut {
  /** The zero address for a removal. */
  readonly facet: string;
  readonly action: 'add' | 'replace' | 'remove';
  readonly selectors: readonly string[];
}

/** The call that cuts a diamond, with everything that a second person needs to recompute it. */
export interface PlannedCut {
  /** The diamond. */
  readonly to: string;
  /** Call data of `diamondCutChecked`. */
  readonly data: string;
  readonly cuts: readonly FacetCut[];
  /** Hash of the diamond's present facets. The cut reverts in any other state. */
  readonly expectedLoupeHash: string;
}

/** The block of an inspection: the newest with the network's confirmations, or the newest of all. */
export type Depth = 'confirmed' | 'newest';

/** A diamond compared with the release of its network, at one block. */
export interface DiamondInspection {
  readonly blockNumber: number;
  /** True for a diamond that the network's registry created. */
  readonly isThere: boolean;
  readonly contracts: readonly ContractVersion[];
  /** Null when the diamond is up to date, and when root has set a release that Carat does not know. */
  readonly cut: PlannedCut | null;
  /** The version of such a release. The diamond is then compared with the newest release of Carat, and no cut is offered. */
  readonly unknownRelease?: string;
}

/** Finds the contracts that differ from every release, or are facets that the registry does not approve. */
export const faultsOf = ({ contracts }: DiamondInspection): ContractVersion[] => {
  const isReleased = contracts[0]?.current_version != null;
  return contracts.filter(
    ({ status, current_approved: isApproved }) =>
      status === 'unknown' || isApproved === false || (!isReleased && status !== 'up_to_date'),
  );
};

/**
 * Explains, by a code and a sentence, why a diamond is not one that the registry created and that matches a release exactly;
 * null when it is.
 */
export const faultOf = (seen: DiamondInspection): { readonly code: string; readonly message: string } | null => {
  const [diamond] = seen.contracts;
  const at = diamond?.address;
  if (!seen.isThere) return { code: adoptionRefusals.foreign, message: `The registry did not create ${at}` };
  const faults = faultsOf(seen);
  const unknown = faults.filter(({ status }) => status === 'unknown');
  const textOf = (some: readonly ContractVersion[]): string => some.map(({ name, address }) => name ?? address).join();
  if (unknown[0] === diamond && diamond) return { code: 'code_mismatch', message: `Unknown code at ${at}` };
  if (faults.length > 0 && diamond?.current_version === null) {
    return { code: 'loupe_mismatch', message: `${at} matches no release` };
  }
  if (unknown.length > 0) return { code: 'code_mismatch', message: `The code is in no release: ${textOf(unknown)}` };
  return faults.length === 0 ? null : { code: 'facet_not_approved', message: `Not approved: ${textOf(faults)}` };
};

/** An inspection with its time (RFC 3339). */
export interface InspectedDiamond extends DiamondInspection {
  readonly checkedAt: string;
}

/** A request to inspect the diamond of a wallet on a network. */
export interface InspectionRequest {
  readonly walletId: string;
  readonly nodeId: string;
  readonly networkId: string;
  /** The wallet's address on every network, lower-case hex. */
  readonly address: string;
}

/** Inspects a diamond on its chain; null when that takes more than ten seconds. */
export type Inspect = (request: InspectionRequest) => Promise<InspectedDiamond | null>;
