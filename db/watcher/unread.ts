import type { Knex } from 'knex';
import type { UnreadPayments } from '../../domain/ports/watcher.ts';
import { mayReplace } from '../intents/waiting.ts';

/** Writes the detail, locking payments in the order of their ids. */
const show = (trx: Knex, where: string, bindings: { to: string | null } & Record<string, unknown>) =>
  trx.raw(
    `UPDATE payments SET status_detail = :to, updated_at = clock_timestamp() WHERE id = ANY (ARRAY(
       SELECT id FROM payments WHERE network_id = :network_id AND terminal_at IS NULL AND ${where}
       ORDER BY id FOR NO KEY UPDATE))`,
    bindings as Record<string, Knex.Value>,
  );

/** SQL condition: neither a lane, a run that signs offers, nor a diamond's run shows a reason on the payment; those end their own. */
const saysNobodyElse = `NOT (payments.deal_mode = 'offered' AND payments.status = 'pending') AND NOT EXISTS (SELECT 1 FROM tx_intents i WHERE i.payment_id = payments.id AND i.state = 'queued'
    AND i.waiting = 'endpoint_refuses')
  AND NOT EXISTS (SELECT 1 FROM diamonds d WHERE d.wallet_id = payments.wallet_id AND d.network_id = payments.network_id
    AND d.address = payments.diamond_address AND d.status <> 'active')`;

/**
 * Shows on open payments why their words are unreadable, and clears that detail from all others of the network.
 */
export const showUnread = async (
  trx: Knex.Transaction,
  networkId: string,
  { unreadable, refused }: UnreadPayments,
): Promise<void> => {
  const details = [
    { detail: 'words_unreadable', ids: unreadable, isOurs: 'TRUE' },
    { detail: 'endpoint_refuses', ids: refused, isOurs: saysNobodyElse },
  ];
  for (const { detail, ids, isOurs } of details)
    await show(trx, `id <> ALL(:ids) AND status_detail = '${detail}' AND ${isOurs}`, {
      network_id: networkId,
      ids,
      to: null,
    });
  for (const { detail, ids } of details)
    if (ids.length > 0)
      await show(trx, `id = ANY(:ids) AND ${mayReplace('status_detail', ':to::text')}`, {
        network_id: networkId,
        ids,
        to: detail,
      });
};
