import { encodeBytes32String } from 'ethers';
import type { NetworkKeys } from '../../domain/ports/lane.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { registryAddress } from '../pure/platform.ts';
import { releaseOfRegistry, releases, versionText } from '../pure/releases.ts';
import { agreedCodes } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { readBatchers, readOlderBatchers, type BatcherState, type CountOpen, type OlderBatcher } from './batchers.ts';
import { accountOf, askRegistry, hasRole } from './registry.ts';
import { neededRoles } from './roles.ts';

/** A role that an account has or should have. */
export interface RoleState {
  readonly role: string;
  readonly account: string;
  /** True when the catalogue lists this account for the role. */
  readonly isListed: boolean;
  readonly enabled: boolean;
}

/** The registry's decision on a facet. */
export interface FacetState {
  readonly address: string;
  /** Name, version and releases, for the operator. */
  readonly label: string;
  readonly isThere: boolean;
  /** Unix seconds from which it may be used; zero when it was never approved. */
  readonly effectiveAt: bigint;
  readonly isEffective: boolean;
  readonly revoked: boolean;
}

/** The current state of a registry. */
export interface RegistryState {
  readonly registry: string;
  readonly root: string | null;
  readonly pendingRoot: string | null;
  readonly paused: boolean;
  readonly approvalDelay: bigint;
  /** Null before the first release. */
  readonly release: string | null;
  /** Accounts that should have a role, and other known accounts that have one; batchers are listed separately. */
  readonly roles: readonly RoleState[];
  readonly newestBatcher: BatcherState;
  /** Batchers of older versions that the network has. */
  readonly olderBatchers: readonly OlderBatcher[];
  readonly facets: readonly FacetState[];
}

/** The accounts and facets that are read, in addition to those that every registry has. */
export interface RegistryQuestion extends NetworkKeys {
  readonly network: Pick<WatchedNetwork, 'name' | 'eip155' | 'quorum' | 'confirmations' | 'platform' | 'guardian'>;
  readonly rpc: Rpc;
  /** Dismissed keys, with their former roles. */
  readonly dismissed: readonly { readonly role: string; readonly account: string }[];
  readonly countOpen?: CountOpen;
  /** Changes that the watcher reported as not asked for. */
  readonly told: {
    readonly roles: readonly { readonly role: string; readonly account: string }[];
    readonly facets: readonly { readonly facet: string; readonly codeHash: string }[];
  };
}

const roleId = (role: string): string => (role.startsWith('0x') ? role : encodeBytes32String(role));

/**
 * Reads the registry of a network. Other accounts with a role are not found, because a registry keeps no list of them.
 * @throws Error when the network has no registry
 */
export const readRegistry = async (question: RegistryQuestion): Promise<RegistryState> => {
  const { network, operators, upgraders, signers, dismissed, told } = question;
  const { guardian } = network;
  const listed = neededRoles({ operators, upgraders, signers, guardian });
  const [newestBatcher, ...older] = await readBatchers(question);
  const batchers = [newestBatcher, ...older].map(({ address }) => ({ role: 'operator', account: address }));
  const others = [...dismissed, ...told.roles].filter(
    (other, index, all) =>
      ![...listed, ...batchers].some((own) => isSame(own, other)) &&
      all.findIndex((one) => isSame(one, other)) === index,
  );
  const asked = [
    ...listed.map((own) => ({ ...own, isListed: true })),
    ...others.map((other) => ({ ...other, isListed: false })),
  ];
  const [root, pending, paused, delay, current, ...states] = await askRegistry(question, [
    ...['root', 'pendingRoot', 'paused', 'approvalDelay', 'release'].map((name) => [name] as const),
    ...asked.map(({ role, account }) => ['roleState', roleId(role), account] as const),
  ]);
  const [version, facets] = current as readonly [string, readonly string[]];
  const label =
    releaseOfRegistry(version, facets) !== null
      ? version
      : `${versionText(version)}, which this version of Carat does not know`;
  return {
    registry: registryAddress(network.platform),
    root: accountOf(root),
    pendingRoot: accountOf(pending),
    paused: paused === true,
    approvalDelay: delay as bigint,
    release: facets.length === 0 ? null : label,
    roles: asked
      .map((own, index): RoleState => ({ ...own, enabled: hasRole(states[index]) }))
      .filter(({ isListed, enabled }) => isListed || enabled),
    newestBatcher,
    olderBatchers: await readOlderBatchers(question, [newestBatcher, ...older], question.countOpen),
    facets: await facetStates(question),
  };
};

const isSame = (
  one: { readonly role: string; readonly account: string },
  other: { readonly role: string; readonly account: string },
): boolean => one.role === other.role && one.account.toLowerCase() === other.account.toLowerCase();

/** The state of the facets of all known releases, then of foreign ones. */
const facetStates = async (question: RegistryQuestion): Promise<FacetState[]> => {
  const known = new Map<string, { address: string; codeHash: string; label: string }>();
  for (const { version: of, facets } of releases) {
    for (const { name, version, address, runtimeCodeHash: codeHash } of facets) {
      const label = known.get(address)?.label;
      known.set(address, {
        address,
        codeHash,
        label: label === undefined ? `${name} ${version} of ${of}` : `${label} and ${of}`,
      });
    }
  }
  const foreign = question.told.facets
    .filter(({ facet }) => !known.has(facet))
    .map(({ facet: address, codeHash }) => ({ address, codeHash, label: 'of no known release' }));
  const all = [...known.values(), ...foreign];
  const addresses = all.map(({ address }) => address);
  const found = await agreedCodes(question.rpc, question.network.quorum, addresses);
  const responses = await askRegistry(question, [
    ...all.map(({ address, codeHash }) => ['approval', address, codeHash] as const),
    ...all.map(({ address }) => ['isApproved', address] as const),
  ]);
  return all.map(({ address, label }, index) => {
    const [effectiveAt, revoked] = responses[index] as readonly [bigint, boolean];
    const isEffective = responses[all.length + index] === true;
    return { address, label, isThere: found[index] !== '0x', effectiveAt, isEffective, revoked };
  });
};
