import type { Knex } from 'knex';
import { toDecimalText } from '../../domain/money.ts';
import { refuseRepeated } from '../payments/duplicate.ts';
import type { CheckoutRecord } from './model.ts';
import { findNamedCheckout } from './read.ts';

/** The terms of a checkout as text, by their fields. An amount is compared by value, because decimals belong to the currency on a network. */
const termsOf = (checkout: CheckoutRecord): Readonly<Record<string, string | null>> => ({
  payment_address: checkout.payment_address,
  items: JSON.stringify(checkout.items.map(({ name, price, external_id }) => [name, price, external_id])),
  metadata: checkout.metadata,
  success_url: checkout.success_url,
  cancel_url: checkout.cancel_url,
  on_chain_cancel: String(checkout.on_chain_cancel),
  options: String(checkout.options.length),
  ...Object.fromEntries(
    checkout.options.flatMap(({ network_id, currency_id, decimals, ...option }, index) =>
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
 * Called only when a checkout could not be stored.
 * @throws DomainError checkout_exists when the node has a checkout with that external_id; checkout_exists_with_other_terms when its
 *   terms differ
 */
export const refuseTwin = async (knex: Knex, asked: CheckoutRecord): Promise<void> => {
  const existing = await findNamedCheckout(knex, asked.node_id, asked.external_id);
  if (existing === null) return;
  refuseRepeated('checkout_exists', existing.id, termsOf(asked), termsOf(existing));
};
