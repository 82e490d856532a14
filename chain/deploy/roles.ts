import type { NetworkKeys } from '../../domain/ports/lane.ts';
import { contracts } from '../pure/contracts.ts';
import { registryAddress } from '../pure/platform.ts';
import { roleIds, type Role } from '../pure/roles.ts';
import { agreedViews } from '../rpc/calls.ts';
import { readBatchers, serves } from './batchers.ts';
import { askRegistry, hasRole, type RegistryAt } from './registry.ts';

/** A role of the registry, and the account that should have it. */
export interface RoleOf {
  readonly role: Role;
  readonly account: string;
}

/** The roles that these keys need. */
export const neededRoles = (keys: NetworkKeys & { readonly guardian?: string }): RoleOf[] => [
  ...keys.operators.map((account): RoleOf => ({ role: 'operator', account })),
  ...keys.upgraders.map((account): RoleOf => ({ role: 'upgrader', account })),
  ...(keys.signers ?? []).map((account): RoleOf => ({ role: 'signer', account })),
  ...(keys.guardian === undefined ? [] : [{ role: 'guardian', account: keys.guardian } as const]),
];

/** @throws Error when the account lacks the role in the network's registry */
export const requireRole = async (at: RegistryAt, role: Role, account: string): Promise<void> => {
  const [state] = await askRegistry(at, [['roleState', roleIds[role], account]]);
  if (hasRole(state)) return;
  throw new Error(`${account} is not ${role} in the registry of ${at.network.name}: run carat role give first`);
};

/**
 * The holders that cannot act on a network, because they lack their role or, for operators, because no batcher has the
 * operator role. Without a registry nobody lacks a role: the preparation of the network gives the roles.
 * @throws RpcError when no endpoint responds
 */
export const withoutRole = async <Holder extends RoleOf>(
  { network, rpc }: RegistryAt,
  holders: readonly Holder[],
): Promise<Holder[]> => {
  if (holders.length === 0) return [];
  const view = { to: registryAddress(network.platform), interface: contracts.registry.interface, name: 'roleState' };
  const asked = holders.map(({ role, account }) => ({ ...view, args: [roleIds[role], account] }));
  const states = await agreedViews(rpc, network.quorum, asked);
  const isServed = (await readBatchers({ network, rpc })).some(serves);
  return holders.filter(({ role }, index) => {
    const state = states[index];
    return state !== undefined && (!hasRole(state) || (role === 'operator' && !isServed));
  });
};
