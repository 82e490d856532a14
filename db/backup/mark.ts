import type { Knex } from 'knex';
import { isAtWork } from '../intents/at-work.ts';

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
  const { rows } = await trx.raw<{ rows: [Mark] }>(
    `INSERT INTO restores (backup_id, state_of)
     VALUES (:backup_id::uuid, coalesce(:state_of::timestamptz, (SELECT max(beat_at) FROM processes))) RETURNING *`,
    { backup_id: backupId, state_of: stateOf },
  );
  return rows[0];
};

/** The newest mark; undefined in a database that was never restored, or has no schema yet. */
export const newestMark = async (knex: Knex): Promise<Mark | undefined> => {
  const { rows: tables } = await knex.raw<{ rows: [{ there: boolean }] }>(
    `SELECT to_regclass('restores') IS NOT NULL AS there`,
  );
  return tables[0].there ? knex<Mark>('restores').orderBy('marked_at', 'desc').first() : undefined;
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
export const lanesToCount = async (knex: Knex): Promise<LaneToCount[]> => {
  const { rows } = await knex.raw<{ rows: LaneToCount[] }>(
    `SELECT a.id AS "accountId", a.network_id AS "networkId", a.address, a.role, a.next_nonce::float8 AS "nextNonce",
       least(greatest(c.number - n.confirmations, 0), (SELECT min(l.from_block) FROM restored_lanes l
         WHERE l.account_id = a.id AND l.outcome = 'superseded' AND NOT EXISTS (SELECT 1 FROM restored_lanes judged
           WHERE judged.account_id = a.id AND judged.outcome <> 'superseded' AND judged.restore_id > l.restore_id)))::float8 AS "fromBlock"
     FROM signer_accounts a JOIN networks n ON n.id = a.network_id JOIN watch_cursors c ON c.network_id = n.id AND c.number IS NOT NULL
     WHERE a.role <> 'signer' AND ${isAtWork} ORDER BY n.name, a.role, a.address`,
  );
  return rows;
};

/** Stores a lane's count, up to which it may go on by itself once. */
export const recordCount = async (
  knex: Knex,
  restoreId: string,
  { accountId, fromBlock }: Pick<LaneToCount, 'accountId' | 'fromBlock'>,
  nonce: number,
): Promise<void> => {
  await knex.raw(
    `INSERT INTO restored_lanes (restore_id, account_id, nonce, from_block) VALUES (:restore_id, :account_id, :nonce, :from_block)
     ON CONFLICT (restore_id, account_id) DO NOTHING`,
    { restore_id: restoreId, account_id: accountId, nonce, from_block: fromBlock },
  );
};

/** Ends the marking: the processes may start. */
export const endCounting = async (knex: Knex, restoreId: string): Promise<void> => {
  await knex.raw('UPDATE restores SET counted_at = clock_timestamp() WHERE id = :id AND counted_at IS NULL', {
    id: restoreId,
  });
};
