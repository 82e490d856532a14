import type { Knex } from 'knex';
import { MISSED_BLOCKS } from '../../domain/catalogue/late-blocks.ts';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { awaitsBlocks, isCutOff, newestResponse } from '../processes/processes.ts';
import { insertAlerts, isNotOpen, runAlerts, toRaised } from './alerts.ts';

/** SQL: the newest of these times is older than `v.seconds`, or missing. */
const isOlder = (newest: string): string =>
  `coalesce((${newest}), '-infinity') < clock_timestamp() - make_interval(secs => v.seconds)`;

/** SQL: the newest sign of life of all workers. Includes stopped ones, because a restart replaces them in a moment. */
const newestBeat = `SELECT max(p.beat_at) FROM processes p WHERE p.kind = 'worker'`;

/** No worker is alive, and Temporal answers nobody. */
const silences = [
  { kind: 'workers_gone', words: 'No worker has shown a sign of life for ', newest: newestBeat },
  { kind: 'temporal_unreachable', words: 'Temporal has not answered for ', newest: newestResponse('v.seconds') },
].map(({ kind, words, newest }) =>
  insertAlerts({
    kind: `'${kind}'`,
    message: `'${words}' || v.seconds || ' seconds'`,
    data: `jsonb_build_object('seconds', v.seconds)`,
    from: `FROM (VALUES (:seconds::int)) AS v (seconds) WHERE ${isOlder(newest)} AND ${isNotOpen(`'${kind}'`)}`,
  }),
);

/**
 * A worker that Temporal does not answer, while it has answered another one within a third of the time: at the beginning of an outage, some
 * workers count as silent before others.
 */
const cutOff = insertAlerts({
  kind: `'temporal_unreachable'`,
  subject: 'w.name',
  message: `'Temporal has not answered the worker ' || w.name || ' for ' || v.seconds || ' seconds'`,
  data: `jsonb_build_object('process', w.name, 'seconds', v.seconds)`,
  from: `FROM (VALUES (:seconds::int)) AS v (seconds) JOIN processes w ON ${isCutOff('v.seconds')}
    WHERE (${newestResponse('v.seconds')}) > clock_timestamp() - make_interval(secs => v.seconds / 3.0)
      AND ${isNotOpen(`'temporal_unreachable'`, 'w.name')}`,
});

/** Lost blocks of a transaction from which on the chain counts as making no headway. */
const LOSSES = 3;

/** SQL on a network `n`: a transaction has waited for so many seconds, in which its blocks were reorganised away again and again. */
const losesBlocks = (seconds: string): string => {
  const since = `clock_timestamp() - make_interval(secs => ${seconds})`;
  return `EXISTS (SELECT 1 FROM tx_slots s JOIN signer_accounts own ON own.id = s.account_id
    WHERE own.network_id = n.id AND s.state <> 'confirmed' AND s.created_at <= ${since} AND (SELECT count(*) FROM tx_slot_logs g
      WHERE g.slot_id = s.id AND g.event_type = 'transaction_reorged' AND g.created_at > ${since}) >= ${LOSSES})`;
};

/**
 * SQL on a network `n` and its look `l`: something has waited for blocks for so many seconds, in which none has come, or none with the
 * transaction that waits has stayed.
 */
export const isStill = (seconds: string): string =>
  `(n.rested_at IS NULL AND (${awaitsBlocks('n', seconds)} AND l.risen_at < clock_timestamp() - make_interval(secs => ${seconds})
    OR ${losesBlocks(seconds)}))`;

const still = insertAlerts({
  kind: `'network_still'`,
  subject: 'n.id',
  network: 'n.id',
  message: `n.name || CASE WHEN ${losesBlocks('b.seconds')} THEN ' has reorganised away every block of a transaction for '
    ELSE ' has had no new block for ' END || b.seconds || ' seconds, and something waits for one'`,
  data: `jsonb_build_object('network', n.name, 'seconds', b.seconds, 'last_block', l.number)`,
  from: `FROM networks n JOIN network_looks l ON l.network_id = n.id
    CROSS JOIN LATERAL (SELECT greatest(:seconds::int, n.block_time_ms * ${MISSED_BLOCKS} / 1000) AS seconds) b
    WHERE ${isStill('b.seconds')} AND l.looked_at > clock_timestamp() - make_interval(secs => :seconds::int)
      AND ${isNotOpen(`'network_still'`, 'n.id')}`,
});

/**
 * Raises an alert when no worker has shown a sign of life for so many seconds, when Temporal has not answered any worker or one of them, and when a
 * network whose watcher is at work has produced no block that something waits for, or none that has stayed. Call it
 * only after watching for as long, because all signs are stale after an outage of the database.
 */
export const raiseOfSilence = async (knex: Knex, seconds: number): Promise<RaisedAlert[]> => {
  const raised: RaisedAlert[] = [];
  for (const statement of [...silences, cutOff, still])
    raised.push(...(await runAlerts(knex, statement, { seconds })).map(toRaised));
  return raised;
};
