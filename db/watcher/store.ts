import type { Knex } from 'knex';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import type { Lease } from '../../domain/ports/lease.ts';
import type { BlockHeader, WatchCursor, WatchRound, WatchStore } from '../../domain/ports/watcher.ts';
import { observe, raiseAlerts } from '../alerts/alerts.ts';
import { openDeal } from '../intents/deals.ts';
import { reopenSlots } from '../intents/settle.ts';
import { acquireLease, underLease } from '../query/lease.ts';
import { recordDealEvents } from './events.ts';
import { loadCutsOfOurs, loadWantedControl } from './control.ts';
import { loadTokenPlaces, recordStrays } from './stray.ts';
import { judgePayments, loadCandidates } from './judge.ts';
import { showUnreachable } from './unreachable.ts';
import { rewindTo } from './rewind.ts';
import { showUnread } from './unread.ts';
import { detectPayments } from './transitions.ts';
import { planned } from '../query/statements.ts';

interface CursorRow {
  number: string | null;
  hash: string | null;
  confirmed_number: string | null;
  is_idle: boolean;
  is_halted: boolean;
  restored_at: number | null;
}

interface HeaderRow {
  number: string;
  hash: string;
  parent_hash: string;
  timestamp: string;
}

/** The watcher's store in PostgreSQL: block headers, cursor, and the transitions that blocks cause. */
export const createWatchStore = (knex: Knex): WatchStore => {
  const held = <Result>(lease: Lease, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> =>
    underLease(knex, 'watch_cursors', lease, work);

  return {
    acquire: async (networkId) => {
      await knex.raw('INSERT INTO watch_cursors (network_id) VALUES (:id) ON CONFLICT (network_id) DO NOTHING', {
        id: networkId,
      });
      return acquireLease(knex, 'watch_cursors', networkId);
    },
    cursor: ({ id }) => loadCursor(knex, id),
    headers: ({ id }, fromNumber, toNumber) => loadHeaders(knex, id, fromNumber, toNumber),
    wantedControl: ({ id }) => loadWantedControl(knex, id),
    cutsOfOurs: ({ id }, cuts) => loadCutsOfOurs(knex, id, cuts),
    commit: (lease, round) => held(lease, (trx) => commitRound(trx, lease.id, round)),
    passRestore: (lease) => held(lease, (trx) => passRestore(trx, lease.id)),
    candidates: ({ id }, judged, page) => loadCandidates(knex, id, judged, page),
    judge: (lease, judgement) => held(lease, (trx) => judgePayments(trx, lease.id, judgement)),
    showUnread: (lease, unread) => held(lease, (trx) => showUnread(trx, lease.id, unread)),
    showUnreachable: (lease, isUnreachable) =>
      showUnreachable(knex, lease.id, isUnreachable, (part) => held(lease, part)),
    tokenPlaces: ({ id }, limit) => loadTokenPlaces(knex, id, limit),
    recordStrays: (lease, found, next) => held(lease, (trx) => recordStrays(trx, lease.id, found, next)),
    halt: (lease, detail) => held(lease, (trx) => haltWatcher(trx, lease.id, detail)),
    alert: ({ id }, alert) => raiseAlerts(knex, id, [alert]),
    observe: ({ id }, looked, holding) => observe(knex, looked, holding, id),
  };
};

const loadCursor = async (knex: Knex, networkId: string): Promise<WatchCursor | null> => {
  const { rows } = await planned<{ rows: CursorRow[] }>(
    knex,
    `SELECT c.number, c.hash, c.confirmed_number, NOT EXISTS (SELECT 1 FROM payments p WHERE p.network_id = c.network_id
        AND ${openDeal('p')})
      AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.network_id = c.network_id AND p.status = 'processing')
      AND NOT EXISTS (SELECT 1 FROM tx_slots s JOIN signer_accounts a ON a.id = s.account_id
        WHERE a.network_id = c.network_id AND s.state <> 'confirmed')
      AND NOT c.is_behind_restore AS is_idle, c.status = 'halted' AS is_halted,
      CASE WHEN c.is_behind_restore THEN (SELECT extract(epoch FROM coalesce(max(r.marked_at), 'epoch'))::float8 FROM restores r) END AS restored_at
     FROM watch_cursors c WHERE c.network_id = :network_id`,
    { network_id: networkId },
  );
  const row = rows[0];
  if (row?.number == null || row.hash === null) return null;
  return {
    number: Number(row.number),
    hash: row.hash,
    confirmedNumber: row.confirmed_number === null ? null : Number(row.confirmed_number),
    isIdle: row.is_idle,
    isHalted: row.is_halted,
    restoredAt: row.restored_at,
  };
};

const loadHeaders = async (knex: Knex, networkId: string, from: number, to: number): Promise<BlockHeader[]> => {
  const { rows } = await planned<{ rows: HeaderRow[] }>(
    knex,
    `SELECT number, hash, parent_hash, timestamp FROM block_headers
     WHERE network_id = :network_id AND number BETWEEN :from AND :to ORDER BY number DESC`,
    { network_id: networkId, from, to },
  );
  return rows.map((row) => ({
    number: Number(row.number),
    hash: row.hash,
    parentHash: row.parent_hash,
    timestamp: Number(row.timestamp),
  }));
};

/** One round in its transaction: forgets blocks that are no longer canonical, stores new ones, then moves payments. */
const commitRound = async (trx: Knex.Transaction, networkId: string, round: WatchRound): Promise<RaisedAlert[]> => {
  const raised = round.rewindTo === null ? [] : await rewindTo(trx, networkId, round.rewindTo);
  await storeBlocks(trx, networkId, round);
  raised.push(...(await recordDealEvents(trx, networkId, round.events)));
  raised.push(...(await raiseAlerts(trx, networkId, round.alerts)));
  if (round.events.length > 0) await showPayments(trx, networkId);
  // A lane may have seen a receipt in a block that never was on this chain.
  await reopenSlots(trx, notCanonical, { network_id: networkId });
  await endRound(trx, networkId);
  return raised;
};

const notCanonical = `s.state = 'mined' AND EXISTS (SELECT 1 FROM block_headers h
  WHERE h.network_id = a.network_id AND h.number = s.block_number AND h.hash <> s.block_hash)`;

/** Shows payments as soon as a log reports them; they are judged at a confirmed block. */
const showPayments = async (trx: Knex.Transaction, networkId: string): Promise<void> => {
  const { rows } = await planned<{ rows: { id: string }[] }>(
    trx,
    `SELECT id FROM payments WHERE network_id = :network_id AND terminal_at IS NULL AND paid_block_number IS NOT NULL
       AND status <> 'processing'`,
    { network_id: networkId },
  );
  if (rows.length === 0) return;
  await detectPayments(
    trx,
    { ids: rows.map(({ id }) => id), paid: [] },
    `jsonb_build_object('transaction_hash', m.paid_tx_hash, 'block_number', m.paid_block_number,
      'block_hash', m.paid_block_hash)`,
  );
};

/** Stores the headers and moves the cursor, whose row the lease has locked. */
const storeBlocks = async (
  trx: Knex.Transaction,
  networkId: string,
  { headers, confirmedNumber }: WatchRound,
): Promise<void> => {
  const last = headers.at(-1);
  await planned(
    trx,
    `WITH stored AS (
       INSERT INTO block_headers (network_id, number, hash, parent_hash, timestamp)
       SELECT :network_id::uuid, h.number, h.hash, h.parent_hash, h.timestamp
       FROM unnest(:numbers::bigint[], :hashes::text[], :parents::text[], :timestamps::bigint[]) AS h (number, hash, parent_hash, timestamp)
     )
     UPDATE watch_cursors SET number = coalesce(:number, number), hash = coalesce(:hash, hash),
       confirmed_number = coalesce(:confirmed_number, confirmed_number), status = 'active', status_detail = NULL, updated_at = now()
     WHERE network_id = :network_id`,
    {
      network_id: networkId,
      numbers: headers.map(({ number }) => number),
      hashes: headers.map(({ hash }) => hash),
      parents: headers.map(({ parentHash }) => parentHash),
      timestamps: headers.map(({ timestamp }) => timestamp),
      number: last?.number ?? null,
      hash: last?.hash ?? null,
      confirmed_number: confirmedNumber,
    },
  );
};

/** Deletes the headers that no followed reorganisation reaches, and announces the round to the lanes. */
const endRound = async (trx: Knex.Transaction, networkId: string): Promise<void> => {
  await planned(
    trx,
    `WITH forgotten AS (
       DELETE FROM block_headers h USING networks n, watch_cursors c
       WHERE h.network_id = :network_id AND n.id = h.network_id AND c.network_id = h.network_id
         AND h.number < c.number - n.finality
     )
     SELECT pg_notify('carat_block', :network_id)`,
    { network_id: networkId },
  );
};

const passRestore = async (trx: Knex.Transaction, networkId: string): Promise<void> => {
  await trx('watch_cursors').where({ network_id: networkId }).update({ is_behind_restore: false });
};

const haltWatcher = async (trx: Knex.Transaction, networkId: string, detail: string): Promise<void> => {
  await trx.raw(`UPDATE watch_cursors SET status = 'halted', status_detail = :detail WHERE network_id = :network_id`, {
    network_id: networkId,
    detail,
  });
};
