import { lackedPermissions, type Caller, type Permission } from '../../domain/access.ts';
import { DomainError } from '../../domain/errors.ts';

/**
 * Makes sure that callers grant or receive only permissions that they hold.
 * @param rule begins the message of the refusal
 * @throws DomainError permission_denied that names the lacked permissions
 */
export const assertHolds = (caller: Caller, wanted: readonly Permission[], rule: string): void => {
  const lacked = lackedPermissions(caller, wanted);
  if (lacked.length > 0) throw new DomainError('permission_denied', `${rule}: ${lacked.join(', ')}`);
};
