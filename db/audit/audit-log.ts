import type { Knex } from 'knex';
import type { AuditAction } from '../../domain/audit.ts';
import { BaseModel, type CreatedFilter, type NodeFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/** One change over the API, or by the operator's command. */
export class AuditEntryModel extends BaseModel {
  static override readonly tableName = 'audit_log';

  declare id: string;
  /** Node of what was changed. */
  declare node_id: string;
  /** Null for the operator's command, as the actor's node. */
  declare actor_id: string | null;
  declare actor_node_id: string | null;
  declare action: AuditAction;
  declare resource_id: string;
  declare before: Record<string, unknown> | null;
  declare after: Record<string, unknown> | null;
  declare address: string | null;
  declare request_id: string | null;
  declare created_at: Date;
  /** Selected beside the columns: the actor's node is one that the reader may know of. */
  declare actor_in_reach: boolean;
}

/** The node is that of what was changed. */
export interface AuditFilter extends NodeFilter, CreatedFilter {
  readonly action?: AuditAction | undefined;
  readonly resourceId?: string | undefined;
  /** Finds nothing of actors out of reach, so that it can not be used to guess who they are. */
  readonly actorId?: string | undefined;
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
  const { action, resourceId, actorId } = filter;
  const query = AuditEntryModel.query(knex)
    .select('audit_log.*', knex.raw(`${inReach} AS actor_in_reach`, [scopeId]))
    .ofNode(filter)
    .matching({ action, resource_id: resourceId, actor_id: actorId })
    .createdWithin(filter);
  return fetchPage(actorId === undefined ? query : query.whereRaw(inReach, [scopeId]), request);
};
