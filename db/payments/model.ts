import type { MemberFields } from '../../domain/member.ts';
import type { DealMode, PaymentGroup, PaymentMethod, PaymentStatus, StatusDetail } from '../../domain/payment.ts';
import { BaseModel } from '../query/base-model.ts';

/** An item of a payment. Units are decimal text. */
export interface PaymentItemRecord {
  readonly name: string;
  readonly price_units: string;
  readonly external_id: string | null;
}

/** A member inside a payment, as PostgreSQL writes a row as JSON: timestamps are text. */
export interface MemberRecord extends MemberFields {
  readonly id: string;
  readonly node_id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A payment with its items and its member. Numeric and bigint columns are decimal text, addresses lower-case hex. */
export class PaymentModel extends BaseModel {
  static override readonly tableName = 'payments';

  declare id: string;
  declare node_id: string;
  declare external_id: string;
  declare chain_id: string;
  declare network_id: string;
  declare wallet_id: string | null;
  declare member_id: string | null;
  declare currency_id: string;
  declare decimals: number;
  declare price_units: string;
  declare paid_price_units: string;
  declare payment_method: PaymentMethod;
  declare payment_group: PaymentGroup;
  declare payment_address: string;
  declare metadata: string | null;
  declare client_ip: string | null;
  declare success_url: string | null;
  declare cancel_url: string | null;
  /** BCP 47. */
  declare locale: string | null;
  declare retry: boolean;
  declare retry_count: number;
  declare expires_at: Date;
  declare expires_unix: string;
  declare status: PaymentStatus;
  declare status_detail: StatusDetail | null;
  declare sequence: number;
  declare deal_mode: DealMode;
  declare deal_id: string | null;
  declare diamond_address: string | null;
  declare token_address: string | null;
  declare terms_hash: string | null;
  declare deal_tx_hash: string | null;
  declare paid_tx_hash: string | null;
  declare paid_at: Date | null;
  declare payer_address: string | null;
  declare terminal_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
  /** The order whose buyer chose it; null for a payment that a merchant created. */
  declare checkout_id: string | null;
  /** Number of the choice, counted from 1, and its option, counted from 0. */
  declare choice: number | null;
  declare option_index: number | null;
  /** True while a former choice of the order may still be paid: nothing of the payment is sent or offered. */
  declare is_blocked: boolean;
  /** Selected beside the columns. */
  declare currency_symbol: string;
  /** EIP-155 id of its network. */
  declare eip155: string;
  declare items: readonly PaymentItemRecord[];
  declare member: MemberRecord | null;
}

/** The columns of a payment with its items and its member. */
export type PaymentRecord = Omit<PaymentModel, keyof BaseModel>;
