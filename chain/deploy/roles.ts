import { roleIds, type Role } from '../pure/roles.ts';
import { askRegistry, hasRole, type RegistryAt } from './registry.ts';

/** A role of the registry, and who shall have it. */
export interface RoleOf {
  readonly role: Role;
  readonly account: string;
}

/** Who needs which role. */
export const neededRoles = (keys: {
  readonly operators: readonly string[];
  readonly upgraders: readonly string[];
  readonly guardian?: string;
}): RoleOf[] => [
  ...keys.operators.map((account): RoleOf => ({ role: 'operator', account })),
  ...keys.upgraders.map((account): RoleOf => ({ role: 'upgrader', account })),
  ...(keys.guardian === undefined ? [] : [{ role: 'guardian', account: keys.guardian } as const]),
];

/** @throws Error when an account has not the role in the registry of a network */
export const requireRole = async (at: RegistryAt, role: Role, account: string): Promise<void> => {
  const [state] = await askRegistry(at, [['roleState', roleIds[role], account]]);
  if (hasRole(state)) return;
  throw new Error(`${account} is no ${role} in the registry of ${at.network.name}: carat role give comes first`);
};
