import { lackedPermissions, type Caller, type Permission } from '../../domain/access.ts';
import { DomainError } from '../../domain/errors.ts';

const refusal = (rule: string, lacked: readonly Permission[]): DomainError =>
  new DomainError('permission_denied', `${rule}: ${lacked.join(', ')}`);

/**
 * Makes sure that callers grant only permissions that they hold.
 * @throws DomainError permission_denied that names the lacked permissions
 */
export const assertGrants = (caller: Caller, wanted: readonly Permission[]): void => {
  const lacked = lackedPermissions(caller, wanted);
  if (lacked.length > 0) throw refusal('The integration cannot grant permissions that it lacks', lacked);
};

/**
 * Makes sure that callers take over, revoke or see only integrations whose permissions they hold.
 * @param rule begins the message of the refusal
 * @throws DomainError permission_denied that names the lacked permissions, to those who may read integrations
 */
export const assertHolds = (caller: Caller, held: readonly Permission[], rule: string): void => {
  const lacked = lackedPermissions(caller, held);
  if (lacked.length === 0) return;
  if (!caller.permissions.includes('integrations.read')) throw new DomainError('permission_denied', rule);
  throw refusal(rule, lacked);
};
