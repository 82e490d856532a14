import type { Knex } from 'knex';
import type { Lease } from '../../domain/lease.ts';
import type { BlockHeader, ExpiryCandidate, WatchCursor, WatchRound, WatchStore } from '../../domain/watch.ts';
import { raiseAlert } from '../alerts/alerts.ts';
import { acquireLease, underLease } from '../query/lease.ts';
import { transition } from '../payments/transition.ts';
import { advancePayments } from './advance.ts';
import { recordDealEvents } from './events.ts';
import { rewindTo } from './rewind.ts';

interface CursorRow {
  number: string | null;
  hash: string | null;
  confirmed_number: string | null;
}

const toHeader = (row: { number: string; hash: string; parent_hash: string; timestamp: string }): BlockHeader => ({
  number: Number(row.number),
  hash: row.hash,
  parentHash: row.parent_hash,
  timestamp: Number(row.timestamp),
});

/** The watcher's memory in PostgreSQL: block headers, cursor, and the transitions that blocks cause. */
export const createWatchStore = (knex: Knex): WatchStore => {
  const held = <Result>(lease: Lease, work: (trx: Knex.Transaction) => Promise<Result>) =>
    underLease(knex, 'watch_cursors', lease, work);

  return {
    acquire: async (networkId) => {
      await knex('watch_cursors').insert({ network_id: networkId }).onConflict('network_id').ignore();
      return acquireLease(knex, 'watch_cursors', networkId);
    },

    cursor: async (lease): Promise<WatchCursor | null> => {
      const row = await knex('watch_cursors').where({ network_id: lease.id }).first<CursorRow | undefined>();
      if (row?.number == null || row.hash === null) return null;
      return {
        number: Number(row.number),
        hash: row.hash,
        confirmedNumber: row.confirmed_number === null ? null : Number(row.confirmed_number),
      };
    },

    headers: async (lease, fromNumber, toNumber) => {
      const rows = await knex('block_headers')
        .where({ network_id: lease.id })
        .whereBetween('number', [fromNumber, toNumber])
        .orderBy('number', 'desc');
      return rows.map(toHeader);
    },

    commit: (lease, round) => held(lease, (trx) => commitRound(trx, lease.id, round)),

    expirable: async (lease, judged, limit): Promise<ExpiryCandidate[]> => {
      const rows = await knex('payments')
        .select('id', 'diamond_address', 'deal_id', 'terms_hash')
        .where({ network_id: lease.id, payment_method: 'web3' })
        .whereIn('status', ['pending', 'awaiting_payment', 'canceling'])
        .where('expires_unix', '<=', judged.timestamp)
        .whereNull('paid_block_number')
        .orderBy('expires_unix')
        .limit(limit);
      return rows.map((row: { id: string; diamond_address: string; deal_id: string; terms_hash: string }) => ({
        paymentId: row.id,
        diamond: row.diamond_address,
        dealId: BigInt(row.deal_id),
        termsHash: row.terms_hash,
      }));
    },

    expire: (lease, judged, paymentIds) =>
      held(lease, async (trx) => {
        await transition(trx, {
          name: 'payment_expired',
          where: `p.id = ANY(:payment_ids) AND p.network_id = :network_id AND p.paid_block_number IS NULL
            AND p.expires_unix <= :judged_timestamp
            AND EXISTS (SELECT 1 FROM block_headers h
              WHERE h.network_id = p.network_id AND h.number = :judged_number AND h.hash = :judged_hash)`,
          bindings: {
            payment_ids: paymentIds,
            network_id: lease.id,
            judged_timestamp: judged.timestamp,
            judged_number: judged.number,
            judged_hash: judged.hash,
          },
          actor: { type: 'chain' },
          data: `jsonb_build_object('block_number', :judged_number::bigint, 'block_hash', :judged_hash::text)`,
        });
      }),

    halt: (lease, detail) =>
      held(lease, async (trx) => {
        await trx('watch_cursors').where({ network_id: lease.id }).update({ status: 'halted', status_detail: detail });
      }),

    alert: (lease, alert) => raiseAlert(knex, { ...alert, networkId: lease.id }),
  };
};

/** One round in its transaction: forget what is not canonical, write what is, then let the payments follow. */
const commitRound = async (trx: Knex.Transaction, networkId: string, round: WatchRound): Promise<void> => {
  if (round.rewindTo !== null) await rewindTo(trx, networkId, round.rewindTo);
  if (round.headers.length > 0) {
    await trx('block_headers').insert(
      round.headers.map((header) => ({
        network_id: networkId,
        number: header.number,
        hash: header.hash,
        parent_hash: header.parentHash,
        timestamp: header.timestamp,
      })),
    );
  }
  await recordDealEvents(trx, networkId, round.events);
  const last = round.headers.at(-1);
  const { rows } = await trx.raw<{ rows: { confirmed_number: string | null }[] }>(
    `
UPDATE watch_cursors SET number = coalesce(:number, number), hash = coalesce(:hash, hash),
  confirmed_number = coalesce(:confirmed_number, confirmed_number), status = 'active', status_detail = NULL, updated_at = now()
WHERE network_id = :network_id RETURNING confirmed_number`,
    {
      network_id: networkId,
      number: last?.number ?? null,
      hash: last?.hash ?? null,
      confirmed_number: round.confirmedNumber,
    },
  );
  const confirmedNumber = rows[0]?.confirmed_number ?? null;
  if (confirmedNumber !== null) await advancePayments(trx, networkId, Number(confirmedNumber));
  await trx.raw(
    `DELETE FROM block_headers h USING networks n, watch_cursors c
     WHERE h.network_id = :network_id AND n.id = h.network_id AND c.network_id = h.network_id
       AND h.number < c.number - n.finality`,
    { network_id: networkId },
  );
  await trx.raw(`SELECT pg_notify('carat_block', :network_id)`, { network_id: networkId });
};
