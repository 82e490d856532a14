import type { NetworkKeys } from '../../domain/ports/lane.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { contracts } from '../pure/contracts.ts';
import { batcherAddress, platformInitCodes, registryAddress } from '../pure/platform.ts';
import { release as newest, releaseOfRegistry, versionText, type Release } from '../pure/releases.ts';
import { roleIds } from '../pure/roles.ts';
import { agreedCodes, agreedViews } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { max } from '../signing/fees.ts';
import type { Signer } from '../signing/signer.ts';
import { readBatchers, readOlderBatchers, type CountOpen, type OlderBatcher } from './batchers.ts';
import { deployCall, facetDeployCall } from './deployer.ts';
import { fundDeployerCall, placeDeployer } from './deterministic-deployer.ts';
import { undeployable } from './fitness.ts';
import { agreedBlock } from './inspect.ts';
import { refuseForeignRoot, type ReachableNetwork } from './handover.ts';
import { approveFacetsCall, hasRole, setReleaseCall, setRoleCall } from './registry.ts';
import { neededRoles, type RoleOf } from './roles.ts';
import { sendCalls, type PlannedCall } from './send-calls.ts';

/** The wanted state of a network. The newest batcher becomes an operator as well. */
export interface PlanOptions extends NetworkKeys {
  readonly network: Pick<
    WatchedNetwork,
    'name' | 'eip155' | 'platform' | 'root' | 'guardian' | 'quorum' | 'confirmations'
  >;
  readonly rpc: Rpc;
  /** The other networks of its chain: without a registry here, root must not have been handed over on any of them. */
  readonly others?: readonly ReachableNetwork[];
  /** The release of new diamonds; by default the newest one. */
  readonly release?: Release;
  /** Without it, older batchers keep their role. */
  readonly countOpen?: CountOpen;
}

/** The wanted state of a network, and the key that prepares it. */
export interface PrepareOptions extends PlanOptions {
  /** Pays for everything. Root's own key also sends root's calls; any other key leaves them to root. */
  readonly rootSigner: Signer;
  /** Called with each step before it is sent. */
  readonly onProgress?: (message: string) => void;
}

/** The parts that a network has and lacks before its preparation. */
export interface NetworkPlan {
  readonly registry: string;
  /** The newest batcher. */
  readonly batcher: string;
  /** Older batchers that the network has. One without a hold loses its role by a call of root. */
  readonly olderBatchers: readonly OlderBatcher[];
  /** How the deterministic deployer is put there; null when the network has it. */
  readonly deployer: { readonly address: string; readonly fund: PlannedCall | null } | null;
  /** The contracts that the deterministic deployer creates, each with its call. */
  readonly contracts: readonly {
    readonly name: string;
    readonly address: string;
    readonly isThere: boolean;
    readonly call: PlannedCall;
  }[];
  /** The roles that accounts should have. */
  readonly roles: readonly (RoleOf & { readonly isBatcher: boolean; readonly enabled: boolean })[];
  /** Calls that only root may make, in this order, once the contracts exist. */
  readonly rootCalls: readonly PlannedCall[];
  /**
   * Unix seconds from which the facets of this release may be used, while the delay of their approval runs: preparing
   * the network again after that sets the release. Null when nothing is left to do.
   */
  readonly releaseFrom: number | null;
  /** Names of permanently revoked facets. With any of them the release cannot be set, and only roles are restored. */
  readonly revoked: readonly string[];
  /**
   * Version of the release that root has set, when Carat does not know it: a newer Carat's, or a thief's. It stays set.
   */
  readonly unknownRelease?: string;
}

export interface PreparedNetwork extends Omit<NetworkPlan, 'deployer' | 'contracts' | 'roles'> {
  /** Hashes of the sent transactions; empty when nothing was missing. */
  readonly transactions: readonly string[];
  /** Calls that root, such as a multisig, still has to make when the given key is not root's; otherwise empty. */
  readonly rootCalls: readonly PlannedCall[];
}

/** Gas limits for calls of a registry that may not exist when they are signed; they use a quarter or less. */
const ROLE_GAS = 200_000n;
const RELEASE_GAS = 2_000_000n;

/**
 * Plans a preparation, without a key.
 * @throws Error when the chain is none for Carat, when the deterministic deployer is missing and cannot be put there, or when a
 *   handover of root forbids it
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
 * Prepares a network for diamonds: registry, batcher and facets through the deterministic deployer, roles, approved
 * facets, the release. It sends only what is missing, so it may be repeated. Roles of other accounts are not changed,
 * except those of older batchers without open transactions.
 * @throws Error before anything is sent, as `planNetwork`
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

/** The calls that deploy the missing contracts. */
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
  const [deployerCode, ...found] = await agreedCodes(rpc, network.quorum, addresses);
  // A chain that has the registry takes our transactions.
  const fault = found[0] === '0x' ? await undeployable(rpc) : null;
  if (fault !== null) throw new Error(`${network.name}: ${fault}`);
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
  { rpc, operators, upgraders, signers, network, release = newest }: PlanOptions,
  registry: string,
  batcher: string,
): Promise<Pick<NetworkPlan, 'roles' | 'rootCalls' | 'releaseFrom' | 'revoked' | 'unknownRelease'>> => {
  const { guardian, platform, quorum } = network;
  const needed = neededRoles({ operators: [...operators, batcher], upgraders, signers, guardian });
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
    isBatcher: own.account === batcher,
    enabled: states[index] !== undefined && hasRole(states[index]),
  }));
  const calls = roles
    .filter(({ enabled }) => !enabled)
    .map(({ role, account, isBatcher }) => {
      const who = isBatcher ? `the batcher ${account}` : account;
      return { ...setRoleCall(registry, role, account, true, who), gasLimit: ROLE_GAS };
    });
  const approvals = states.slice(needed.length) as (readonly [bigint, boolean] | undefined)[];
  const revoked = facets.filter((_, index) => approvals[index]?.[1] === true).map(({ name }) => name);
  const [version, addresses] = (current ?? ['', []]) as [string, string[]];
  const released = releaseOfRegistry(version, addresses);
  const found = { roles, rootCalls: calls, releaseFrom: null, revoked };
  if (released === null && addresses.length > 0) return { ...found, unknownRelease: versionText(version) };
  // Payments continue with the facets that diamonds have, so missing roles are given nevertheless.
  if (revoked.length > 0) return found;
  const since = approvals.map((approval) => approval?.[0]);
  const unapproved = facets.filter((_, index) => !since[index]);
  if (unapproved.length > 0) calls.push({ ...approveFacetsCall(registry, unapproved), gasLimit: RELEASE_GAS });

  if (released === release) return found;
  // The chain's clock, because the registry uses it.
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
