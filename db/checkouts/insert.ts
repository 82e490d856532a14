import type { Knex } from 'knex';
import { toDecimalText } from '../../domain/money.ts';
import { CHECKOUTS_LEVEL, mayOldProcessRun } from '../level.ts';
import { memberColumns } from '../payments/insert.ts';
import { refuseRepeated } from '../payments/writer.ts';
import { rowOf } from '../query/statements.ts';
import { checkoutColumns } from '../webhooks/events.ts';
import { type CheckoutRecord, findNamedCheckout } from './read.ts';

/** A checkout to store, with its parts. */
export interface NewCheckout {
  readonly record: CheckoutRecord;
  /** True when the record's member must be stored, too. */
  readonly createsMember: boolean;
}

/**
 * Raises the floor of the database, so that no older version starts on checkouts.
 * @returns false while a process of an older version may run
 */
export const requireCheckouts = async (trx: Knex.Transaction): Promise<boolean> => {
  // The lock keeps others from lowering the floor before this transaction ends, and creations do not wait for each other.
  const { level } = await rowOf<{ level: number }>(trx)('SELECT level FROM floor FOR KEY SHARE');
  if (level >= CHECKOUTS_LEVEL) return true;
  await trx.raw('UPDATE floor SET level = greatest(level, :level)', { level: CHECKOUTS_LEVEL });
  return !(await mayOldProcessRun(trx, CHECKOUTS_LEVEL));
};

/**
 * Stores a checkout with its options, and its member if that is new.
 * @returns false when the node has a checkout of that external_id
 */
export const insertCheckout = async (
  trx: Knex.Transaction,
  { record, createsMember }: NewCheckout,
): Promise<boolean> => {
  const { member } = record;
  if (createsMember && member !== null) {
    await trx('members').insert(Object.fromEntries(memberColumns.map((column) => [column, member[column]])));
  }
  const stored = await trx('checkouts')
    .insert({
      ...Object.fromEntries(checkoutColumns.map((column) => [column, record[column]])),
      expires_unix: record.expires_unix,
      items: JSON.stringify(record.items),
    })
    .onConflict(['node_id', 'external_id'])
    .ignore()
    .returning('id');
  if (stored.length === 0) return false;
  await trx('checkout_options').insert(
    record.options.map((option, index) => ({
      checkout_id: record.id,
      index,
      network_id: option.network_id,
      wallet_id: option.wallet_id,
      currency_id: option.currency_id,
      decimals: option.decimals,
      price_units: option.price_units,
      paid_price_units: option.paid_price_units,
      payment_address: option.payment_address,
    })),
  );
  return true;
};

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
