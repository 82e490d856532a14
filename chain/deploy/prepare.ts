import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { contracts } from '../pure/contracts.ts';
import { batcherAddress, platformInitCodes, registryAddress } from '../pure/platform.ts';
import { release as newest, releaseOfRegistry, versionText, type Release } from '../pure/releases.ts';
import { roleIds } from '../pure/roles.ts';
import { agreedCodes, agreedViews } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Signer } from '../signing/signer.ts';
import { readBatchers, readOlderBatchers, type CountOpen, type OlderBatcher } from './batchers.ts';
import { deployCall, facetDeployCall } from './deployer.ts';
import { fundDeployerCall, placeDeployer } from './deterministic-deployer.ts';
import { agreedBlock } from './inspect.ts';
import { refuseForeignRoot, type ReachableNetwork } from './handover.ts';
import { approveFacetsCall, hasRole, setReleaseCall, setRoleCall } from './registry.ts';
import { neededRoles, type RoleOf } from './roles.ts';
import { sendCalls, type PlannedCall } from './send-calls.ts';

/** What a network shall have. */
export interface PlanOptions {
  readonly network: Pick<WatchedNetwork, 'name' | 'eip155' | 'platform' | 'root' | 'guardian'> &
    Partial<Pick<WatchedNetwork, 'quorum' | 'confirmations'>>;
  readonly rpc: Rpc;
  /** The other networks of its chain, on none of which root may have been handed over while this one has no registry. */
  readonly others?: readonly ReachableNetwork[];
  /** Keys that create and cancel deals; the newest batcher gets the role as well. */
  readonly operators: readonly string[];
  readonly upgraders: readonly string[];
  /** What diamonds shall be made of; the newest release by default. */
  readonly release?: Release;
  /** Where nobody counts, batchers of older versions keep their role. */
  readonly countOpen?: CountOpen;
}

/** What a network is prepared with. */
export interface PrepareOptions extends PlanOptions {
  /** Pays for everything. Root's own key sends root's calls too; with any other one they are left to root. */
  readonly rootSigner: Signer;
  /** Told each step before it is sent. */
  readonly onProgress?: (message: string) => void;
}

/** What a network has and lacks, before anything is sent. */
export interface NetworkPlan {
  readonly registry: string;
  /** The newest one. */
  readonly batcher: string;
  /** Those of older versions that are there. One that nothing keeps loses its role by a call of root's. */
  readonly olderBatchers: readonly OlderBatcher[];
  /** What puts the deterministic deployer there first; null where it is. */
  readonly deployer: { readonly address: string; readonly fund: PlannedCall | null } | null;
  /** Everything that the deterministic deployer puts there, with the call that does it. */
  readonly contracts: readonly {
    readonly name: string;
    readonly address: string;
    readonly isThere: boolean;
    readonly call: PlannedCall;
  }[];
  /** Who shall have which role. */
  readonly roles: readonly (RoleOf & { readonly enabled: boolean })[];
  /** What only root may call, in this order, once the contracts are there. */
  readonly rootCalls: readonly PlannedCall[];
  /**
   * Unix seconds from which the facets of this release may be used, when their approval has a delay that is not over:
   * the release is set by a repeated preparation then. Null when all is done.
   */
  readonly releaseFrom: number | null;
  /** Names of facets that were revoked for good: this release can not be set, nothing but the roles is brought back. */
  readonly revoked: readonly string[];
  /** Version of the release that root has set, where it is none of ours: a newer Carat's, or a thief's. It is left as it is. */
  readonly unknownRelease?: string;
}

/** What a network has after its preparation. */
export interface PreparedNetwork extends Omit<NetworkPlan, 'deployer' | 'contracts' | 'roles'> {
  /** Transactions that were sent; none when everything was there. */
  readonly transactions: readonly string[];
  /** What root still has to call when its key is not the one that was given: for a multisig. Empty when it was. */
  readonly rootCalls: readonly PlannedCall[];
}

/** Gas for calls of a registry that may not be there when they are signed; they use a quarter of it or less. */
const ROLE_GAS = 200_000n;
const RELEASE_GAS = 2_000_000n;

/**
 * What a preparation would send, found without a key.
 * @throws Error when the deterministic deployer is missing and can not be put there, or root was handed over and that forbids it
 */
export const planNetwork = async (options: PlanOptions): Promise<NetworkPlan> => {
  const { network, rpc, others = [] } = options;
  const registry = registryAddress(network.platform);
  const batcher = batcherAddress(network.platform);
  await refuseForeignRoot({ network, rpc }, others);
  const planned = await plannedContracts(options, registry, batcher);
  const olderBatchers = await readOlderBatchers(options, await readBatchers(options), options.countOpen);
  const { rootCalls, ...rest } = await plannedRootCalls(options, registry, batcher);
  const taken = olderBatchers
    .filter(({ isOperator, hold }) => isOperator && hold === null)
    .map(({ address }) => takeBatcherCall(registry, address));
  return { registry, batcher, olderBatchers, ...planned, ...rest, rootCalls: [...rootCalls, ...taken] };
};

/**
 * Brings a network to where diamonds can be deployed: registry, batcher and facets through the deterministic deployer,
 * roles, approved facets, the release. It looks first and sends only what is missing, so it may be repeated; roles that
 * others have are left alone, except that of an older batcher to which nothing goes any more.
 * @throws Error before anything is sent: when the deterministic deployer is missing and can not be put there, or root was handed over
 *   and that forbids it
 */
