import type { Knex } from 'knex';
import { LeaseLostError, type Lease } from '../../domain/ports/lease.ts';
import { planned } from './statements.ts';

/** The tables whose rows one run at a time can hold, with their key columns. */
const holders = {
  signer_accounts: { key: 'id', what: 'the lane of account' },
  watch_cursors: { key: 'network_id', what: 'the watcher of network' },
} as const;

export type LeaseTable = keyof typeof holders;

/** Takes the lease: increments the fence, which blocks writes of older holders. */
export const acquireLease = async (knex: Knex, table: LeaseTable, id: string): Promise<Lease> => {
  const { key, what } = holders[table];
  const { rows } = await knex.raw<{ rows: { fence: string }[] }>(
    `UPDATE ${table} SET fence = fence + 1, updated_at = now() WHERE ${key} = :id RETURNING fence`,
    { id },
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`No row exists for ${what} ${id}`);
  return { id, fence: BigInt(row.fence) };
};

/**
 * Runs `work` in a transaction that locks the lease's row, so that a newer holder starts writing only after it.
 * @throws LeaseLostError when a newer run has taken the lease
 */
export const underLease = <Result>(
  knex: Knex,
  table: LeaseTable,
  lease: Lease,
  work: (trx: Knex.Transaction) => Promise<Result>,
): Promise<Result> =>
  knex.transaction(async (trx) => {
    const { key, what } = holders[table];
    // NO KEY, so that rows that only refer to this one, as a new intent does to its account, need not wait.
    const { rows } = await planned<{ rows: unknown[] }>(
      trx,
      `SELECT 1 FROM ${table} WHERE ${key} = :id AND fence = :fence FOR NO KEY UPDATE`,
      { id: lease.id, fence: lease.fence.toString() },
    );
    if (rows.length === 0) throw new LeaseLostError(`${what} ${lease.id}`);
    return work(trx);
  });
