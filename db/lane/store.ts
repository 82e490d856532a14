import type { Knex } from 'knex';
import type { LaneAccount, LaneStore, QueuedIntent, Watched } from '../../domain/lane.ts';
import type { Lease } from '../../domain/lease.ts';
import { raiseAlert } from '../alerts/alerts.ts';
import { assignSlots } from './assign.ts';
import { loadConfirmable } from './confirmable.ts';
import { confirmSlots } from './confirm.ts';
import { loadOpenSlots } from './slots.ts';
import { acquireLease, underLease } from '../query/lease.ts';
import { intentColumns, toQueuedIntent, type IntentRow } from './intents.ts';

interface AccountRow {
  id: string;
  network_id: string;
  address: string;
  role: 'operator' | 'upgrader';
  next_nonce: string;
  max_inflight: number;
  status: 'active' | 'paused';
  status_detail: string | null;
}

const queuedOf = (purpose: string): string =>
  `SELECT ${intentColumns} FROM tx_intents i
   LEFT JOIN payments p ON p.id = i.payment_id
   LEFT JOIN diamonds d ON d.network_id = p.network_id AND d.address = p.diamond_address
   WHERE i.account_id = :id AND i.state = 'queued' AND ${purpose} AND (i.payment_id IS NULL OR d.status = 'active')
   ORDER BY i.id LIMIT :limit`;

