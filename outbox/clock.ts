import { endCondition, raiseAlerts } from '../db/alerts/alerts.ts';
import type { connect } from '../db/connection.ts';
import type { RunningProcess } from '../db/processes/processes.ts';
import type { Log } from '../domain/ports/log.ts';
import { logAlerts, logOver } from '../domain/tools/alert-log.ts';
import { CLOCK_WRONG_MS } from '../domain/tools/clock.ts';
import { measure } from '../measures.ts';

/** A reading of the database's clock, in milliseconds since the epoch, between two readings of this process's. */
export interface ClockReading {
  readonly askedAt: number;
  readonly databaseMs: number;
  readonly endedAt: number;
}

/** Compares the clock of a process with the database's, and tells the operator while one of them is wrong. */
export const watchClock = (
  knex: ReturnType<typeof connect>,
  { kind, name }: Pick<RunningProcess, 'kind' | 'name'>,
  log: Log,
): ((reading: ClockReading) => Promise<void>) => {
  const key = `clock_wrong:${name}`;
  /** Null before the first reading: an earlier process of this name may have left its alert open. */
  let isWrong: boolean | null = null;
  return async ({ askedAt, databaseMs, endedAt }) => {
    const aheadMs = (askedAt + endedAt) / 2 - databaseMs;
    measure('clock', { aheadMs });
    const isNow = Math.abs(aheadMs) - (endedAt - askedAt) / 2 >= CLOCK_WRONG_MS;
    // Raised again at each reading, since an alert is closed when its process was silent, or by a person.
    if (!isNow && isWrong === false) return;
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    const message = `The clock of the ${kind} ${name} is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
    const data = { process: name, kind, seconds_ahead: Math.round(aheadMs / 1_000) };
    if (isNow) logAlerts({ log }, await raiseAlerts(knex, null, [{ key, kind: 'clock_wrong', message, data }]));
    else logOver({ log }, await endCondition(knex, key));
    isWrong = isNow;
  };
};
