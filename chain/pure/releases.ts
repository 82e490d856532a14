import { concat, toBeHex } from 'ethers';
import first from '../../contracts/releases/1.0.0.json' with { type: 'json' };
import second from '../../contracts/releases/1.1.0.json' with { type: 'json' };
import third from '../../contracts/releases/1.2.0.json' with { type: 'json' };

/** One facet of a release: where it is on every network and how its code is recognised. Hex is lower-case. */
export interface ReleasedFacet {
  readonly name: string;
  readonly version: string;
  readonly address: string;
  readonly salt: string;
  readonly creationCodeHash: string;
  readonly runtimeCodeHash: string;
  readonly selectors: readonly string[];
  readonly runtimeCode: string;
}

/** What a release consists of; written by the contracts' build, and never changed again. */
export interface Release {
  readonly version: string;
  /** The deterministic CREATE2 deployer, the same on every network. */
  readonly deployer: string;
  /** Salt of all that the deployer deploys. */
  readonly salt: string;
  readonly diamondCreationCodeHash: string;
  readonly diamondRuntimeCodeHash: string;
  readonly registryCreationCodeHash: string;
  /** Of the first batcher; later ones belong to no release. */
  readonly batcherCreationCodeHash: string;
  /** In the order in which a diamond takes them. */
  readonly facets: readonly ReleasedFacet[];
}

const read = (manifest: Release): Release => ({
  ...manifest,
  deployer: manifest.deployer.toLowerCase(),
  facets: manifest.facets.map((facet) => ({ ...facet, address: facet.address.toLowerCase() })),
});

/** Every release that there was, oldest first. */
export const releases: readonly Release[] = [read(first), read(second), read(third)];

/** The newest one: what this version of Carat puts onto networks. */
export const release: Release = releases.at(-1)!;

/** The release of a version, or undefined. */
export const releaseOf = (version: string): Release | undefined => releases.find((one) => one.version === version);

/** The release that a registry has: by its version, and its facets in their order. Null for one that is none of ours. */
export const releaseOfRegistry = (version: string, facets: readonly string[]): Release | null => {
  const addresses = facets.map((facet) => facet.toLowerCase()).join();
  const found = releaseOf(version);
  return found?.facets.map(({ address }) => address).join() === addresses ? found : null;
};

/** A version as people read it: in a registry stands whatever its root has written, of any length. */
export const versionText = (version: string): string => version.slice(0, 40).replace(/\p{C}/gu, '\ufffd');

/** The facets of all releases, by address. Facets are stateless and stand where their code decides, so one address is one code. */
export const releasedFacets: ReadonlyMap<string, ReleasedFacet> = new Map(
  releases.flatMap(({ facets }) => facets.map((facet) => [facet.address, facet] as const)),
);

/** Creation code that returns the code behind it, as `LibFacet.creationCode` of the contracts. */
export const facetCreationCode = ({ runtimeCode }: Pick<ReleasedFacet, 'runtimeCode'>): string =>
  concat(['0x61', toBeHex((runtimeCode.length - 2) / 2, 2), '0x80600a5f395ff3', runtimeCode]);
