import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { contracts } from '../pure/contracts.ts';
import { registryAddress } from '../pure/platform.ts';
import { roleIds, type Role } from '../pure/roles.ts';
import { views } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Keystore } from '../signing/keystore.ts';
import { sendCalls, type PlannedCall } from './send-calls.ts';

/** Who shall have or lose which role, and the keys that may be able to do it. */
export interface RoleChange {
  readonly network: Pick<WatchedNetwork, 'name' | 'eip155' | 'platform'>;
  readonly rpc: Rpc;
  readonly keystore: Keystore;
  readonly role: Role;
  readonly account: string;
  readonly enabled: boolean;
}

/**
 * Gives or takes a role in the registry. Root may do both; a guardian may take all roles but that of a guardian.
 * @returns the transaction, or the call that is left to root when no key of the keystore may make it; neither when the role
 *   is as wanted
 * @throws Error when the network has no registry
 */
export const setRole = async (
  change: RoleChange,
): Promise<{ readonly transaction: string | null; readonly left: PlannedCall | null }> => {
  const { network, rpc, keystore, role, account, enabled } = change;
  const to = registryAddress(network.platform);
  const abi = contracts.registry.interface;
  const ask = (name: string, ...args: unknown[]) => ({ to, interface: abi, name, args });
  const [root, state, ...guardians] = await views(rpc, [
    ask('root'),
    ask('roleState', roleIds[role], account),
    ...keystore.addresses.map((address) => ask('roleState', roleIds.guardian, address)),
  ]);
  if (root === undefined) throw new Error(`${network.name} has no registry at ${to}`);
  const isEnabled = (answer: unknown): boolean => (answer as readonly [boolean])[0];
  if (isEnabled(state) === enabled) return { transaction: null, left: null };
  const call = {
    what: `${enabled ? 'give' : 'take'} the role ${role} ${enabled ? 'to' : 'from'} ${account}`,
    to,
    data: abi.encodeFunctionData('setRole', [roleIds[role], account, enabled]),
  };
  const sender =
    keystore.addresses.find((address) => address === String(root).toLowerCase()) ??
    keystore.addresses.find((_, index) => !enabled && role !== 'guardian' && isEnabled(guardians[index]));
  if (sender === undefined) return { transaction: null, left: call };
  const [transaction = null] = await sendCalls(rpc, keystore.signer(sender), network.eip155, [call]);
  return { transaction, left: null };
};

/** @throws Error when an account has not the role in the registry of a network */
export const requireRole = async (
  rpc: Rpc,
  network: Pick<WatchedNetwork, 'name' | 'platform'>,
  role: Role,
  account: string,
): Promise<void> => {
  const call = { to: registryAddress(network.platform), interface: contracts.registry.interface, name: 'roleState' };
  const [state] = (await views(rpc, [{ ...call, args: [roleIds[role], account] }])) as [[enabled: boolean] | undefined];
  if (state?.[0] !== true) {
    throw new Error(`${account} is no ${role} in the registry of ${network.name}: carat role give comes first`);
  }
};
