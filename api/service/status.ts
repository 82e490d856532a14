import { isWithoutParent } from '../../db/nodes/nodes.ts';
import { DomainError } from '../../domain/errors.ts';
import { createSingleFlight } from '../../domain/tools/single-flight.ts';
import type { Handlers } from '../http/handler.ts';
import { readStatus, type StatusDeps } from './read-status.ts';

/** `getStatus`: health of everything that Carat depends on. */
export const createStatusHandlers = (deps: StatusDeps): Pick<Handlers, 'getStatus'> => {
  // Requests that arrive during a read share the next one.
  const look = createSingleFlight(() => readStatus(deps), { late: 'next' });
  return {
    getStatus: async ({ caller }) => {
      if (!(await isWithoutParent(deps.knex, caller.nodeId))) {
        throw new DomainError('node_access_denied', 'Only integrations of a node without a parent may read the status');
      }
      return { status: 200, body: await look() };
    },
  };
};
