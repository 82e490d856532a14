import type { ActorType, LogEventType } from '../../domain/payment.ts';
import { BaseModel } from '../query/base-model.ts';

/** One entry in the log of a payment. */
export class PaymentLogModel extends BaseModel {
  static override readonly tableName = 'payment_logs';

  declare id: string;
  declare payment_id: string;
  declare sequence: number;
  declare event_type: LogEventType;
  declare message: string;
  declare actor_type: ActorType;
  declare actor_id: string | null;
  declare data: Record<string, unknown>;
  declare created_at: Date;
  /** Selected beside the columns: false for an integration that the reader must not know of. */
  declare actor_in_reach: boolean;
}
