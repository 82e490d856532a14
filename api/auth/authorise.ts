import type { RequestHandler } from 'express';
import { DomainError } from '../../domain/errors.ts';
import { localsOf } from '../http/locals.ts';

/** Refuses 403 a caller without the operation's permission. */
export const authorise: RequestHandler = (_request, response, next) => {
  const { operation, caller } = localsOf(response);
  const permission = operation?.permission ?? null;
  if (operation?.access === 'integration' && permission !== null && !caller?.permissions.includes(permission)) {
    throw new DomainError('permission_denied', `The integration lacks the permission ${permission}`);
  }
  next();
};
