import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';
import { differingTerms, type PaymentTerms } from '../../domain/payment-terms.ts';
import { prepared, type Statement } from '../query/prepared.ts';
import type { PaymentRecord } from './model.ts';
import { itemsOf } from './read.ts';

const statement: Statement = {
  name: 'duplicate_payment',
  text: `SELECT p.id, p.network_id, p.currency_id, p.decimals, p.price_units, p.paid_price_units, p.payment_method,
      p.payment_address, p.metadata, ${itemsOf('p')}
    FROM payments p WHERE p.node_id = $1 AND p.external_id = $2`,
};

/**
 * Asked only when something stands in the way of a payment, because its unique index refuses a duplicate anyway.
 * @throws DomainError payment_exists when the node has a payment of that external_id, payment_exists_with_other_terms when
 * that one was asked for otherwise
 */
export const refuseDuplicate = async (knex: Knex, asked: PaymentRecord): Promise<void> => {
  const values = [asked.node_id, asked.external_id];
  const [existing] = await prepared<PaymentTerms & { readonly id: string }>(knex, statement, values);
  if (existing === undefined) return;
  const errors = differingTerms(asked, existing);
  const extra = { existing_id: existing.id };
  if (errors.length === 0)
    throw new DomainError('payment_exists', 'The node has a payment with this external_id', { extra });
  throw new DomainError(
    'payment_exists_with_other_terms',
    'The node has a payment with this external_id and other terms',
    { errors, extra },
  );
};
