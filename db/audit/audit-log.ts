import type { Knex } from 'knex';
import type { AuditAction } from '../../domain/audit.ts';
import { AuditEntryModel } from './entry-model.ts';
import { ofNode, type NodeFilter } from '../query/node-filter.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/** The node is that of what was changed. */
export interface AuditFilter extends NodeFilter {
  readonly action?: AuditAction | undefined;
  readonly resourceId?: string | undefined;
  /** Finds nothing of actors out of reach, so that it can not be used to guess who they are. */
  readonly actorId?: string | undefined;
  /** Inclusive. */
  readonly createdFrom?: Date | undefined;
  /** Exclusive. */
  readonly createdTo?: Date | undefined;
}

/** True for actors of nodes from the scope down. */
const inReach = 'EXISTS (SELECT 1 FROM nodes n WHERE n.id = audit_log.actor_node_id AND ?::uuid = ANY (n.path))';

/**
 * What was changed of one node, or with all below it, newest first.
 * @param scopeId the reader's node: actors of other nodes than this and those below are marked as out of reach
 */
export const listAuditLog = (
  knex: Knex,
  scopeId: string,
  filter: AuditFilter,
  request: PageRequest,
): Promise<Page<AuditEntryModel>> => {
  const query = AuditEntryModel.query(knex).select('audit_log.*', knex.raw(`${inReach} AS actor_in_reach`, [scopeId]));
  void ofNode(query, filter);
  if (filter.action !== undefined) void query.where({ action: filter.action });
  if (filter.resourceId !== undefined) void query.where({ resource_id: filter.resourceId });
  if (filter.actorId !== undefined) void query.where({ actor_id: filter.actorId }).whereRaw(inReach, [scopeId]);
  if (filter.createdFrom !== undefined) void query.where('created_at', '>=', filter.createdFrom);
  if (filter.createdTo !== undefined) void query.where('created_at', '<', filter.createdTo);
  return fetchPage(query, request);
};
