import { listAuditLog, type AuditEntryModel } from '../../db/audit/audit-log.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import type { Caller } from '../../domain/access.ts';
import { found } from '../../domain/errors.ts';
import { snapshotFor } from '../answers/visible.ts';
import type { AuditEntry } from '../generated/openapi-types.ts';
import { toTime } from '../request/formats.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';

/** To callers below it, an actor of a node above is "the operator", without id, address, or the request id that its client chose. */
const actorOf = (entry: AuditEntryModel): Pick<AuditEntry, 'actor_type' | 'actor_id' | 'address' | 'request_id'> =>
  entry.actor_in_reach
    ? { actor_type: 'integration', actor_id: entry.actor_id, address: entry.address, request_id: entry.request_id }
    : { actor_type: 'operator', actor_id: null, address: null, request_id: null };

const toEntry = (caller: Caller, entry: AuditEntryModel): AuditEntry => ({
  id: entry.id,
  node_id: entry.node_id,
  action: entry.action,
  resource_id: entry.resource_id,
  ...actorOf(entry),
  before: snapshotFor(caller, entry.action, entry.before),
  after: snapshotFor(caller, entry.action, entry.after),
  created_at: entry.created_at.toISOString(),
});

/** `GET /api/v1/audit-log`: every change and its actor. */
export const createAuditHandlers = ({ knex }: HandlerDeps): Pick<Handlers, 'listAuditLog'> => ({
  listAuditLog: async ({ query, caller }) => {
    const request = pageRequest(query);
    const node = found(await findNode(knex, caller.nodeId, query.node_id), 'node');
    const filter = {
      nodeId: node.id,
      includeDescendants: query.include_descendants,
      action: query.action,
      resourceId: query.resource_id,
      actorId: query.actor_id,
      createdFrom: toTime(query.created_from),
      createdTo: toTime(query.created_to),
    };
    const page = await listAuditLog(knex, caller.nodeId, filter, request);
    return { status: 200, body: pageBody(page, request, (entry) => toEntry(caller, entry)) };
  },
});
