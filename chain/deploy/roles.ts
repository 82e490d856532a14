import type { Role } from '../pure/roles.ts';

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
