import { concat } from 'ethers';
import { adoptionRefusals } from '../../domain/deployment.ts';
import type { ContractCall, Deployer, DeploymentProblem } from '../../domain/ports/deployment.ts';
import { contracts } from '../pure/contracts.ts';
import { registryAddress, uuidBytes, uuidOf } from '../pure/platform.ts';
import { facetCreationCode, release, type ReleasedFacet } from '../pure/releases.ts';
import { agreed, agreedCodes, codeRequest, outputOf, viewRequest } from '../rpc/calls.ts';
import { agreedBlock, inspectDiamond, isOurs } from './inspect.ts';
import type { DeployerDeps, Inspection } from './inspection.ts';
import { networkRelease, preflight } from './preflight.ts';

/** The call by which the deterministic deployer creates a contract (EIP-1014); it reverts when the contract exists. */
export const deployCall = (initCode: string, salt = release.salt): ContractCall => ({
  to: release.deployer,
  data: concat([salt, initCode]),
});

/** The call that deploys a facet of a release. */
export const facetDeployCall = (facet: ReleasedFacet): ContractCall => deployCall(facetCreationCode(facet), facet.salt);

/** Creates the deployer of one network, which reads the chain for the steps of deployments. */
export const createDeployer = (deps: DeployerDeps): Deployer => {
  const { network, rpc, operators = [], upgraders = [] } = deps;
  const registry = registryAddress(network.platform);
  const abi = contracts.registry.interface;
  const inspection: Inspection = {
    network,
    rpc,
    operators,
    upgraders,
    ask: (name, ...args) => ({ to: registry, interface: abi, name, args }),
    problem: (code, message) => ({ code, message: `${network.name}: ${message}` }),
  };
  return {
    preflight: () => preflight(inspection),
    missingFacets: async () => {
      const { blockNumber, block } = await agreedBlock(inspection, 1);
      const { facets } = (await networkRelease(inspection, block)) ?? release;
      const addresses = facets.map(({ address }) => address);
      const found = await agreedCodes(rpc, network.quorum, addresses, block);
      const missing = facets.filter((_, index) => found[index] === '0x');
      return { blockNumber, facets: missing.map((facet) => ({ name: facet.name, ...facetDeployCall(facet) })) };
    },
    createDiamondCall: (nodeId, walletId) => ({
      to: registry,
      data: abi.encodeFunctionData('createDiamond', [uuidBytes(nodeId), uuidBytes(walletId)]),
    }),
    refuseAdoption: (address, reaches) => refuseAdoption(inspection, address, reaches),
    inspect: (address, depth = 'confirmed') => inspectDiamond(inspection, address, depth),
  };
};

const refuseAdoption = async (
  inspection: Inspection,
  address: string,
  reaches: (nodeId: string) => Promise<boolean>,
): Promise<DeploymentProblem | null> => {
  const { ask, network, problem, rpc } = inspection;
  const { block } = await agreedBlock(inspection, 1);
  const asked = ask('diamondKey', address);
  const requests = [viewRequest(asked, block), codeRequest(address, block)];
  const [told, code] = await agreed(rpc, network.quorum, requests);
  const key = outputOf(asked, told);
  if (isOurs(key)) {
    const [nodeId] = key as readonly [string];
    if (await reaches(uuidOf(nodeId))) return null;
    return problem(adoptionRefusals.foreign, `the diamond at ${address} was made for a node out of reach`);
  }
  return code === '0x'
    ? problem(adoptionRefusals.missing, `no diamond exists at ${address}, the address given for the wallet`)
    : problem(adoptionRefusals.foreign, `the network's registry did not create ${address}`);
};
