import type { Pojo } from 'objection';
import type { CheckoutFacts } from '../../domain/checkouts/checkout-facts.ts';
import type { CheckoutStatus } from '../../domain/checkouts/checkout.ts';
import type { PaymentGroup } from '../../domain/payment.ts';
import type { MemberRecord } from '../payments/model.ts';
import { BaseModel } from '../query/base-model.ts';
import { toPaymentFacts } from '../webhooks/stored-events.ts';

/** An order whose buyer chooses, with its options, payments and member. Addresses are lower-case hex. */
export class CheckoutModel extends BaseModel {
  static override readonly tableName = 'checkouts';

  declare id: string;
  declare node_id: string;
  declare external_id: string;
  declare payment_group: PaymentGroup;
  declare payment_address: string | null;
  declare metadata: string | null;
  declare member_id: string | null;
  declare success_url: string | null;
  declare cancel_url: string | null;
  declare locale: string | null;
  declare on_chain_cancel: boolean;
  declare items: CheckoutFacts['items'];
  declare expires_at: Date;
  declare expires_unix: string;
  declare status: CheckoutStatus;
  declare choices: number;
  declare cancel_requested_at: Date | null;
  declare terminal_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
  /** Selected beside the columns. */
  declare options: CheckoutFacts['options'];
  declare payments: CheckoutFacts['payments'];
  declare payment: CheckoutFacts['payment'];
  declare member: MemberRecord | null;

  /** The payment comes as PostgreSQL writes it as JSON: its times are text. */
  override $parseDatabaseJson(json: Pojo): Pojo {
    const { payment, ...row } = super.$parseDatabaseJson(json) as Pojo & { payment?: StoredPayment };
    return { ...row, ...(payment !== undefined && { payment: payment && toPaymentFacts(payment) }) };
  }
}

type StoredPayment = Parameters<typeof toPaymentFacts>[0] | null;

/** The columns of an order with its parts. */
export type CheckoutRecord = Omit<CheckoutModel, keyof BaseModel>;
