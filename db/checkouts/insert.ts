import type { Knex } from 'knex';
import { optionalMemberFields } from '../../domain/member.ts';
import { CHECKOUTS_LEVEL, hasOldProcess } from '../level.ts';
import { checkoutColumns } from '../webhooks/events.ts';
import type { CheckoutRecord } from './model.ts';

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
  const { rows } = await trx.raw<{ rows: { level: number }[] }>('SELECT level FROM floor FOR KEY SHARE');
  if (rows[0]!.level >= CHECKOUTS_LEVEL) return true;
  await trx.raw('UPDATE floor SET level = greatest(level, :level)', { level: CHECKOUTS_LEVEL });
  const { rows: found } = await trx.raw<{ rows: [{ old: boolean }] }>(
    `SELECT ${hasOldProcess(CHECKOUTS_LEVEL)} AS old`,
  );
  return !found[0].old;
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
    const fields = [
      'id',
      'node_id',
      'external_id',
      'name',
      ...optionalMemberFields,
      'created_at',
      'updated_at',
    ] as const;
    await trx('members').insert(Object.fromEntries(fields.map((field) => [field, member[field]])));
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
