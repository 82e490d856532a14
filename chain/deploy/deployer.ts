import { concat, keccak256 } from 'ethers';
import { adoptionRefusals } from '../../domain/deployment.ts';
import type { ContractCall, Deployer, DeploymentProblem } from '../../domain/ports/deployment.ts';
import { contracts } from '../pure/contracts.ts';
import { releaseLike } from '../pure/cut-plan.ts';
import { registryAddress, uuidBytes, uuidOf } from '../pure/platform.ts';
import { facetCreationCode, release, type Release, type ReleasedFacet } from '../pure/releases.ts';
import { codes, quantity, views } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { facetsOf, inspectDiamond, isOurs } from './inspect.ts';
import { networkRelease, preflight, unapproved, type DeployerDeps, type Inspection } from './preflight.ts';

/** The call that makes the deterministic deployer create a contract (EIP-1014); it reverts where there is one already. */
export const deployCall = (initCode: string, salt = release.salt): ContractCall => ({
  to: release.deployer,
  data: concat([salt, initCode]),
});

/** The call that deploys a facet of a release. */
export const facetDeployCall = (facet: ReleasedFacet): ContractCall => deployCall(facetCreationCode(facet), facet.salt);

/** Asks one network what the steps of a deployment want to know. */
export const createDeployer = (deps: DeployerDeps): Deployer => {
  const { network, rpc, operators = [], upgraders = [] } = deps;
  const registry = registryAddress(network.platform);
  const abi = contracts.registry.interface;
  const inspection: Inspection = {
    ...{ network, rpc, operators, upgraders },
    ask: (name, ...args) => ({ to: registry, interface: abi, name, args }),
    problem: (code, message) => ({ code, message: `${network.name}: ${message}` }),
  };
  return {
    preflight: () => preflight(inspection),
    missingFacets: async () => {
      const target = (await networkRelease(inspection)) ?? release;
      const missing = await withoutCode(rpc, target.facets);
      return missing.map((facet) => ({ name: facet.name, ...facetDeployCall(facet) }));
    },
    createDiamondCall: (nodeId, walletId) => ({
      to: registry,
      data: abi.encodeFunctionData('createDiamond', [uuidBytes(nodeId), uuidBytes(walletId)]),
    }),
    hasDiamond: async (address) => (await codes(rpc, [address]))[0] !== '0x',
    refuseAdoption: (address, reaches) => refuseAdoption(inspection, address, reaches),
    verifyDiamond: (address) => verifyDiamond(inspection, address),
    inspect: (address) => inspectDiamond(inspection, address),
    releaseLike: async (address) => releaseLike(await facetsOf(rpc, address))?.version ?? null,
    isConfirmed: async (address) => {
      const tip = Number(await rpc.call('eth_blockNumber'));
      const confirmed = tip - network.confirmations + 1;
      if (confirmed < 0) return false;
      return (await codes(rpc, [address], quantity(confirmed)))[0] !== '0x';
    },
  };
};

/** The facets of a release that the network does not have yet. */
export const withoutCode = async (rpc: Rpc, facets: readonly ReleasedFacet[]): Promise<ReleasedFacet[]> => {
  const found = await codes(
    rpc,
    facets.map(({ address }) => address),
  );
  return facets.filter((_, index) => found[index] === '0x');
};

const refuseAdoption = async (
  { rpc, ask, problem }: Inspection,
  address: string,
  reaches: (nodeId: string) => Promise<boolean>,
): Promise<DeploymentProblem | null> => {
  const [key] = await views(rpc, [ask('diamondKey', address)]);
  if (isOurs(key)) {
    const [nodeId] = key as readonly [string];
    if (await reaches(uuidOf(nodeId))) return null;
    return problem(adoptionRefusals.foreign, `the diamond at ${address} was made for a node out of reach`);
  }
  const [code] = await codes(rpc, [address]);
  return code === '0x'
    ? problem(adoptionRefusals.missing, `there is no diamond at ${address}, the address that the wallet was given`)
    : problem(adoptionRefusals.foreign, `our registry did not create ${address}`);
};

const verifyDiamond = async (inspection: Inspection, address: string): Promise<DeploymentProblem | null> => {
  const { rpc, ask, problem } = inspection;
  const [key] = await views(rpc, [ask('diamondKey', address)]);
  if (!isOurs(key)) return problem(adoptionRefusals.foreign, `our registry did not create ${address}`);
  // One of an older release is as good: its facets are checked as that release has them.
  const found = releaseLike(await facetsOf(rpc, address));
  const { facets }: Pick<Release, 'facets'> = found ?? { facets: [] };
  const [code, ...facetCodes] = await codes(rpc, [address, ...facets.map((facet) => facet.address)]);
  if (keccak256(code ?? '0x') !== release.diamondRuntimeCodeHash) {
    return problem('code_mismatch', `the code of ${address} is not that of a diamond`);
  }
  if (found === undefined) return problem('loupe_mismatch', `${address} does not look like any release`);
  const changed = facets.filter((facet, i) => keccak256(facetCodes[i] ?? '0x') !== facet.runtimeCodeHash);
  if (changed.length > 0) {
    return problem('code_mismatch', `other code than in the release: ${changed.map(({ name }) => name).join(', ')}`);
  }
  return unapproved(inspection, found);
};
