import type { Knex } from 'knex';

/** Payments are locked in the order of their ids, as everywhere. */
const show = (trx: Knex, where: string, bindings: { to: string | null } & Record<string, unknown>) =>
  trx.raw(
    `UPDATE payments SET status_detail = :to, updated_at = clock_timestamp() WHERE id = ANY (ARRAY(
       SELECT id FROM payments WHERE network_id = :network_id AND terminal_at IS NULL AND ${where}
       ORDER BY id FOR NO KEY UPDATE))`,
    bindings as Record<string, Knex.Value>,
  );

/** Shows on open payments that their words can not be read, where they say nothing else, and ends that on the others of the network. */
export const showUnread = async (trx: Knex.Transaction, networkId: string, ids: readonly string[]): Promise<void> => {
  const bindings = { network_id: networkId, ids };
  if (ids.length > 0) {
    await show(trx, 'id = ANY(:ids) AND status_detail IS NULL', { ...bindings, to: 'words_unreadable' });
  }
  await show(trx, `id <> ALL(:ids) AND status_detail = 'words_unreadable'`, { ...bindings, to: null });
};
