import { observerOf } from '../db/alerts/observer.ts';
import type { connect } from '../db/connection.ts';
import type { RunningProcess } from '../db/processes/processes.ts';
import type { CauseOf } from '../domain/alerts/condition.ts';
import type { Log } from '../domain/ports/log.ts';
import { CLOCK_WRONG_MS } from '../domain/tools/clock.ts';
import type { OutsideClock } from '../domain/tools/outside-clock.ts';
import { measure } from '../runtime/measures.ts';

/** A reading of the database's clock, in milliseconds since the epoch, between two readings of this process's. */
export interface ClockReading {
  readonly askedAt: number;
  readonly databaseMs: number;
  readonly endedAt: number;
}

type Process = Pick<RunningProcess, 'kind' | 'name'>;

/** Raises and closes the alert about a clock, one for each clock that it is compared with. */
const createClockAlerts = (
  knex: ReturnType<typeof connect>,
  { kind, name }: Process,
  log: Log,
  than: string,
  cause?: CauseOf<'clock_wrong'>,
) => {
  const observed = observerOf(knex, log);
  const looked = { kind: 'clock_wrong', subject: name, cause: cause ?? '' } as const;
  return async (isNow: boolean, aheadMs: number, more: Record<string, unknown> = {}): Promise<void> => {
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    const message = `The clock of the ${kind} ${name} is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} ${than}`;
    const data = { process: name, kind, seconds_ahead: Math.round(aheadMs / 1_000), ...more };
    const alert = { kind: looked.kind, subject: name, ...(cause === undefined ? {} : { cause }), message, data };
    await observed(looked, isNow ? [alert] : []);
  };
};

/** Compares the clock of a process with the database's, and tells the operator while one of them is wrong. */
export const watchClock = (
  knex: ReturnType<typeof connect>,
  self: Process,
  log: Log,
): ((reading: ClockReading) => Promise<void>) => {
  const tell = createClockAlerts(knex, self, log, "the database's");
  return async ({ askedAt, databaseMs, endedAt }) => {
    const aheadMs = (askedAt + endedAt) / 2 - databaseMs;
    measure('clock', { aheadMs });
    // The clock may be set between the two readings.
    await tell(Math.abs(aheadMs) - Math.abs(endedAt - askedAt) / 2 >= CLOCK_WRONG_MS, aheadMs);
  };
};

/**
 * Compares the clock of a process with those of servers elsewhere: where one machine has all processes and the database, nothing here
 * differs from a wrong clock.
 */
export const watchOutsideClock = (
  knex: ReturnType<typeof connect>,
  self: Process,
  { outside, log }: { readonly outside: Pick<OutsideClock, 'compare'>; readonly log: Log },
): (() => Promise<void>) => {
  const tell = createClockAlerts(knex, self, log, 'those of most RPC endpoints', 'outside');
  return async () => {
    const found = outside.compare();
    measure('outsideClock', { aheadMs: found?.aheadMs ?? null });
    if (found === null) return;
    const { aheadMs, servers } = found;
    await tell(Math.abs(aheadMs) >= CLOCK_WRONG_MS, aheadMs, { servers });
  };
};
