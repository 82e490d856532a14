/** Ended payments that a reorganisation removed, and the alerts when they are in a block again. */
import type { Knex } from 'knex';
import { insertAlerts, raiseAlerts, runAlerts, toRaised } from '../alerts/alerts.ts';
import { note } from '../payments/transition.ts';
import { quoted } from '../query/statements.ts';
import { unpaidStatuses } from '../../domain/payment.ts';
import type { IncidentKind } from '../../domain/alerts/incident.ts';
import type { RaisedAlert } from '../../domain/ports/alert.ts';

/** SQL of ended payments that were reported in a block above the common ancestor, with known transactions or not. */
const removed = `SELECT id FROM payments WHERE network_id = :network_id AND status = 'completed' AND paid_block_number > :ancestor
  UNION ALL SELECT id FROM payments WHERE network_id = :network_id AND status IN (${quoted(unpaidStatuses)})
    AND paid_block_number > :ancestor`;

/** The sequence makes each removal an alert, even where a block comes back and goes again. */
const alerts = insertAlerts({
  kind: `'payment_reversed'`,
  subject: `p.id || ':' || (p.sequence + 1)`,
  network: 'p.network_id',
  payment: 'p.id',
  node: 'p.node_id',
  message: `'A reorganisation removed the payment of a buyer from the chain; here it is ' || p.status`,
  data: `jsonb_build_object('transaction_hash', p.paid_tx_hash, 'block_number', p.paid_block_number, 'ancestor', :ancestor::bigint)`,
  from: `FROM payments p WHERE p.id = ANY (ARRAY(${removed})) AND p.reversed_at IS NULL ORDER BY p.id`,
});

/**
 * Raises an alert for each ended payment that is in no block now. Its status stays.
 * @returns the alerts that are new
 */
export const reverseEnded = async (
  trx: Knex,
  bindings: Readonly<Record<'network_id' | 'ancestor', string | number>>,
): Promise<RaisedAlert[]> => {
  const rows = await runAlerts(trx, alerts, bindings);
  const ids = rows.flatMap(({ payment_id: id }) => id ?? []);
  for (const { payment_id: paymentId, data } of rows) {
    if (paymentId !== null) await note(trx, { name: 'payment_reversed', paymentId, data: data ?? {} });
  }
  if (ids.length > 0) {
    await trx.raw('UPDATE payments SET reversed_at = clock_timestamp() WHERE id = ANY(:ids)', { ids });
  }
  return rows.map(toRaised);
};

/** SQL of the kind of alert when an ended payment `p` is in a block again. */
export const kindOfReturn = `CASE p.status WHEN 'completed' THEN 'payment_returned' ELSE 'payment_after_end' END`;

/** The message for a returned payment. */
export const returned = 'The payment that a reorganisation had removed is on the chain again';
export const paidAfterEnd = 'A payment that is over was paid on the chain';

/**
 * Raises alerts for ended payments, reversed or unpaid, whose words say paid although no accepted log does. Block and
 * transaction are unknown, so the judged block stands for them.
 * @returns the alerts that are new
 */
export const returnByWord = async (
  trx: Knex,
  { network_id, judged_number, judged_hash }: { network_id: string; judged_number: number; judged_hash: string },
  paid: readonly string[],
): Promise<RaisedAlert[]> => {
  if (paid.length === 0) return [];
  const { rows } = await trx.raw<{ rows: { id: string; sequence: number; kind: IncidentKind; message: string }[] }>(
    `SELECT p.id, p.sequence, ${kindOfReturn} AS kind,
       CASE WHEN p.reversed_at IS NULL THEN '${paidAfterEnd}' ELSE '${returned}' END AS message
     FROM payments p WHERE p.id = ANY(:paid) AND (p.reversed_at IS NOT NULL
       OR (p.status IN (${quoted(unpaidStatuses)}) AND p.paid_block_number IS NULL)) ORDER BY p.id`,
    { paid },
  );
  const at = { transaction_hash: null, block_number: judged_number, block_hash: judged_hash };
  for (const { id: paymentId, kind, message } of rows) {
    await note(trx, { name: 'payment_anomaly', paymentId, message, data: { kind, ...at } });
  }
  await trx.raw(
    `UPDATE payments SET reversed_at = NULL, paid_tx_hash = NULL, paid_block_number = :judged_number,
       paid_block_hash = :judged_hash, paid_at = NULL, payer_address = NULL WHERE id = ANY(:ids)`,
    { judged_number, judged_hash, ids: rows.map(({ id }) => id) },
  );
  return raiseAlerts(
    trx,
    network_id,
    rows.map(({ id, sequence, kind, message }) => ({
      kind,
      subject: `${id}:${sequence}`,
      message,
      payment: id,
      data: at,
    })),
  );
};
