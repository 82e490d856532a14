import type { Role } from '../pure/roles.ts';

/** A role of the registry, and who has it or shall have it. */
export interface RoleOf {
  readonly role: Role;
  readonly account: string;
}

/** Who needs which role. */
export const neededRoles = ({
  operators,
  upgraders,
  guardian,
}: {
  readonly operators: readonly string[];
  readonly upgraders: readonly string[];
  readonly guardian?: string | undefined;
}): RoleOf[] => [
  ...operators.map((account): RoleOf => ({ role: 'operator', account })),
  ...upgraders.map((account): RoleOf => ({ role: 'upgrader', account })),
  ...(guardian === undefined ? [] : [{ role: 'guardian', account: guardian } as const]),
];
