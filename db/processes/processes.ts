import type { Knex } from 'knex';
import { LEVEL } from '../level.ts';
import { planned } from '../query/prepared.ts';

/** A running process. The id is new at each start. */
export interface RunningProcess {
  readonly id: string;
  readonly kind: 'api' | 'worker';
  /** Process id and host. */
  readonly name: string;
}

/**
 * Records a sign of life, and whether Temporal has just answered the process.
 * @returns the time of the database's clock, in milliseconds since the epoch
 */
export const recordLife = async (
  knex: Knex,
  { id, kind, name }: RunningProcess,
  isTemporalThere: boolean,
): Promise<number> => {
  const { rows } = await planned<{ rows: [{ beat_ms: number }] }>(
    knex,
    `INSERT INTO processes (id, kind, name, level, temporal_at)
     VALUES (:id, :kind, :name, :level, CASE WHEN :is_there THEN clock_timestamp() END)
     ON CONFLICT (id) DO UPDATE
       SET beat_at = clock_timestamp(), temporal_at = coalesce(excluded.temporal_at, processes.temporal_at)
     RETURNING (extract(epoch FROM beat_at) * 1000)::float8 AS beat_ms`,
    { id, kind, name, level: LEVEL, is_there: isTemporalThere },
  );
  return rows[0].beat_ms;
};

/** Records that the process was told to stop, so that its silence is no fault. */
export const recordStop = async (knex: Knex, id: string): Promise<void> => {
  await knex.raw('UPDATE processes SET stopped_at = clock_timestamp() WHERE id = :id', { id });
};

/** Seconds without a sign of life after which a process counts as gone, where no configuration says otherwise. */
export const GONE_SECONDS = 30;

/** SQL condition on a process: it was not told to stop, and has given a sign of life within so many seconds. */
export const isLiving = (alias: string, seconds: string): string =>
  `${alias}.stopped_at IS NULL AND ${alias}.beat_at > clock_timestamp() - make_interval(secs => ${seconds})`;

/** SQL of the newest response of Temporal: to the workers while one lives, because they do the work; else to the api processes. */
export const newestResponse = (seconds: string): string => `SELECT max(p.temporal_at) FROM processes p
  WHERE p.kind = CASE WHEN EXISTS (SELECT 1 FROM processes w WHERE w.kind = 'worker' AND ${isLiving('w', seconds)}) THEN 'worker' ELSE 'api' END`;

/**
 * SQL condition on process `w`: a worker that gives signs of life, and that Temporal has not answered for so long. A worker that has just
 * started has as long for its first answer.
 */
export const isCutOff = (seconds: string): string => `(w.kind = 'worker' AND ${isLiving('w', seconds)}
  AND coalesce(w.temporal_at, w.started_at) <= clock_timestamp() - make_interval(secs => ${seconds}))`;

/** Time for which killed processes are shown. */
export const KEPT = "interval '1 hour'";

/** Deletes processes that ended long ago. @returns false, because one statement deletes all of them */
export const forgetProcesses = async (knex: Knex): Promise<boolean> => {
  await knex.raw(`DELETE FROM processes WHERE beat_at < clock_timestamp() - ${KEPT}`);
  return false;
};

/**
 * SQL condition: a transaction, a payment or the cancel of an offered deal has waited for blocks of a network for so long.
 * @param alias of `networks`
 * @param seconds SQL
 */
export const awaitsBlocks = (alias: string, seconds = '0'): string => {
  const since = `clock_timestamp() - make_interval(secs => ${seconds})`;
  const payment = `SELECT 1 FROM payments p WHERE p.network_id = ${alias}.id`;
  return `(EXISTS (SELECT 1 FROM tx_slots s JOIN signer_accounts own ON own.id = s.account_id
      WHERE own.network_id = ${alias}.id AND s.state <> 'confirmed' AND s.state <> 'assigned' AND s.created_at <= ${since})
    OR EXISTS (${payment} AND p.status = 'processing' AND p.updated_at <= ${since})
    OR EXISTS (${payment} AND p.deal_mode = 'offered' AND p.status = 'canceling' AND p.cancel_requested_at <= ${since}))`;
};

/** Seconds between two looks after which nobody knows whether the chain stood still: its blocks are awaited anew. */
const LONGEST_BLINK = 20;

/** Records that the watcher of a network is at the head of its chain, which is this block. */
export const recordLook = async (knex: Knex, networkId: string, number: number | null): Promise<void> => {
  await knex.raw(
    `INSERT INTO network_looks (network_id, number, looked_at, risen_at)
     VALUES (:network_id, :number, clock_timestamp(), clock_timestamp())
     ON CONFLICT (network_id) DO UPDATE SET number = excluded.number, looked_at = excluded.looked_at,
       risen_at = CASE WHEN network_looks.number IS DISTINCT FROM excluded.number
         OR network_looks.looked_at < excluded.looked_at - make_interval(secs => :blink) THEN excluded.risen_at ELSE network_looks.risen_at END`,
    { network_id: networkId, number, blink: LONGEST_BLINK },
  );
};
