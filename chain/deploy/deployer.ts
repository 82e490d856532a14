import { concat, keccak256 } from 'ethers';
import { adoptionRefusals } from '../../domain/deployment.ts';
import type { ContractCall, Deployer, DeploymentProblem } from '../../domain/ports/deployment.ts';
import { contracts, facetBytecode, release } from '../pure/contracts.ts';
import { registryAddress, uuidBytes, uuidOf } from '../pure/platform.ts';
import { codes, quantity, views, type ViewCall } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { preflight, unapproved, type DeployerDeps, type Inspection } from './preflight.ts';

/** The call that makes the deterministic deployer create a contract (EIP-1014); it reverts where there is one already. */
export const deployCall = (initCode: string, salt = release.salt): ContractCall => ({
  to: release.deployer,
  data: concat([salt, initCode]),
});

/**
 * The call that deploys a facet of the release.
 * @param name as in the manifest
 * @throws RangeError for an unknown name
 */
export const facetDeployCall = (name: string): ContractCall => deployCall(facetBytecode(name));

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
    release: release.version,
    preflight: () => preflight(inspection),
    missingFacets: () => missingFacets(rpc),
    facetDeployCall,
    createDiamondCall: (nodeId, walletId) => ({
      to: registry,
      data: abi.encodeFunctionData('createDiamond', [uuidBytes(nodeId), uuidBytes(walletId)]),
    }),
    hasDiamond: async (address) => (await codes(rpc, [address]))[0] !== '0x',
    refuseAdoption: (address, reaches) => refuseAdoption(inspection, address, reaches),
    verifyDiamond: (address) => verifyDiamond(inspection, address),
    isConfirmed: async (address) => {
      const tip = Number(await rpc.call('eth_blockNumber'));
      const confirmed = tip - network.confirmations + 1;
      if (confirmed < 0) return false;
      return (await codes(rpc, [address], quantity(confirmed)))[0] !== '0x';
    },
  };
};

const missingFacets = async (rpc: Rpc): Promise<string[]> => {
  const found = await codes(
    rpc,
    release.facets.map(({ address }) => address),
  );
  return release.facets.filter((_, index) => found[index] === '0x').map(({ name }) => name);
};

/** True when the registry made the diamond at the address; code and loupe prove nothing. */
const isOurs = (key: unknown): boolean => Array.isArray(key) && key.some((id) => BigInt(id as string) !== 0n);

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
  const loupe: ViewCall = { to: address, interface: contracts.loupe.interface, name: 'facets' };
  const [key, facets, ...approved] = await views(rpc, [
    ask('diamondKey', address),
    loupe,
    ...release.facets.map((facet) => ask('isApproved', facet.address)),
  ]);
  if (!isOurs(key)) return problem(adoptionRefusals.foreign, `our registry did not create ${address}`);
  const found = await codes(rpc, [address, ...release.facets.map((facet) => facet.address)]);
  if (keccak256(found[0] ?? '0x') !== release.diamondRuntimeCodeHash) {
    return problem('code_mismatch', `the code of ${address} is not that of a diamond`);
  }
  const changed = release.facets.filter((facet, i) => keccak256(found[i + 1] ?? '0x') !== facet.runtimeCodeHash);
  if (changed.length > 0) {
    return problem('code_mismatch', `other code than in the release: ${changed.map(({ name }) => name).join(', ')}`);
  }
  const refusal = unapproved(inspection, approved);
  if (refusal !== null) return refusal;
  const expected = loupeText(release.facets.map((facet) => [facet.address, facet.selectors] as const));
  const actual = loupeText((facets ?? []) as readonly (readonly [string, readonly string[]])[]);
  return actual === expected ? null : problem('loupe_mismatch', `${address} does not look like ${release.version}`);
};

/** A loupe's answer in one order, for comparison. */
const loupeText = (facets: readonly (readonly [string, readonly string[]])[]): string =>
  facets
    .map(([address, selectors]) => concat([address, ...[...selectors].sort()]).toLowerCase())
    .sort()
    .join();
