import { concat, keccak256 } from 'ethers';
import { adoptionRefusals } from '../../domain/deployment.ts';
import type { ContractCall, Deployer, DeploymentProblem } from '../../domain/ports/deployment.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { contracts, facetBytecode, release } from '../pure/contracts.ts';
import { batcherAddress, registryAddress, uuidBytes, type Platform } from '../pure/platform.ts';
import { roleIds } from '../pure/roles.ts';
import { codes, quantity, views, type ViewCall } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { neededRoles } from './roles.ts';

/** The network, and what must be on it. */
export interface DeployerDeps {
  readonly network: Pick<WatchedNetwork, 'eip155' | 'confirmations' | 'name'>;
  readonly rpc: Rpc;
  readonly platform: Platform;
  /** Keys of this network that must have their roles; without them only the batcher is looked at. */
  readonly operators?: readonly string[];
  readonly upgraders?: readonly string[];
  readonly guardian?: string;
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
interface Inspection extends Required<Omit<DeployerDeps, 'guardian'>> {
  readonly guardian: string | undefined;
  /** A question to the registry. */
  readonly ask: (name: string, ...args: unknown[]) => ViewCall;
  readonly problem: (code: string, message: string) => DeploymentProblem;
}

/** Asks one network what the steps of a deployment want to know. */
export const createDeployer = (deps: DeployerDeps): Deployer => {
  const { network, rpc, platform, operators = [], upgraders = [], guardian } = deps;
  const registry = registryAddress(platform);
  const abi = contracts.registry.interface;
  const inspection: Inspection = {
    ...{ network, rpc, platform, operators, upgraders, guardian },
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
  const { rpc, platform, ask, problem } = inspection;
  const [root, delay, id, current, ...approved] = await views(rpc, [
    ...['root', 'approvalDelay', 'platformId', 'release'].map((name) => ask(name)),
    ...release.facets.map(({ address }) => ask('isApproved', address)),
  ]);
  if (String(root).toLowerCase() !== platform.root.toLowerCase()) {
    return problem('root_mismatch', `the registry belongs to ${String(root)}, not to the configured root`);
  }
  if (delay !== platform.approvalDelay) return problem('delay_mismatch', `the approval delay is ${String(delay)} s`);
  if (String(id).toLowerCase() !== platform.id.toLowerCase()) {
    return problem('platform_mismatch', 'the registry is of another platform id');
  }
  const [version, facets] = current as [string, string[]];
  const expected = release.facets.map(({ address }) => address).join();
  if (version !== release.version || facets.map((facet) => facet.toLowerCase()).join() !== expected) {
    return problem('release_mismatch', `the registry's release is "${version}", not ${release.version}`);
  }
  return unapproved(inspection, approved) ?? preflightRoles(inspection, String(root));
};

/** What the registry approves is code at an address; neither may have changed, and no facet may have been revoked. */
const unapproved = ({ problem }: Inspection, answers: readonly unknown[]): DeploymentProblem | null => {
  const refused = release.facets.filter((_, index) => answers[index] !== true).map(({ name }) => name);
  return refused.length === 0
    ? null
    : problem('facet_not_approved', `revoked, or other code than was approved: ${refused.join(', ')}`);
};

/** Every key has its role; a guardian, whose thief can stop everything, has no other. */
const preflightRoles = async (inspection: Inspection, root: string): Promise<DeploymentProblem | null> => {
  const { rpc, platform, operators, upgraders, guardian, ask, problem } = inspection;
  const needed = neededRoles({ operators: [...operators, batcherAddress(platform)], upgraders, guardian });
  const barred = guardian === undefined ? [] : neededRoles({ operators: [guardian], upgraders: [guardian] });
  const states = await views(
    rpc,
    [...needed, ...barred].map(({ role, account }) => ask('roleState', roleIds[role], account)),
  );
  const isEnabled = states.map((state) => (state as readonly unknown[] | undefined)?.[0] === true);
  const missing = needed.filter((_, index) => !isEnabled[index]).map(({ role, account }) => `${account} (${role})`);
  if (missing.length > 0) return problem('role_missing', `no role in the registry: ${missing.join(', ')}`);
  if (guardian === undefined) return null;
  const more = barred.filter((_, index) => isEnabled[needed.length + index]).map(({ role }): string => role);
  if (root.toLowerCase() === guardian.toLowerCase()) more.push('root');
  return more.length === 0
    ? null
    : problem(
        'guardian_mismatch',
        `the guardian ${guardian} is ${more.join(' and ')} as well; it must be a key of its own`,
      );
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
): Promise<DeploymentProblem | null> => {
  const [key] = await views(rpc, [ask('diamondKey', address)]);
  if (isOurs(key)) return null;
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
