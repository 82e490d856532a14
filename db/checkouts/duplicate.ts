import type { Knex } from 'knex';
import { DomainError, type FieldError } from '../../domain/errors.ts';
import { toDecimalText } from '../../domain/money.ts';
import type { CheckoutRecord } from './model.ts';
import { findNamedCheckout } from './read.ts';

/** The terms of an order as text, by their fields. An amount is compared by value, because decimals belong to the currency on a network. */
const termsOf = (order: CheckoutRecord): Readonly<Record<string, string | null>> => ({
  payment_address: order.payment_address,
  items: JSON.stringify(order.items.map(({ name, price, external_id }) => [name, price, external_id])),
  metadata: order.metadata,
  success_url: order.success_url,
  cancel_url: order.cancel_url,
  on_chain_cancel: String(order.on_chain_cancel),
  options: String(order.options.length),
  ...Object.fromEntries(
    order.options.flatMap(({ network_id, currency_id, decimals, ...option }, index) =>
      Object.entries({
        network_id,
        currency_id,
        price: toDecimalText(BigInt(option.price_units), decimals),
        paid_price: toDecimalText(BigInt(option.paid_price_units), decimals),
      }).map(([field, text]) => [`options/${index}/${field}`, text]),
    ),
  ),
});

/**
 * The fields in which a repeated order differs from the stored one, by the rule for payments: fields that a retry computes anew, that
 * the service fills in, or that do not concern the deal are no terms.
 */
const differingTerms = (asked: CheckoutRecord, stored: CheckoutRecord): FieldError[] => {
  const before = termsOf(stored);
  return Object.entries(termsOf(asked))
    .filter(([field, text]) => field in before && text !== before[field])
    .map(([field]) => ({ path: `/body/${field}`, message: 'must equal that of the existing order' }));
};

/**
 * Called only when an order could not be stored.
 * @throws DomainError checkout_exists when the node has an order with that external_id; checkout_exists_with_other_terms when its
 *   terms differ
 */
export const refuseTwin = async (knex: Knex, asked: CheckoutRecord): Promise<void> => {
  const existing = await findNamedCheckout(knex, asked.node_id, asked.external_id);
  if (existing === null) return;
  const errors = differingTerms(asked, existing);
  const extra = { existing_id: existing.id };
  if (errors.length === 0)
    throw new DomainError('checkout_exists', 'The node already has an order with this external_id', { extra });
  throw new DomainError(
    'checkout_exists_with_other_terms',
    'The node already has an order with this external_id and other terms',
    { errors, extra },
  );
};