export const prepareNetwork = async (options: PrepareOptions): Promise<PreparedNetwork> => {
  const { network, rpc, rootSigner, onProgress = () => {} } = options;
  const { deployer, contracts: all, roles: _, rootCalls, ...plan } = await planNetwork(options);
  const deployments = missingOf(all);
  const isRoot = rootSigner.address === network.root.toLowerCase();
  const calls = isRoot ? [...deployments, ...rootCalls] : deployments;
  const first = deployer
    ? await placeDeployer({ rpc, network, deployer: deployer.address }, rootSigner, onProgress)
    : [];
  for (const { what } of calls) onProgress(what);
  const transactions = await sendCalls(rpc, rootSigner, network.eip155, calls, network);
  return { ...plan, transactions: [...first, ...transactions], rootCalls: isRoot ? [] : rootCalls };
};

const takeBatcherCall = (registry: string, address: string): PlannedCall => {
  const call = setRoleCall(registry, 'operator', address, false);
  return { ...call, what: `${call.what}, an older batcher` };
};

/** The calls that deploy what is not there. */
export const missingOf = (planned: NetworkPlan['contracts']): PlannedCall[] =>
  planned.filter(({ isThere }) => !isThere).map(({ call }) => call);

const plannedContracts = async (
  { rpc, network, release = newest }: PlanOptions,
  registry: string,
  batcher: string,
): Promise<Pick<NetworkPlan, 'deployer' | 'contracts'>> => {
  const initCodes = platformInitCodes(network.platform);
  const wanted = [
    { name: 'the registry', address: registry, ...deployCall(initCodes.registry) },
    { name: 'the batcher', address: batcher, ...deployCall(initCodes.batcher) },
    ...release.facets.map((facet) => ({
      name: `${facet.name} ${facet.version}`,
      address: facet.address,
      ...facetDeployCall(facet),
    })),
  ];
  const addresses = [release.deployer, ...wanted.map(({ address }) => address)];
  const [deployerCode, ...found] = await agreedCodes(rpc, network.quorum ?? 1, addresses);
  const place = { rpc, network, deployer: release.deployer };
  const deployer = deployerCode === '0x' ? { address: release.deployer, fund: await fundDeployerCall(place) } : null;
  const planned = wanted.map(({ name, address, to, data }, index) => ({
    name,
    address,
    isThere: found[index] !== '0x',
    call: { what: `deploy ${name} at ${address}`, to, data },
  }));
  return { deployer, contracts: planned };
};

const plannedRootCalls = async (
  { rpc, operators, upgraders, network, release = newest }: PlanOptions,
  registry: string,
  batcher: string,
): Promise<Pick<NetworkPlan, 'roles' | 'rootCalls' | 'releaseFrom' | 'revoked' | 'unknownRelease'>> => {
  const { guardian, platform, quorum = 1 } = network;
  const needed = neededRoles({ operators: [...operators, batcher], upgraders, guardian });
  const { facets } = release;
  const abi = contracts.registry.interface;
  const read = (name: string, args: readonly unknown[] = []) => ({ to: registry, interface: abi, name, args });
  const [current, ...states] = await agreedViews(rpc, quorum, [
    read('release'),
    ...needed.map(({ role, account }) => read('roleState', [roleIds[role], account])),
    ...facets.map(({ address, runtimeCodeHash }) => read('approval', [address, runtimeCodeHash])),
  ]);
  const roles = needed.map((own, index) => ({
    ...own,
    enabled: states[index] !== undefined && hasRole(states[index]),
  }));
  const calls = roles
    .filter(({ enabled }) => !enabled)
    .map(({ role, account }) => ({ ...setRoleCall(registry, role, account, true), gasLimit: ROLE_GAS }));
  const approvals = states.slice(needed.length) as (readonly [bigint, boolean] | undefined)[];
  const revoked = facets.filter((_, index) => approvals[index]?.[1] === true).map(({ name }) => name);
  const [version, addresses] = (current ?? ['', []]) as [string, string[]];
  const released = releaseOfRegistry(version, addresses);
  const found = { roles, rootCalls: calls, releaseFrom: null, revoked };
  if (released === null && addresses.length > 0) return { ...found, unknownRelease: versionText(version) };
  // Payments go on with the facets that diamonds have, so who lost a role gets it back all the same.
  if (revoked.length > 0) return found;
  const since = approvals.map((approval) => approval?.[0]);
  const unapproved = facets.filter((_, index) => !since[index]);
  if (unapproved.length > 0) calls.push({ ...approveFacetsCall(registry, unapproved), gasLimit: RELEASE_GAS });

  if (released === release) return found;
  // By the chain's clock, because the registry judges by it.
  const { timestamp: now } = await agreedBlock({ network: { quorum }, rpc }, 1);
  const delayed = version !== '' && unapproved.length > 0 && platform.approvalDelay > 0n;
  const from = delayed
    ? now + Number(platform.approvalDelay)
    : Number(since.reduce<bigint>((a, b) => max(a, b ?? 0n), 0n));
  if (version !== '' && from > now) return { ...found, releaseFrom: from };
  const call = setReleaseCall(registry, release);
  const what = version === '' ? call.what : `${call.what} instead of ${version}`;
  calls.push({ ...call, what, gasLimit: RELEASE_GAS });
  return found;
};

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
