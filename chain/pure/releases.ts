import { concat, toBeHex } from 'ethers';
import first from '../../contracts/releases/1.0.0.json' with { type: 'json' };
import second from '../../contracts/releases/1.1.0.json' with { type: 'json' };
import third from '../../contracts/releases/1.2.0.json' with { type: 'json' };
import fourth from '../../contracts/releases/1.3.0.json' with { type: 'json' };

/** One facet of a release: its address on every network, and its code with the hashes. Hex is lower-case. */
export interface ReleasedFacet {
  readonly name: string;
  readonly version: string;
  readonly address: string;
  readonly salt: string;
  readonly creationCodeHash: string;
  readonly runtimeCodeHash: string;
  /** Sorted by the contracts' build. */
  readonly selectors: readonly string[];
  readonly runtimeCode: string;
}

/** The manifest of a release. The contracts' build writes it once; it never changes. */
export interface Release {
  readonly version: string;
  /** The deterministic CREATE2 deployer, the same on every network. */
  readonly deployer: string;
  /** Salt of everything that the deployer deploys. */
  readonly salt: string;
  readonly diamondCreationCodeHash: string;
  readonly diamondRuntimeCodeHash: string;
  readonly registryCreationCodeHash: string;
  /** Hash of the first batcher; later batchers belong to no release. */
  readonly batcherCreationCodeHash: string;
  /** In the order in which a diamond adds them. */
  readonly facets: readonly ReleasedFacet[];
}

const read = (manifest: Release): Release => ({
  ...manifest,
  deployer: manifest.deployer.toLowerCase(),
  facets: manifest.facets.map((facet) => ({ ...facet, address: facet.address.toLowerCase() })),
});

/** All releases, oldest first. */
export const releases: readonly Release[] = [read(first), read(second), read(third), read(fourth)];

/** The newest release, which this version of Carat deploys by default. */
export const release: Release = releases.at(-1)!;

/** The release of a version, or undefined. */
export const releaseOf = (version: string): Release | undefined => releases.find((one) => one.version === version);

/** The release of a registry, by its version and its facets in order; null when Carat does not know it. */
export const releaseOfRegistry = (version: string, facets: readonly string[]): Release | null => {
  const addresses = facets.map((facet) => facet.toLowerCase()).join();
  const found = releaseOf(version);
  return found?.facets.map(({ address }) => address).join() === addresses ? found : null;
};

/** A version made safe for display: root can write any text of any length into a registry. */
export const versionText = (version: string): string => version.slice(0, 40).replace(/\p{C}/gu, '\ufffd');

/** The facets of all releases by address. The code of a facet determines its address, so one address has one code. */
export const releasedFacets: ReadonlyMap<string, ReleasedFacet> = new Map(
  releases.flatMap(({ facets }) => facets.map((facet) => [facet.address, facet] as const)),
);

/** Creation code that deploys the runtime code appended to it, as `LibFacet.creationCode` of the contracts. */
export const facetCreationCode = ({ runtimeCode }: Pick<ReleasedFacet, 'runtimeCode'>): string =>
  concat(['0x61', toBeHex((runtimeCode.length - 2) / 2, 2), '0x80600a5f395ff3', runtimeCode]);
