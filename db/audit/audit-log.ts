import type { Knex } from 'knex';
import type { AuditAction } from '../../domain/audit.ts';
import { BaseModel, type CreatedFilter, type NodeFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/** One change over the API or by an operator's command. */
export class AuditEntryModel extends BaseModel {
  static override readonly tableName = 'audit_log';

  declare id: string;
  /** Node of the changed resource. */
  declare node_id: string;
  /** Null for an operator's command, like the actor's node. */
  declare actor_id: string | null;
  declare actor_node_id: string | null;
  declare action: AuditAction;
  declare resource_id: string;
  declare before: Record<string, unknown> | null;
  declare after: Record<string, unknown> | null;
  declare address: string | null;
  declare request_id: string | null;
  declare created_at: Date;
  /** Selected beside the columns: true when the actor's node is in the reader's reach. */
  declare actor_in_reach: boolean;
}

/** Filters of the audit log. The node is that of the changed resource. */
export interface AuditFilter extends NodeFilter, CreatedFilter {
  readonly action?: AuditAction | undefined;
  readonly resourceId?: string | undefined;
  /** Matches actors in reach only, so that it cannot be used to guess others. */
  readonly actorId?: string | undefined;
}

/** SQL: the actor's node is the scope or below it. */
const inReach = 'EXISTS (SELECT 1 FROM nodes n WHERE n.id = audit_log.actor_node_id AND ?::uuid = ANY (n.path))';

/**
 * Lists the changes of one node, optionally with all below it, newest first.
 * @param scopeId the reader's node. Actors of nodes that are not this one or below it are marked as out of reach
 */
export const listAuditLog = (
  knex: Knex,
  scopeId: string,
  filter: AuditFilter,
  request: PageRequest,
): Promise<Page<AuditEntryModel>> => {
  const { action, resourceId, actorId } = filter;
  const query = AuditEntryModel.query(knex)
    .select('audit_log.*', knex.raw(`${inReach} AS actor_in_reach`, [scopeId]))
    .ofNode(filter)
    .matching({ action, resource_id: resourceId, actor_id: actorId })
    .createdWithin(filter);
  return fetchPage(actorId === undefined ? query : query.whereRaw(inReach, [scopeId]), request);
};
