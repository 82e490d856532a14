import type { Permission } from '../../domain/access.ts';
import { BaseModel } from '../query/base-model.ts';

/** An API key of a node. The secret is stored as its hash only. */
export class IntegrationModel extends BaseModel {
  static override readonly tableName = 'integrations';

  declare id: string;
  declare node_id: string;
  declare name: string;
  declare api_key: string;
  declare secret_hash: Buffer;
  /** The secret before the last rotation; null when there was none, or when its overlap was 0. */
  declare previous_secret_hash: Buffer | null;
  declare previous_secret_until: Date | null;
  declare permissions: Permission[];
  declare expires_at: Date | null;
  declare created_by: string | null;
  declare revoked_at: Date | null;
  declare last_used_at: Date | null;
  declare created_at: Date;
}
