import type { Knex } from 'knex';
import { isNotOpen } from '../alerts/alerts.ts';
import { merchantColumn, type MerchantRow } from '../branding/branding.ts';
import type { PaymentRecord } from '../payments/read.ts';
import { prepared, preparedRows, type Statement } from '../query/statements.ts';
import { itemsOf } from '../webhooks/events.ts';

/** The columns of a payment that its buyer's page needs; no `member`, `client_ip` or `metadata`. */
const columns = [
  'id',
  'node_id',
  'external_id',
  'network_id',
  'decimals',
  'paid_price_units',
  'payment_address',
  'expires_at',
  'expires_unix',
  'status',
  'status_detail',
  'sequence',
  'deal_mode',
  'deal_id',
  'diamond_address',
  'token_address',
  'deal_tx_hash',
  'paid_tx_hash',
  'payer_address',
  'terminal_at',
  'success_url',
  'cancel_url',
  'locale',
  'checkout_id',
] as const satisfies (keyof PaymentRecord)[];

type Columns = Pick<PaymentRecord, (typeof columns)[number] | 'currency_symbol' | 'eip155' | 'items'>;

/** A payment as its buyer's page shows it. Units are decimal text, addresses lower-case hex. */
export interface WidgetPaymentRow extends Columns {
  /** True once the diamond's code has the network's confirmations. */
  readonly diamond_active: boolean;
  /** Also false while the block of a confirmed deal is reorganised away. */
  readonly deal_in_block: boolean;
  readonly merchant: MerchantRow;
  /** Domain of the token's permits; null where they are not used. */
  readonly permit_name: string | null;
  readonly permit_version: string | null;
  readonly network_name: string;
  readonly native_symbol: string;
  readonly explorer_url: string | null;
  readonly public_rpc_urls: readonly string[];
  readonly block_time_ms: number;
  /** Confirmations that the buyer's transaction needs. */
  readonly confirmations: number;
  /** Blocks from that of the buyer's transaction to the newest one, both included; null while no block has it. */
  readonly confirmations_seen: number | null;
}

const widgetStatement: Statement = {
  name: 'widget_payments',
  // The limit makes the planner look up each payment by key, however small the table was at planning.
  text: `SELECT row.* FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT ${columns.map((column) => `p.${column}`).join(', ')}, ${itemsOf('p.id')} AS items, ${merchantColumn},
        t.permit_name, t.permit_version,
        (SELECT c.symbol FROM currencies c WHERE c.id = p.currency_id) AS currency_symbol,
        p.deal_block_number IS NOT NULL AS deal_in_block, coalesce(d.status = 'active', false) AS diamond_active,
        w.eip155, w.name AS network_name, w.native_symbol, w.explorer_url, w.public_rpc_urls, w.block_time_ms, w.confirmations,
        CASE WHEN p.paid_block_number IS NOT NULL THEN greatest(c.number - p.paid_block_number + 1, 1)::int END
          AS confirmations_seen
      FROM payments p JOIN nodes n ON n.id = p.node_id JOIN networks w ON w.id = p.network_id
      LEFT JOIN watch_cursors c ON c.network_id = p.network_id
      LEFT JOIN currency_tokens t
        ON t.currency_id = p.currency_id AND t.network_id = p.network_id AND t.address = p.token_address
        -- a token that has changed refuses its permits
        AND ${isNotOpen(`'token_changed'`, 'p.network_id', 'p.token_address')}
      LEFT JOIN diamonds d ON d.wallet_id = p.wallet_id AND d.network_id = p.network_id AND d.address = p.diamond_address
      WHERE p.id = wanted.id LIMIT 1
    ) row`,
};

/**
 * Passes on the payments with these ids that exist, one by one as they arrive, in any order.
 * @param take must not throw
 */
export const takeWidgetPayments = (
  knex: Knex,
  ids: readonly string[],
  take: (row: WidgetPaymentRow) => void,
): Promise<void> => preparedRows<WidgetPaymentRow>(knex, widgetStatement, [ids], take);

/** The payment of a widget token. */
export const findWidgetPayment = async (knex: Knex, id: string): Promise<WidgetPaymentRow | null> => {
  const [row] = await prepared<WidgetPaymentRow>(knex, widgetStatement, [[id]]);
  return row ?? null;
};
