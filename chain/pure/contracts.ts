import { Interface, type InterfaceAbi } from 'ethers';
import batcher from '../../contracts/abi/Batcher.json' with { type: 'json' };
import dealFacet from '../../contracts/abi/DealFacet.json' with { type: 'json' };
import diamond from '../../contracts/abi/Diamond.json' with { type: 'json' };
import diamondCutFacet from '../../contracts/abi/DiamondCutFacet.json' with { type: 'json' };
import diamondLoupeFacet from '../../contracts/abi/DiamondLoupeFacet.json' with { type: 'json' };
import registry from '../../contracts/abi/Registry.json' with { type: 'json' };
import testToken from '../../contracts/abi/TestToken.json' with { type: 'json' };
import manifest from '../../contracts/release.json' with { type: 'json' };

/** A contract as it was compiled. */
interface ContractArtifact {
  readonly name: string;
  readonly abi: readonly { readonly type: string; readonly name?: string }[];
  readonly interface: Interface;
  /** Creation code without constructor arguments, 0x-prefixed hex. */
  readonly bytecode: string;
}

const artifact = (file: { contractName: string; abi: unknown; bytecode: string }): ContractArtifact => ({
  name: file.contractName,
  abi: file.abi as ContractArtifact['abi'],
  interface: new Interface(file.abi as InterfaceAbi),
  bytecode: file.bytecode,
});

/** The contracts by role, with ABI and creation code. */
export const contracts = {
  registry: artifact(registry),
  batcher: artifact(batcher),
  diamond: artifact(diamond),
  deal: artifact(dealFacet),
  cut: artifact(diamondCutFacet),
  loupe: artifact(diamondLoupeFacet),
  testToken: artifact(testToken),
} as const;

/** Creation code of a facet of the release, by its name in the manifest. */
export const facetBytecode = (name: string): string => {
  const found = [contracts.cut, contracts.loupe, contracts.deal].find((candidate) => candidate.name === name);
  if (!found) throw new RangeError(`no facet ${name}`);
  return found.bytecode;
};

/** One facet of a release: where it is on every network and how its code is recognised. Hex is lower-case. */
interface FacetManifest {
  readonly name: string;
  readonly version: string;
  readonly address: string;
  readonly salt: string;
  readonly creationCodeHash: string;
  readonly runtimeCodeHash: string;
  readonly selectors: readonly string[];
}

/** What a release consists of; written by the contracts' build. */
interface Release {
  readonly version: string;
  /** The deterministic CREATE2 deployer, the same on every network. */
  readonly deployer: string;
  /** Salt of all that the deployer deploys. */
  readonly salt: string;
  readonly diamondCreationCodeHash: string;
  readonly diamondRuntimeCodeHash: string;
  readonly registryCreationCodeHash: string;
  readonly batcherCreationCodeHash: string;
  /** In the order in which a diamond takes them. */
  readonly facets: readonly FacetManifest[];
}

/** The release that this version of Carat deploys and verifies. */
export const release: Release = {
  ...manifest,
  deployer: manifest.deployer.toLowerCase(),
  facets: manifest.facets.map((facet) => ({ ...facet, address: facet.address.toLowerCase() })),
};

/** True when a registry's release is this one: its version, and its facets in their order. */
export const isThisRelease = (version: string, facets: readonly string[]): boolean =>
  version === release.version &&
  facets.map((facet) => facet.toLowerCase()).join() === release.facets.map(({ address }) => address).join();
