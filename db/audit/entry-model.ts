import objection from 'objection';
import type { AuditAction } from '../../domain/audit.ts';

/** One change over the API, or by the operator's command. */
export class AuditEntryModel extends objection.Model {
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
