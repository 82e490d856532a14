import { AbiCoder, ZeroAddress, keccak256 } from 'ethers';
import type {
  ContractStatus,
  ContractVersion,
  FacetCut,
  PlannedCut,
  SelectorChanges,
} from '../../domain/version-check.ts';
import { contracts } from './contracts.ts';
import { releasedFacets, releases, type Release, type ReleasedFacet } from './releases.ts';

/** A facet from a diamond's loupe, with the hash of the code at its address; without code, the hash of no bytes. */
export interface LiveFacet {
  readonly address: string;
  readonly selectors: readonly string[];
  readonly codeHash: string;
}

/** A diamond at one block. */
export interface LiveDiamond {
  readonly address: string;
  /** Null without code. */
  readonly codeHash: string | null;
  /** In the order of its loupe. */
  readonly facets: readonly LiveFacet[];
  /** The registry-approved ones of the diamond's and the release's facets. */
  readonly approved: ReadonlySet<string>;
}

/** An update of a diamond to a release. It is deterministic: the same diamond and release give the same bytes. */
export interface CutPlan {
  readonly contracts: readonly ContractVersion[];
  /** Null when nothing is to be done, or the code is not a diamond of Carat. */
  readonly cut: PlannedCut | null;
}

const none: SelectorChanges = { add: [], replace: [], remove: [] };
const coder = AbiCoder.defaultAbiCoder();

/** The hash that `diamondCutChecked` compares: that of the result of `facets()`, in its order. */
export const loupeHash = (facets: readonly Pick<LiveFacet, 'address' | 'selectors'>[]): string => {
  const told = facets.map(({ address, selectors }) => [address, selectors]);
  return keccak256(coder.encode(['tuple(address, bytes4[])[]'], [told]));
};

/** The facet that serves each selector. */
const servedBy = (facets: readonly Pick<LiveFacet, 'address' | 'selectors'>[]): ReadonlyMap<string, string> =>
  new Map(facets.flatMap(({ address, selectors }) => selectors.map((selector) => [selector, address] as const)));

/** The release whose facets and selectors a diamond has exactly, by its loupe; undefined for none. */
export const releaseLike = (facets: readonly Pick<LiveFacet, 'address' | 'selectors'>[]): Release | undefined => {
  const textOf = (served: ReadonlyMap<string, string>): string => [...served].map(String).sort().join();
  const live = textOf(servedBy(facets));
  return releases.find((one) => textOf(servedBy(one.facets)) === live);
};

/** How an update changes a facet of the target release, or one that the release does not have. */
const changesOf = (
  { address, selectors }: Pick<LiveFacet, 'address' | 'selectors'>,
  live: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): SelectorChanges => {
  const own = selectors.filter((selector) => wanted.get(selector) === address);
  return {
    add: own.filter((selector) => !live.has(selector)),
    replace: own.filter((selector) => live.has(selector) && live.get(selector) !== address),
    remove: [...live].flatMap(([selector, by]) => (by === address && !wanted.has(selector) ? [selector] : [])).sort(),
  };
};

const isNone = ({ add, replace, remove }: SelectorChanges): boolean =>
  add.length + replace.length + remove.length === 0;

/** The released facet at an address, if the code there is the released one. */
const releasedAs = (facet: LiveFacet | undefined): ReleasedFacet | undefined => {
  const known = facet && releasedFacets.get(facet.address);
  return known?.runtimeCodeHash === facet?.codeHash ? known : undefined;
};

const statusOf = (is: { there: boolean; known: boolean; current: boolean }): ContractStatus => {
  if (!is.there) return 'missing';
  if (!is.known) return 'unknown';
  return is.current ? 'up_to_date' : 'update_available';
};

