import type { Knex } from 'knex';
import { DomainError, type DomainErrorDetails } from '../../domain/errors.ts';
import { toDecimalText } from '../../domain/money.ts';
import { prepared, type Statement } from '../query/prepared.ts';
import type { PaymentRecord } from './model.ts';
import { itemsOf } from './read.ts';

/**
 * The terms that a repeated order must share with the payment: amount, currency, network, payee, items, metadata, and the
 * links that lead the buyer back.
 */
type PaymentTerms = Pick<
  PaymentRecord,
  | 'network_id'
  | 'currency_id'
  | 'decimals'
  | 'price_units'
  | 'paid_price_units'
  | 'payment_method'
  | 'payment_address'
  | 'items'
  | 'metadata'
  | 'success_url'
  | 'cancel_url'
>;

/** Each term as text. An amount is compared by value, because decimals belong to the currency on a network. */
const termsOf = (payment: PaymentTerms): Readonly<Record<string, string | null>> => {
  const amount = (units: string): string => toDecimalText(BigInt(units), payment.decimals);
  return {
    network_id: payment.network_id,
    currency_id: payment.currency_id,
    price: amount(payment.price_units),
    paid_price: amount(payment.paid_price_units),
    payment_method: payment.payment_method,
    payment_address: payment.payment_address,
    items: JSON.stringify(payment.items.map((item) => [item.name, amount(item.price_units), item.external_id])),
    metadata: payment.metadata,
    success_url: payment.success_url,
    cancel_url: payment.cancel_url,
  };
};

type Terms = ReturnType<typeof termsOf>;

/**
 * Refuses a repeated order, by the fields in which its terms differ from the stored ones. Fields that a retry computes anew
 * (`expires_at`), that the service fills in (the wallet), or that do not concern the deal (buyer, group, retries, the language of the
 * page) are no terms.
 * @throws DomainError
 */
export const refuseRepeated = (
  code: 'payment_exists' | 'checkout_exists',
  existingId: string,
  asked: Terms,
  stored: Terms,
): never => {
  const what = code === 'payment_exists' ? 'payment' : 'order';
  const errors = Object.entries(asked)
    .filter(([field, text]) => field in stored && text !== stored[field])
    .map(([field]) => ({ path: `/body/${field}`, message: `must equal that of the existing ${what}` }));
  const known = `The node already has ${what === 'order' ? 'an' : 'a'} ${what} with this external_id`;
  const extra = { existing_id: existingId };
  if (errors.length === 0) throw new DomainError(code, known, { extra });
  const refusal = (details: DomainErrorDetails): DomainError =>
    new DomainError(`${code}_with_other_terms`, `${known} and other terms`, { ...details, extra });
  throw refusal({ errors, without: { permission: 'payments.read', refusal: refusal({}) } });
};

const statement: Statement = {
  name: 'duplicate_payment',
  text: `SELECT p.id, p.network_id, p.currency_id, p.decimals, p.price_units, p.paid_price_units, p.payment_method,
      p.payment_address, p.metadata, p.success_url, p.cancel_url, ${itemsOf('p')}
    FROM payments p WHERE p.node_id = $1 AND p.external_id = $2`,
};

/**
 * Called only when an insert failed, because the unique index rejects duplicates anyway.
 * @throws DomainError payment_exists when the node has a payment with that external_id; payment_exists_with_other_terms
 *   when its terms differ
 */
export const refuseDuplicate = async (knex: Knex, asked: PaymentRecord): Promise<void> => {
  const values = [asked.node_id, asked.external_id];
  const [existing] = await prepared<PaymentTerms & { readonly id: string }>(knex, statement, values);
  if (existing === undefined) return;
  refuseRepeated('payment_exists', existing.id, termsOf(asked), termsOf(existing));
};
