import objection from 'objection';
import type { OptionalEvent, WebhookAuthType } from '../../domain/webhook.ts';

/** Where the events of a wallet's payments on one network go. */
export class WebhookModel extends objection.Model {
  static override readonly tableName = 'webhook_configurations';

  declare id: string;
  declare wallet_id: string;
  declare network_id: string;
  /** Null: hears of every payment through the wallet. */
  declare node_id: string | null;
  /** An origin in its normal form. */
  declare host: string;
  declare success_path: string;
  declare error_path: string;
  declare auth_type: WebhookAuthType;
  /** Null once deleted, as the signing secret. */
  declare sealed_credentials: Buffer | null;
  declare sealed_signing_secret: Buffer | null;
  declare events: OptionalEvent[];
  declare is_active: boolean;
  declare disabled_reason: string | null;
  declare deleted_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}
