import type { MemberFields } from '../../domain/member.ts';
import type { DealMode } from '../../domain/payment.ts';
import type { PaymentFacts } from '../../domain/payment-facts.ts';
import { modelOf, type BaseModel } from '../query/base-model.ts';

/** A member inside a payment, as PostgreSQL writes a row as JSON: timestamps are text. */
export interface MemberRecord extends MemberFields {
  readonly id: string;
  readonly node_id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A payment with its items and its member. Numeric and bigint columns are decimal text, addresses lower-case hex. */
export class PaymentModel extends modelOf<PaymentFacts>() {
  static override readonly tableName = 'payments';

  declare client_ip: string | null;
  declare expires_unix: string;
  declare sequence: number;
  declare deal_mode: DealMode;
  declare token_address: string | null;
  declare terms_hash: string | null;
  /** The checkout whose buyer chose it; null for a payment that a merchant created. */
  declare checkout_id: string | null;
  /** Number of the choice, counted from 1, and its option, counted from 0. */
  declare choice: number | null;
  declare option_index: number | null;
  /** True while a former choice of the checkout may still be paid: nothing of the payment is sent or offered. */
  declare is_blocked: boolean;
  declare member: MemberRecord | null;
}

/** The columns of a payment with its items and its member. */
export type PaymentRecord = Omit<PaymentModel, keyof BaseModel>;
