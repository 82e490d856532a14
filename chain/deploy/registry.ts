import { ZERO_ADDRESS } from '../../domain/deal.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { contracts } from '../pure/contracts.ts';
import { registryAddress } from '../pure/platform.ts';
import type { Release } from '../pure/releases.ts';
import { decodeRevert } from '../pure/revert-reason.ts';
import { roleIds, type Role } from '../pure/roles.ts';
import { agreed, agreedViews } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Keystore } from '../signing/keystore.ts';
import { sendCalls, type PlannedCall } from './send-calls.ts';

/** A network whose registry is read or changed. */
export interface RegistryAt {
  readonly network: Pick<WatchedNetwork, 'name' | 'eip155' | 'quorum' | 'platform'>;
  readonly rpc: Rpc;
}

/** The accounts that may make a change: root; root and every guardian; or the account that was offered root. */
export type ChangedBy = 'root' | 'guardian' | 'pendingRoot';

/** A planned change of a registry. */
export interface RegistryChange {
  readonly call: PlannedCall;
  readonly by: ChangedBy;
  /** Further news or tasks for the operator. */
  readonly note?: string;
}

/** A change, or the reason why nothing needs to be done. */
export type WantedChange = RegistryChange | { readonly nothing: string };

/** The result of a change: the transaction and its sender, or who has to make the call. */
export type MadeChange =
  { readonly transaction: string; readonly sender: string } | { readonly transaction: null; readonly left: string };

const abi = contracts.registry.interface;

/** A call of a registry; `what` describes it to the operator. */
export const registryCall = (registry: string, what: string, name: string, ...args: unknown[]): PlannedCall => ({
  what,
  to: registry,
  data: abi.encodeFunctionData(name, args),
});

/**
 * The call that gives or takes a role.
 * @param who the account for people, such as `the batcher 0x…`
 */
export const setRoleCall = (
  registry: string,
  role: Role,
  account: string,
  enabled: boolean,
  who = account,
): PlannedCall => {
  const what = `${enabled ? 'give' : 'take'} the role ${role} ${enabled ? 'to' : 'from'} ${who}`;
  return registryCall(registry, what, 'setRole', roleIds[role], account, enabled);
};

/** The call that approves facets, each as code at an address. */
export const approveFacetsCall = (registry: string, facets: Release['facets']): PlannedCall => {
  const listed = facets.map(({ name, version, address }) => `${name} ${version} at ${address}`).join(', ');
  const approvals = facets.map(({ address, runtimeCodeHash, salt }) => [address, runtimeCodeHash, salt]);
  return registryCall(registry, `approve ${listed}`, 'approveFacets', approvals);
};

/** The call that sets the release of new diamonds. */
export const setReleaseCall = (registry: string, { version, facets }: Release): PlannedCall => {
  const addresses = facets.map(({ address }) => address);
  return registryCall(registry, `set the release ${version}`, 'setRelease', version, addresses);
};

/**
 * Reads views of a network's registry in one exchange, as the quorum reports them, because operators act on them.
 * @param questions name and arguments of each view
 * @throws Error when the network has no registry; RpcError when too few endpoints agree
 */
export const askRegistry = async (
  { network, rpc }: RegistryAt,
  questions: readonly (readonly [name: string, ...args: unknown[]])[],
): Promise<readonly unknown[]> => {
  const to = registryAddress(network.platform);
  const asked = [['root'] as const, ...questions].map(([name, ...args]) => ({ to, interface: abi, name, args }));
  const [root, ...responses] = await agreedViews(rpc, network.quorum, asked);
  if (root === undefined) {
    throw new Error(`${network.name} has no registry at ${to}: run carat network prepare first`);
  }
  return responses;
};

/** An address that the registry returned, lower-case; null for the zero address. */
export const accountOf = (response: unknown): string | null => {
  const address = String(response).toLowerCase();
  return address === ZERO_ADDRESS ? null : address;
};

/** True when a `roleState` of the registry says that the account has the role. */
export const hasRole = (response: unknown): boolean => (response as readonly [enabled: boolean])[0];

/**
 * Makes a change of a registry with a key of the keystore that may make it, or returns who has to make it. Either way
 * the call is simulated first, so that no call that would revert is sent or handed out.
 * @throws Error when the call would revert
 */
export const makeChange = async (
  at: RegistryAt,
  { call, by }: RegistryChange,
  keystore: Keystore | null,
): Promise<MadeChange> => {
  const addresses = keystore?.addresses ?? [];
  const [root, pending, ...guardians] = await askRegistry(at, [
    ['root'],
    ['pendingRoot'],
    ...addresses.map((address) => ['roleState', roleIds.guardian, address] as const),
  ]);
  const owner = accountOf(by === 'pendingRoot' ? pending : root) ?? ZERO_ADDRESS;
  const sender =
    addresses.find((address) => address === owner) ??
    addresses.find((_, index) => by === 'guardian' && hasRole(guardians[index]));
  if (keystore === null || sender === undefined) {
    await refuseRevert(at, owner, call);
    return { transaction: null, left: leftTo[by](owner) };
  }
  const [transaction = ''] = await sendCalls(at.rpc, keystore.signer(sender), at.network.eip155, [call], at.network);
  return { transaction, sender };
};

const leftTo: Record<ChangedBy, (owner: string) => string> = {
  root: (owner) => `root ${owner}`,
  guardian: (owner) => `root ${owner} or a guardian`,
  pendingRoot: (owner) => `${owner}, who was offered root,`,
};

const refuseRevert = async (
  { network, rpc }: RegistryAt,
  from: string,
  { what, to, data }: PlannedCall,
): Promise<void> => {
  const tried = { method: 'eth_call', params: [{ from, to, data }, 'latest'] };
  const [found] = await agreed(rpc, network.quorum, [tried], (outcome) =>
    outcome.ok ? 'fine' : (outcome.error.revertData ?? undefined),
  );
  if (found !== 'fine') throw new Error(`${what}: ${decodeRevert(found).text}`);
};
