import { Interface, type InterfaceAbi } from 'ethers';
import batcher from '../../contracts/abi/Batcher.json' with { type: 'json' };
import firstBatcher from '../../contracts/batchers/1.json' with { type: 'json' };
import dealFacet from '../../contracts/abi/DealFacet.json' with { type: 'json' };
import diamond from '../../contracts/abi/Diamond.json' with { type: 'json' };
import diamondCutFacet from '../../contracts/abi/DiamondCutFacet.json' with { type: 'json' };
import diamondLoupeFacet from '../../contracts/abi/DiamondLoupeFacet.json' with { type: 'json' };
import registry from '../../contracts/abi/Registry.json' with { type: 'json' };
import testToken from '../../contracts/abi/TestToken.json' with { type: 'json' };

/** What a contract can be asked. */
interface ContractArtifact {
  readonly name: string;
  readonly abi: readonly { readonly type: string; readonly name?: string }[];
  readonly interface: Interface;
}

/** A contract as it was compiled. */
interface DeployableArtifact extends ContractArtifact {
  /** Creation code without constructor arguments, 0x-prefixed hex. */
  readonly bytecode: string;
}

const artifact = (file: { contractName: string; abi: unknown }): ContractArtifact => ({
  name: file.contractName,
  abi: file.abi as ContractArtifact['abi'],
  interface: new Interface(file.abi as InterfaceAbi),
});

const deployable = (file: { contractName: string; abi: unknown; bytecode: string }): DeployableArtifact => ({
  ...artifact(file),
  bytecode: file.bytecode,
});

/** The contracts by role. The code of facets is in their releases. */
export const contracts = {
  registry: deployable(registry),
  /** The newest one. */
  batcher: deployable(batcher),
  /** The one that every network had first; it has prices of gas as constants, and stays known for ever. */
  firstBatcher: deployable(firstBatcher),
  diamond: deployable(diamond),
  deal: artifact(dealFacet),
  cut: artifact(diamondCutFacet),
  loupe: artifact(diamondLoupeFacet),
  testToken: deployable(testToken),
} as const;
