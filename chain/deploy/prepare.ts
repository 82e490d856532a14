import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { contracts } from '../pure/contracts.ts';
import { batcherAddress, platformInitCodes, registryAddress } from '../pure/platform.ts';
import { release, releaseOfRegistry } from '../pure/releases.ts';
import { roleIds } from '../pure/roles.ts';
import { codes, views } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Signer } from '../signing/signer.ts';
import { deployCall, facetDeployCall } from './deployer.ts';
import { refuseForeignRoot, type ReachableNetwork } from './handover.ts';
import { neededRoles } from './roles.ts';
import { sendCalls, type PlannedCall } from './send-calls.ts';

/** What a network is prepared with. */
export interface PrepareOptions {
  readonly network: Pick<WatchedNetwork, 'name' | 'eip155' | 'platform' | 'root' | 'guardian'>;
  readonly rpc: Rpc;
  /** The other networks of its chain, on none of which root may have been handed over while this one has no registry. */
  readonly others?: readonly ReachableNetwork[];
  /** Pays for everything. Root's own key sends root's calls too; with any other one they are left to root. */
  readonly rootSigner: Signer;
  /** Keys that create and cancel deals; the batcher gets the role as well. */
  readonly operators: readonly string[];
  readonly upgraders: readonly string[];
  /** Told each step before it is sent. */
  readonly onProgress?: (message: string) => void;
}

/** What a network has after its preparation. */
export interface PreparedNetwork {
  readonly registry: string;
  readonly batcher: string;
  /** Transactions that were sent; none when everything was there. */
  readonly transactions: readonly string[];
  /**
   * Unix seconds from which the facets of this release may be used, when their approval has a delay that is not over:
   * the release is set by a repeated preparation then. Null when all is done.
   */
  readonly releaseFrom: number | null;
  /** Names of facets that were revoked for good: this release can not be set, nothing but the roles is brought back. */
  readonly revoked: readonly string[];
  /** What root still has to call when its key is not the one that was given: for a multisig. Empty when it was. */
  readonly rootCalls: readonly PlannedCall[];
}

/** Gas for calls of a registry that may not be there when they are signed; they use a quarter of it or less. */
const ROLE_GAS = 200_000n;
const RELEASE_GAS = 2_000_000n;

/**
 * Brings a network to where diamonds can be deployed: registry, batcher and facets through the deterministic deployer,
 * roles, approved facets, the release. It looks first and sends only what is missing, so it may be repeated; roles that
 * others have are left alone.
 * @throws Error before anything is sent: when the deterministic deployer is missing, or root was handed over and that forbids
 *   it
 */
export const prepareNetwork = async (options: PrepareOptions): Promise<PreparedNetwork> => {
  const { network, rpc, rootSigner, onProgress = () => {} } = options;
  const registry = registryAddress(network.platform);
  const batcher = batcherAddress(network.platform);
  await refuseForeignRoot({ network, rpc }, options.others ?? []);
  const deployments = await missingDeployments(options, registry, batcher);
  const fromRoot = await missingRootCalls(options, registry, batcher);
  const isRoot = rootSigner.address === network.root.toLowerCase();
  const calls = isRoot ? [...deployments, ...fromRoot.calls] : deployments;
  for (const { what } of calls) onProgress(what);
  const transactions = await sendCalls(rpc, rootSigner, network.eip155, calls);
  return {
    registry,
    batcher,
    transactions,
    releaseFrom: fromRoot.releaseFrom,
    revoked: fromRoot.revoked,
    rootCalls: isRoot ? [] : fromRoot.calls,
  };
};

const missingDeployments = async (
  { rpc, network }: PrepareOptions,
  registry: string,
  batcher: string,
): Promise<PlannedCall[]> => {
  const initCodes = platformInitCodes(network.platform);
  const wanted = [
    { what: `deploy the registry at ${registry}`, address: registry, ...deployCall(initCodes.registry) },
    { what: `deploy the batcher at ${batcher}`, address: batcher, ...deployCall(initCodes.batcher) },
    ...release.facets.map((facet) => ({
      what: `deploy ${facet.name} ${facet.version} at ${facet.address}`,
      address: facet.address,
      ...facetDeployCall(facet),
    })),
  ];
  const [deployerCode, ...found] = await codes(rpc, [release.deployer, ...wanted.map(({ address }) => address)]);
  if (deployerCode === '0x') {
    throw new Error(
      `the deterministic deployer ${release.deployer} is not on this network; it must be put there first`,
    );
  }
  return wanted.filter((_, index) => found[index] === '0x').map(({ what, to, data }) => ({ what, to, data }));
};

const missingRootCalls = async (
  { rpc, operators, upgraders, network }: PrepareOptions,
  registry: string,
  batcher: string,
): Promise<{ calls: PlannedCall[]; releaseFrom: number | null; revoked: string[] }> => {
  const { guardian, platform } = network;
  const abi = contracts.registry.interface;
  const needed = neededRoles({ operators: [...operators, batcher], upgraders, guardian });
  const facets = release.facets.map(({ address, runtimeCodeHash, salt }) => [address, runtimeCodeHash, salt] as const);
  const read = (name: string, args: readonly unknown[] = []) => ({ to: registry, interface: abi, name, args });
  const [current, ...states] = await views(rpc, [
    read('release'),
    ...needed.map(({ role, account }) => read('roleState', [roleIds[role], account])),
    ...facets.map(([address, codeHash]) => read('approval', [address, codeHash])),
  ]);
  const call = (what: string, name: string, args: readonly unknown[], gasLimit: bigint): PlannedCall => ({
    what,
    to: registry,
    data: abi.encodeFunctionData(name, args),
    gasLimit,
  });

  const calls = needed
    .filter((_, index) => (states[index] as readonly [boolean] | undefined)?.[0] !== true)
    .map(({ role, account }) => call(`make ${account} ${role}`, 'setRole', [roleIds[role], account, true], ROLE_GAS));
  const approvals = states.slice(needed.length) as (readonly [bigint, boolean] | undefined)[];
  const revoked = release.facets.filter((_, index) => approvals[index]?.[1] === true).map(({ name }) => name);
  // Payments go on with the facets that diamonds have, so who lost a role gets it back all the same.
  if (revoked.length > 0) return { calls, releaseFrom: null, revoked };
  const since = approvals.map((approval) => approval?.[0]);
  const unapproved = facets.filter((_, index) => !since[index]);
  if (unapproved.length > 0) calls.push(call('approve the facets', 'approveFacets', [unapproved], RELEASE_GAS));

  const [version, addresses] = (current ?? ['', []]) as [string, string[]];
  if (releaseOfRegistry(version, addresses) === release) return { calls, releaseFrom: null, revoked };
  const now = Math.floor(Date.now() / 1000);
  const delayed = version !== '' && unapproved.length > 0 && platform.approvalDelay > 0n;
  const from = delayed
    ? now + Number(platform.approvalDelay)
    : Number(since.reduce<bigint>((a, b) => max(a, b ?? 0n), 0n));
  if (version !== '' && from > now) return { calls, releaseFrom: from, revoked };
  const inOrder = release.facets.map(({ address }) => address);
  calls.push(call(`set release ${release.version}`, 'setRelease', [release.version, inOrder], RELEASE_GAS));
  return { calls, releaseFrom: null, revoked };
};

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
