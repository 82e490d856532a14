import manifest from '../../contracts/release.json' with { type: 'json' };

/** One facet of a release: where it is on every network and how its code is recognised. Hex is lower-case. */
export interface FacetManifest {
  readonly name: string;
  readonly version: string;
  readonly address: string;
  readonly salt: string;
  readonly creationCodeHash: string;
  readonly runtimeCodeHash: string;
  readonly selectors: readonly string[];
}

/** What a release consists of; written by the contracts' build. */
export interface Release {
  readonly version: string;
  /** The deterministic CREATE2 deployer, the same on every network. */
  readonly deployer: string;
  /** Salt of all that the deployer deploys. */
  readonly salt: string;
  readonly diamondCreationCodeHash: string;
  readonly diamondRuntimeCodeHash: string;
  readonly registryCreationCodeHash: string;
  readonly batcherCreationCodeHash: string;
  readonly facets: readonly FacetManifest[];
}

/** The release that this version of Carat deploys and verifies. */
export const release: Release = {
  ...manifest,
  deployer: manifest.deployer.toLowerCase(),
  facets: manifest.facets.map((facet) => ({ ...facet, address: facet.address.toLowerCase() })),
};

/** The facets of a release, in the order in which a diamond takes them. */
export const facets = (of: Release = release): readonly FacetManifest[] => of.facets;
