import { concat, keccak256 } from 'ethers';
import { adoptionRefusals } from '../../domain/deployment.ts';
import type { ContractCall, Deployer, DeploymentProblem } from '../../domain/ports/deployment.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { contracts, facetBytecode, release } from '../pure/contracts.ts';
import { batcherAddress, registryAddress, uuidBytes, type Platform } from '../pure/platform.ts';
import { codes, quantity, views, type ViewCall } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** The network, and what must be on it. */
export interface DeployerDeps {
  readonly network: Pick<WatchedNetwork, 'eip155' | 'confirmations' | 'name'>;
  readonly rpc: Rpc;
  readonly platform: Platform;
  /** Keys of this network that must have their roles; without them only the batcher is looked at. */
  readonly operators?: readonly string[];
  readonly upgraders?: readonly string[];
}

/** TSTORE (EIP-1153), MCOPY (EIP-5656), then an empty contract: runs only where cancun does. */
const cancunProbe = '0x5f5f5d5f5f5f5e5f5ff3';

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

/** What every question to the network needs to know. */
interface Inspection extends Required<DeployerDeps> {
  /** A question to the registry. */
  readonly ask: (name: string, ...args: unknown[]) => ViewCall;
  readonly problem: (code: string, message: string) => DeploymentProblem;
}

/** Asks one network what the steps of a deployment want to know. */
export const createDeployer = (deps: DeployerDeps): Deployer => {
  const { network, rpc, platform, operators = [], upgraders = [] } = deps;
  const registry = registryAddress(platform);
  const abi = contracts.registry.interface;
  const inspection: Inspection = {
    ...{ network, rpc, platform, operators, upgraders },
    ask: (name, ...args) => ({ to: registry, interface: abi, name, args }),
    problem: (code, message) => ({ code, message: `${network.name}: ${message}` }),
  };
  return {
    release: release.version,
    preflight: async () => (await preflightChain(inspection)) ?? preflightRegistry(inspection),
    missingFacets: () => missingFacets(rpc),
    facetDeployCall,
    createDiamondCall: (nodeId, walletId) => ({
      to: registry,
      data: abi.encodeFunctionData('createDiamond', [uuidBytes(nodeId), uuidBytes(walletId)]),
    }),
    hasDiamond: async (address) => (await codes(rpc, [address]))[0] !== '0x',
    refuseAdoption: (address) => refuseAdoption(inspection, address),
    verifyDiamond: (address) => verifyDiamond(inspection, address),
    isConfirmed: async (address) => {
      const tip = Number(await rpc.call('eth_blockNumber'));
      const confirmed = tip - network.confirmations + 1;
      if (confirmed < 0) return false;
      return (await codes(rpc, [address], quantity(confirmed)))[0] !== '0x';
    },
  };
};

/** The right chain, new enough, with the deterministic deployer and the contracts of the platform. */
const preflightChain = async ({ network, rpc, platform, problem }: Inspection): Promise<DeploymentProblem | null> => {
  const [chainId, probe] = (
    await rpc.batch([{ method: 'eth_chainId' }, { method: 'eth_call', params: [{ data: cancunProbe }, 'latest'] }])
  ).outcomes;
  if (!chainId?.ok) throw chainId?.error ?? new Error('the endpoint left out an answer');
  if (Number(chainId.result) !== network.eip155) {
    return problem('wrong_chain', `the RPC endpoint serves chain ${Number(chainId.result)}, not ${network.eip155}`);
  }
  if (!probe?.ok) return problem('evm_too_old', 'the chain does not run the cancun instructions');
  const [deployerCode, registryCode, batcherCode] = await codes(rpc, [
    release.deployer,
    registryAddress(platform),
    batcherAddress(platform),
  ]);
  if (deployerCode === '0x') return problem('deployer_missing', `no code at ${release.deployer}`);
  if (registryCode === '0x' || batcherCode === '0x') {
    return problem('registry_missing', 'the network is not prepared: run `carat network prepare`');
  }
  return null;
};

/** The registry is the platform's, with its roles and its release. */
const preflightRegistry = async (inspection: Inspection): Promise<DeploymentProblem | null> => {
  const { rpc, platform, operators, upgraders, ask, problem } = inspection;
  const batcher = batcherAddress(platform);
  const [root, delay, id, current, ...roles] = await views(rpc, [
    ask('root'),
    ask('approvalDelay'),
    ask('platformId'),
    ask('release'),
    ask('isOperator', batcher),
    ...operators.map((account) => ask('isOperator', account)),
    ...upgraders.map((account) => ask('isUpgrader', account)),
  ]);
  if (String(root).toLowerCase() !== platform.root.toLowerCase()) {
    return problem('root_mismatch', `the registry belongs to ${String(root)}, not to the configured root`);
  }
  if (delay !== platform.approvalDelay) return problem('delay_mismatch', `the approval delay is ${String(delay)} s`);
  if (String(id).toLowerCase() !== platform.id.toLowerCase()) {
    return problem('platform_mismatch', 'the registry is of another platform id');
  }
  const missing = [batcher, ...operators, ...upgraders].filter((_, index) => roles[index] !== true);
  if (missing.length > 0) return problem('role_missing', `no role in the registry: ${missing.join(', ')}`);
  const [version, facets] = current as [string, string[]];
  const expected = release.facets.map(({ address }) => address).join();
  if (version !== release.version || facets.map((facet) => facet.toLowerCase()).join() !== expected) {
    return problem('release_mismatch', `the registry's release is "${version}", not ${release.version}`);
  }
  return null;
};

const missingFacets = async (rpc: Rpc): Promise<string[]> => {
  const found = await codes(
    rpc,
    release.facets.map(({ address }) => address),
  );
  return release.facets.filter((_, index) => found[index] === '0x').map(({ name }) => name);
};

const refuseAdoption = async (
  { rpc, ask, problem }: Inspection,
  address: string,
): Promise<DeploymentProblem | null> => {
  const [own] = await views(rpc, [ask('isDiamond', address)]);
  if (own === true) return null;
  const [code] = await codes(rpc, [address]);
  return code === '0x'
    ? problem(adoptionRefusals.missing, `there is no diamond at ${address}, the address that the wallet was given`)
    : problem(adoptionRefusals.foreign, `our registry did not create ${address}`);
};

const verifyDiamond = async ({ rpc, ask, problem }: Inspection, address: string): Promise<DeploymentProblem | null> => {
  const loupe: ViewCall = { to: address, interface: contracts.loupe.interface, name: 'facets' };
  const [own, facets] = await views(rpc, [ask('isDiamond', address), loupe]);
  if (own !== true) return problem(adoptionRefusals.foreign, `our registry did not create ${address}`);
  const found = await codes(rpc, [address, ...release.facets.map((facet) => facet.address)]);
  if (keccak256(found[0] ?? '0x') !== release.diamondRuntimeCodeHash) {
    return problem('code_mismatch', `the code of ${address} is not that of a diamond`);
  }
  const changed = release.facets.filter((facet, i) => keccak256(found[i + 1] ?? '0x') !== facet.runtimeCodeHash);
  if (changed.length > 0) {
    return problem('code_mismatch', `other code than in the release: ${changed.map(({ name }) => name).join(', ')}`);
  }
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
