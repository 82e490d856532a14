import type { Knex } from 'knex';
import { paymentLabel, type PaymentLabel } from '../../domain/payment-label.ts';
import { planned } from '../query/prepared.ts';

interface LabelRow {
  id: string;
  external_id: string;
  paid_price_units: string;
  decimals: number;
  symbol: string;
  network: string;
  order_words: string[] | null;
}

/** Labels by which people recognise these payments. */
export const paymentLabels = async (
  knex: Knex,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, PaymentLabel>> => {
  if (paymentIds.length === 0) return new Map();
  const { rows } = await planned<{ rows: LabelRow[] }>(
    knex,
    `SELECT p.id, p.external_id, p.paid_price_units, p.decimals, c.symbol, n.name AS network,
       (SELECT ARRAY[o.external_id, o.id::text] FROM checkouts o WHERE o.id = p.checkout_id) AS order_words
     FROM payments p JOIN currencies c ON c.id = p.currency_id JOIN networks n ON n.id = p.network_id
     WHERE p.id = ANY(:payment_ids)`,
    { payment_ids: paymentIds },
  );
  return new Map(
    rows.map((row) => {
      const { external_id: externalId, paid_price_units, decimals, symbol, network } = row;
      const order = row.order_words === null ? {} : { order: row.order_words };
      return [
        row.id,
        paymentLabel({ externalId, ...order, units: BigInt(paid_price_units), decimals, symbol, network }),
      ];
    }),
  );
};
