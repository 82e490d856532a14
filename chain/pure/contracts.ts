import { Interface, type InterfaceAbi } from 'ethers';
import batcher from '../../contracts/abi/Batcher.json' with { type: 'json' };
import firstBatcher from '../../contracts/batchers/1.json' with { type: 'json' };
import dealFacet from '../../contracts/abi/DealFacet.json' with { type: 'json' };
import diamond from '../../contracts/abi/Diamond.json' with { type: 'json' };
import diamondCutFacet from '../../contracts/abi/DiamondCutFacet.json' with { type: 'json' };
import diamondLoupeFacet from '../../contracts/abi/DiamondLoupeFacet.json' with { type: 'json' };
import offerFacet from '../../contracts/abi/OfferFacet.json' with { type: 'json' };
import registry from '../../contracts/abi/Registry.json' with { type: 'json' };
import testToken from '../../contracts/abi/TestToken.json' with { type: 'json' };

/** A contract's interface. */
interface ContractArtifact {
  readonly name: string;
  readonly abi: readonly { readonly type: string; readonly name?: string }[];
  readonly interface: Interface;
}

/** A contract with its compiled code. */
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

/** The contracts by role. Releases contain the code of facets. */
export const contracts = {
  registry: deployable(registry),
  /** The newest batcher. */
  batcher: deployable(batcher),
  /** The first batcher, which old networks still have; its gas costs are constants. */
  firstBatcher: deployable(firstBatcher),
  diamond: deployable(diamond),
  deal: artifact(dealFacet),
  offer: artifact(offerFacet),
  cut: artifact(diamondCutFacet),
  loupe: artifact(diamondLoupeFacet),
  testToken: deployable(testToken),
} as const;
