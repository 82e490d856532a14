import type { FieldError } from './errors.ts';
import { toDecimalText } from './money.ts';
import type { PaymentFacts } from './payment-facts.ts';

/** What a payment and a repetition of its order agree on or not: how much of what is paid where, to whom and for what. */
export type PaymentTerms = Pick<
  PaymentFacts,
  | 'network_id'
  | 'currency_id'
  | 'decimals'
  | 'price_units'
  | 'paid_price_units'
  | 'payment_method'
  | 'payment_address'
  | 'items'
  | 'metadata'
>;

/** Each term as one text. An amount is told by its value, because decimals belong to the currency on a network. */
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
  };
};

/**
 * The fields in which a repeated order differs from the payment that is there. What a retry computes anew (`expires_at`),
 * what the service fills in (the wallet), and what says nothing of the deal (buyer, group, retries) is no term.
 */
export const differingTerms = (asked: PaymentTerms, stored: PaymentTerms): FieldError[] => {
  const before = termsOf(stored);
  return Object.entries(termsOf(asked))
    .filter(([field, text]) => text !== before[field])
    .map(([field]) => ({ path: `/body/${field}`, message: 'must be as in the payment that exists' }));
};