/** A lane's memory in PostgreSQL: intents, slots and attempts of one signer. */
export const createLaneStore = (knex: Knex): LaneStore => {
  const held = <Result>(lease: Lease, work: (trx: Knex.Transaction) => Promise<Result>) =>
    underLease(knex, 'signer_accounts', lease, work);

  return {
    acquire: (accountId) => acquireLease(knex, 'signer_accounts', accountId),

    account: async (lease): Promise<LaneAccount> => {
      const row = await knex('signer_accounts').where({ id: lease.id }).first<AccountRow | undefined>();
      if (row === undefined) throw new Error(`There is no signer account ${lease.id}`);
      return {
        id: row.id,
        networkId: row.network_id,
        address: row.address,
        role: row.role,
        nextNonce: Number(row.next_nonce),
        maxInflight: row.max_inflight,
        status: row.status,
        statusDetail: row.status_detail,
      };
    },

    watched: async (lease): Promise<Watched | null> => {
      const { rows } = await knex.raw<{
        rows: { number: string | null; confirmed_number: string | null; confirmed_hash: string | null }[];
      }>(
        `SELECT c.number, c.confirmed_number, h.hash AS confirmed_hash FROM watch_cursors c
         JOIN signer_accounts a ON a.network_id = c.network_id
         LEFT JOIN block_headers h ON h.network_id = c.network_id AND h.number = c.confirmed_number
         WHERE a.id = :id AND c.status = 'active'`,
        { id: lease.id },
      );
      const row = rows[0];
      if (row?.number == null) return null;
      const confirmed =
        row.confirmed_number === null || row.confirmed_hash === null
          ? null
          : { number: Number(row.confirmed_number), hash: row.confirmed_hash };
      return { number: Number(row.number), confirmed };
    },

    queued: async (lease, limit): Promise<QueuedIntent[]> => {
      const { rows } = await knex.raw<{ rows: IntentRow[] }>(
        // Two walks along an index, each of which ends at the limit, however much is queued.
        `SELECT * FROM (SELECT 0 AS turn, * FROM (${queuedOf(`i.purpose = 'cancel_deal'`)}) cancels
           UNION ALL SELECT 1 AS turn, * FROM (${queuedOf(`i.purpose <> 'cancel_deal'`)}) others) queued
         ORDER BY turn, id LIMIT :limit`,
        { id: lease.id, limit },
      );
      return rows.map(toQueuedIntent);
    },

    openSlots: (lease) => loadOpenSlots(knex, lease.id),

    assign: (lease, chainNonce, plans) => held(lease, (trx) => assignSlots(trx, lease.id, chainNonce, plans)),

    saveAttempts: (lease, attempts) =>
      held(lease, async (trx) => {
        if (attempts.length === 0) return;
        await trx('tx_attempts').insert(
          attempts.map((attempt) => ({
            slot_id: attempt.slotId,
            seq: attempt.seq,
            tx_hash: attempt.txHash,
            raw: Buffer.from(attempt.raw.slice(2), 'hex'),
            max_fee_per_gas: attempt.maxFeePerGas.toString(),
            max_priority_fee_per_gas: attempt.maxPriorityFeePerGas.toString(),
          })),
        );
        await trx('tx_slots')
          .whereIn(
            'id',
            attempts.map((attempt) => attempt.slotId),
          )
          .where({ state: 'assigned' })
          .update({ state: 'signed' });
      }),

    satisfied: (lease, intentIds) =>
      held(lease, async (trx) => {
        await trx('tx_intents')
          .where({ account_id: lease.id, state: 'queued' })
          .whereNotNull('step_id')
          .whereIn('id', intentIds)
          .update({ state: 'settled', outcome: 'effective', settled_at: trx.fn.now(), waiting: null });
      }),

    recordSends: async (lease, results) => {
      if (results.length === 0) return;
      await held(lease, (trx) =>
        trx.raw(
          `UPDATE tx_attempts a SET sends = a.sends + 1, last_sent_at = clock_timestamp(), last_error = r.error
           FROM jsonb_to_recordset(:results::jsonb) AS r (slot_id uuid, seq int, error text)
           WHERE a.slot_id = r.slot_id AND a.seq = r.seq`,
          {
            results: JSON.stringify(
              results.map((result) => ({ slot_id: result.slotId, seq: result.seq, error: result.error })),
            ),
          },
        ),
      );
    },

    recordMined: async (lease, mined) => {
      if (mined.length === 0) return;
      await held(lease, (trx) =>
        trx.raw(
          `UPDATE tx_slots s SET state = 'mined', tx_hash = m.tx_hash, block_number = m.block_number,
             block_hash = m.block_hash, receipt_status = m.receipt_status, gas_used = m.gas_used,
             effective_gas_price = m.effective_gas_price
           FROM jsonb_to_recordset(:mined::jsonb) AS m (slot_id uuid, tx_hash text, block_number bigint, block_hash text,
             receipt_status smallint, gas_used bigint, effective_gas_price numeric)
           WHERE s.id = m.slot_id AND s.account_id = :id AND s.state IN ('signed', 'mined')`,
          {
            id: lease.id,
            mined: JSON.stringify(
              mined.map((slot) => ({
                slot_id: slot.slotId,
                tx_hash: slot.txHash,
                block_number: slot.blockNumber,
                block_hash: slot.blockHash,
                receipt_status: slot.receiptStatus,
                gas_used: slot.gasUsed.toString(),
                effective_gas_price: slot.effectiveGasPrice.toString(),
              })),
            ),
          },
        ),
      );
    },

    recordUnmined: async (lease, slotIds) => {
      if (slotIds.length === 0) return;
      await held(lease, async (trx) => {
        await trx('tx_slots').where({ account_id: lease.id, state: 'mined' }).whereIn('id', slotIds).update({
          state: 'signed',
          tx_hash: null,
          block_number: null,
          block_hash: null,
          receipt_status: null,
          gas_used: null,
          effective_gas_price: null,
        });
      });
    },

    confirmable: (lease) => loadConfirmable(knex, lease.id),

    confirm: async (lease, slotIds, verdicts) => {
      if (slotIds.length > 0) await held(lease, (trx) => confirmSlots(trx, lease.id, slotIds, verdicts));
    },

    recordWaiting: async (lease, intentIds, detail) => {
      if (intentIds.length === 0) return;
      await held(lease, async (trx) => {
        const bindings = { id: lease.id, intent_ids: intentIds, detail };
        // Payments before intents, as everybody does who touches both.
        const { rows: pending } = await trx.raw<{ rows: { id: string }[] }>(
          `SELECT p.id FROM payments p WHERE p.status = 'pending' AND p.id IN (
             SELECT i.payment_id FROM tx_intents i WHERE i.id = ANY(:intent_ids) AND i.account_id = :id
               AND i.purpose = 'create_deal' AND i.state = 'queued' AND i.waiting IS DISTINCT FROM :detail::text)
           ORDER BY p.id FOR NO KEY UPDATE`,
          bindings,
        );
        await trx.raw(
          `UPDATE tx_intents SET waiting = :detail WHERE id = ANY(:intent_ids) AND account_id = :id AND state = 'queued'
             AND waiting IS DISTINCT FROM :detail::text`,
          bindings,
        );
        await trx.raw(
          `UPDATE payments SET status_detail = :detail, updated_at = clock_timestamp() WHERE id = ANY(:payment_ids)`,
          { detail, payment_ids: pending.map((payment) => payment.id) },
        );
      });
    },

    setStatus: (lease, status, detail) =>
      held(lease, async (trx) => {
        await trx('signer_accounts')
          .where({ id: lease.id })
          .update({ status, status_detail: detail, updated_at: trx.fn.now() });
      }),

    alert: async (lease, alert) => {
      const row = await knex('signer_accounts').where({ id: lease.id }).first<{ network_id: string }>('network_id');
      await raiseAlert(knex, { ...alert, networkId: row.network_id });
    },
  };
};