/** A facet of the target release compared with the diamond's facet in its place. */
const targetVersion = (
  facet: ReleasedFacet,
  { facets, approved }: LiveDiamond,
  changesOfFacet: (facet: Pick<LiveFacet, 'address' | 'selectors'>) => SelectorChanges,
): ContractVersion => {
  const namesakes = facets.filter(({ address }) => releasedFacets.get(address)?.name === facet.name);
  const current = namesakes.find(({ address }) => address === facet.address) ?? namesakes[0];
  const changes = { ...changesOfFacet(facet), remove: changesOfFacet(current ?? facet).remove };
  const known = releasedAs(current);
  const isCurrent = current?.address === facet.address && isNone(changes);
  return {
    name: facet.name,
    kind: 'facet',
    address: current?.address ?? facet.address,
    current_version: known?.version ?? null,
    latest_version: facet.version,
    current_code_hash: current?.codeHash ?? null,
    latest_code_hash: facet.runtimeCodeHash,
    current_approved: current ? approved.has(current.address) : null,
    latest_approved: approved.has(facet.address),
    status: statusOf({ there: current !== undefined, known: known !== undefined, current: isCurrent }),
    update_available: !isNone(changes),
    selectors: changes,
  };
};

/** A facet of the diamond that the target release lacks, or of which it has another version. */
const otherVersion = (facet: LiveFacet, isApproved: boolean, changes: SelectorChanges): ContractVersion => {
  const known = releasedAs(facet);
  return {
    name: known?.name ?? null,
    kind: 'facet',
    address: facet.address,
    current_version: known?.version ?? null,
    latest_version: null,
    current_code_hash: facet.codeHash,
    latest_code_hash: null,
    current_approved: isApproved,
    latest_approved: null,
    status: known === undefined ? 'unknown' : 'obsolete',
    update_available: true,
    selectors: changes,
  };
};

const diamondVersion = (live: LiveDiamond, target: Release, hasCuts: boolean): ContractVersion => {
  const isOurs = live.codeHash === target.diamondRuntimeCodeHash;
  return {
    name: 'Diamond',
    kind: 'diamond',
    address: live.address,
    current_version: (isOurs ? releaseLike(live.facets)?.version : null) ?? null,
    latest_version: target.version,
    current_code_hash: live.codeHash,
    latest_code_hash: target.diamondRuntimeCodeHash,
    current_approved: null,
    latest_approved: null,
    status: statusOf({ there: live.codeHash !== null, known: isOurs, current: !hasCuts }),
    update_available: hasCuts,
    selectors: none,
  };
};

/**
 * Compares a diamond with a release and plans the cut that makes it match: selectors that other facets serve are
 * replaced, missing ones are added, and those that the release lacks are removed. Cut, loupe and `registry()` are never
 * removed, because every release has them.
 */
export const planCut = (live: LiveDiamond, target: Release): CutPlan => {
  const isOurs = live.codeHash === target.diamondRuntimeCodeHash;
  const served = servedBy(live.facets);
  const wanted = servedBy(target.facets);
  const changes = (facet: Pick<LiveFacet, 'address' | 'selectors'>): SelectorChanges =>
    isOurs ? changesOf(facet, served, wanted) : none;
  const targets = target.facets.map((facet) => targetVersion(facet, live, changes));
  const shown = new Set([...targets, ...target.facets].map(({ address }) => address));
  const others = live.facets
    .filter(({ address }) => !shown.has(address))
    .map((one) => otherVersion(one, live.approved.has(one.address), changes(one)));
  const gone = isOurs ? [...served.keys()].filter((selector) => !wanted.has(selector)).sort() : [];
  const cuts = [
    ...target.facets.flatMap((facet): FacetCut[] => {
      const { add, replace } = changes(facet);
      return [
        { facet: facet.address, action: 'replace', selectors: replace },
        { facet: facet.address, action: 'add', selectors: add },
      ];
    }),
    { facet: ZeroAddress, action: 'remove' as const, selectors: gone },
  ].filter(({ selectors }) => selectors.length > 0);
  const expectedLoupeHash = loupeHash(live.facets);
  const data = cutData(cuts, expectedLoupeHash);
  return {
    contracts: [diamondVersion(live, target, cuts.length > 0), ...targets, ...others],
    cut: cuts.length === 0 ? null : { to: live.address, data, cuts, expectedLoupeHash },
  };
};

const actions = { add: 0, replace: 1, remove: 2 } as const;

/** Call data of a cut that reverts in any other state of the diamond. */
const cutData = (cuts: readonly FacetCut[], expectedLoupeHash: string): string => {
  const list = cuts.map(({ facet, action, selectors }) => [facet, actions[action], selectors]);
  return contracts.cut.interface.encodeFunctionData('diamondCutChecked', [list, ZeroAddress, '0x', expectedLoupeHash]);
};
