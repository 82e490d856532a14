import type { Knex } from 'knex';
import { isAtWork, isBehindRestore } from '../intents/conditions.ts';
import { execute, rowOf, rowsOf } from '../query/statements.ts';

/** A mark: this database was restored, and the chains went on meanwhile. */
export interface Mark {
  readonly id: string;
  /** Null for a restore by other means than `carat restore`. */
  readonly backup_id: string | null;
  /** When the restored state was current; null while unknown. */
  readonly state_of: Date | null;
  readonly marked_at: Date;
  /** When the transactions of the lanes were counted; null while not all of them are. */
  readonly counted_at: Date | null;
}

/**
 * Marks the database as restored, in the caller's transaction. Ends the leave of an earlier mark. Offers that were revealed in the
 * lost time count from here on (`distrustRecord`), and no payment counts as never sent before the lost blocks were read.
 * @param stateOf when the restored state was current; by default, the newest sign of life of a process
 */
export const markRestored = async (
  trx: Knex.Transaction,
  { backupId, stateOf }: { readonly backupId: string | null; readonly stateOf: string | null },
): Promise<Mark> => {
  await trx.raw(`UPDATE restored_lanes SET outcome = 'superseded', ended_at = clock_timestamp() WHERE outcome IS NULL`);
  await trx.raw('UPDATE offer_windows SET database = NULL');
  await trx.raw('UPDATE watch_cursors SET is_behind_restore = true');
  // By a clock that was ahead: the watchers would wait until then.
  await trx.raw('UPDATE restores SET marked_at = clock_timestamp() WHERE marked_at > clock_timestamp()');
  return rowOf<Mark>(trx, { backup_id: backupId, state_of: stateOf })(`INSERT INTO restores (backup_id, state_of)
     VALUES (:backup_id::uuid, coalesce(:state_of::timestamptz, (SELECT max(beat_at) FROM processes))) RETURNING *`);
};

/** The newest mark; undefined in a database that was never restored, or has no schema yet. */
export const newestMark = async (knex: Knex): Promise<Mark | undefined> => {
  const { there } = await rowOf<{ there: boolean }>(knex)(`SELECT to_regclass('restores') IS NOT NULL AS there`);
  return there ? knex<Mark>('restores').orderBy('marked_at', 'desc').first() : undefined;
};

/** A lane whose transactions are counted. */
export interface LaneToCount {
  readonly accountId: string;
  readonly networkId: string;
  readonly address: string;
  readonly role: string;
  /** The lane's next nonce in this database. */
  readonly nextNonce: number;
  /** The first block that may contain a transaction that the database does not know. */
  readonly fromBlock: number;
}

/**
 * The lanes of all networks that have a block. One that an earlier mark left unjudged begins where it would have begun then: the watcher
 * has gone on since.
 */
export const lanesToCount = (knex: Knex): Promise<LaneToCount[]> =>
  rowsOf<LaneToCount>(knex)(`
     SELECT a.id AS "accountId", a.network_id AS "networkId", a.address, a.role, a.next_nonce::float8 AS "nextNonce",
       least(greatest(c.number - n.confirmations, 0), (SELECT min(l.from_block) FROM restored_lanes l
         WHERE l.account_id = a.id AND l.outcome = 'superseded' AND NOT EXISTS (SELECT 1 FROM restored_lanes judged
           WHERE judged.account_id = a.id AND judged.outcome <> 'superseded' AND judged.restore_id > l.restore_id)))::float8 AS "fromBlock"
     FROM signer_accounts a JOIN networks n ON n.id = a.network_id JOIN watch_cursors c ON c.network_id = n.id AND c.number IS NOT NULL
     WHERE a.role <> 'signer' AND ${isAtWork} ORDER BY n.name, a.role, a.address`);

