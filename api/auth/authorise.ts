import { DomainError } from '../../domain/errors.ts';
import { localsOf } from '../http/locals.ts';
import type { Guard } from '../http/routes.ts';

/** Refuses 403 a caller without the operation's permission. */
export const authorise: Guard = ({ access, permission }) =>
  access !== 'integration' || permission === null
    ? []
    : [
        (_request, response, next) => {
          if (!localsOf(response).caller?.permissions.includes(permission)) {
            throw new DomainError('permission_denied', `The integration lacks the permission ${permission}`);
          }
          next();
        },
      ];
