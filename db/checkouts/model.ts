import type { Pojo } from 'objection';
import type { CheckoutFacts } from '../../domain/checkouts/checkout-facts.ts';
import type { MemberRecord } from '../payments/model.ts';
import { modelOf, type BaseModel } from '../query/base-model.ts';
import { toPaymentFacts } from '../webhooks/stored-events.ts';

/** A checkout whose buyer chooses, with its options, payments and member. Addresses are lower-case hex. */
export class CheckoutModel extends modelOf<CheckoutFacts>() {
  static override readonly tableName = 'checkouts';

  declare expires_unix: string;
  declare member: MemberRecord | null;

  /** The payment comes as PostgreSQL writes it as JSON: its times are text. */
  override $parseDatabaseJson(json: Pojo): Pojo {
    const { payment, ...row } = super.$parseDatabaseJson(json) as Pojo & { payment?: StoredPayment };
    return { ...row, ...(payment !== undefined && { payment: payment && toPaymentFacts(payment) }) };
  }
}

type StoredPayment = Parameters<typeof toPaymentFacts>[0] | null;

/** The columns of a checkout with its parts. */
export type CheckoutRecord = Omit<CheckoutModel, keyof BaseModel>;