/** Stores a lane's count, up to which it may go on by itself once. */
export const recordCount = async (
  knex: Knex,
  restoreId: string,
  { accountId, fromBlock }: Pick<LaneToCount, 'accountId' | 'fromBlock'>,
  nonce: number,
): Promise<void> => {
  await execute(knex, { restore_id: restoreId, account_id: accountId, nonce, from_block: fromBlock })(`
     INSERT INTO restored_lanes (restore_id, account_id, nonce, from_block) VALUES (:restore_id, :account_id, :nonce, :from_block)
     ON CONFLICT (restore_id, account_id) DO NOTHING`);
};

/** Ends the marking: the processes may start. */
export const endCounting = async (knex: Knex, restoreId: string): Promise<void> => {
  await execute(knex, { id: restoreId })(
    'UPDATE restores SET counted_at = clock_timestamp() WHERE id = :id AND counted_at IS NULL',
  );
};

/** A lane of a restored database. */
export interface MarkedLane {
  readonly network: string;
  readonly role: string;
  readonly address: string;
  /** Next nonce that the quorum counted at the mark. */
  readonly nonce: number;
  /** Null while the lane has not been judged. */
  readonly outcome: 'unneeded' | 'resumed' | 'paused' | 'superseded' | null;
}

/** A deal on one of our diamonds that no payment of the restored database has. */
export interface LostDeal {
  readonly node: string;
  readonly network: string;
  readonly wallet_id: string;
  readonly diamond: string;
  readonly deal_id: string;
  /** The transactions that show it, oldest first: `created`, `paid`, `cancelled` or `conflict`. */
  readonly events: readonly { readonly event: string; readonly transaction_hash: string | null }[];
}

/** The losses of a restore, as far as they are known by now. */
export interface Losses {
  readonly lanes: readonly MarkedLane[];
  readonly deals: readonly LostDeal[];
  /** Networks whose watcher has yet to read blocks of the lost time: more deals may become known, and cancels wait. */
  readonly networks_behind: readonly string[];
  /** Until then, buyers may pay by offers that they got in the lost time. */
  readonly offers_until: Date;
}

/**
 * Reads the outcomes of the lanes, and the deals unknown to the database.
 * @param node name of a node; null for all
 */
export const lossesOf = async (knex: Knex, mark: Mark, node: string | null): Promise<Losses> => {
  const lanes = await rowsOf<MarkedLane>(knex, { id: mark.id })(`
     SELECT n.name AS network, a.role, a.address, l.nonce::float8 AS nonce, l.outcome
     FROM restored_lanes l JOIN signer_accounts a ON a.id = l.account_id JOIN networks n ON n.id = a.network_id
     WHERE l.restore_id = :id ORDER BY n.name, a.role, a.address`);
  const deals = await rowsOf<LostDeal>(knex, { marked_at: mark.marked_at, node })(`
     SELECT o.name AS node, n.name AS network, d.wallet_id, d.address AS diamond, a.data ->> 'deal_id' AS deal_id,
       jsonb_agg(jsonb_build_object('event', coalesce(a.data ->> 'event', '-'), 'transaction_hash', a.data ->> 'transaction_hash') ORDER BY a.created_at) AS events
     FROM alerts a JOIN diamonds d ON d.network_id = a.network_id AND d.address = a.data ->> 'diamond'
     JOIN networks n ON n.id = a.network_id JOIN wallets w ON w.id = d.wallet_id JOIN nodes o ON o.id = w.node_id
     WHERE a.kind = 'deal_unknown' AND a.created_at >= :marked_at AND (:node::text IS NULL OR o.name = :node)
     GROUP BY o.name, n.name, d.wallet_id, d.address, a.data ->> 'deal_id' ORDER BY min(a.created_at)`);
  const { until } = await rowOf<{ until: Date }>(knex, { marked_at: mark.marked_at })(
    `SELECT :marked_at::timestamptz + make_interval(secs => 2 * longest) AS until FROM offer_windows`,
  );
  const behind = await rowsOf<{ name: string }>(knex)(
    `SELECT n.name FROM networks n WHERE n.rested_at IS NULL AND ${isBehindRestore('n.id')} ORDER BY n.name`,
  );
  return { lanes, deals, networks_behind: behind.map(({ name }) => name), offers_until: until };
};
