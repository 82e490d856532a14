import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { Client } from '@temporalio/client';
import { observerOf } from '../db/alerts/alerts.ts';
import type { connect } from '../db/connection.ts';
import { assertUnderstood, BelowFloorError } from '../db/level.ts';
import { type RunningProcess, recordLife, recordStop } from '../db/processes/processes.ts';
import { createPatience } from '../db/query/errors.ts';
import { queueAlive } from '../db/webhooks/operator.ts';
import type { CauseOf } from '../domain/alerts/condition.ts';
import type { Log } from '../domain/ports/log.ts';
import { CLOCK_WRONG_MS } from '../domain/tools/clock.ts';
import type { OutsideClock } from '../domain/tools/outside-clock.ts';
import { logOutcomes, pause, repeat } from '../domain/tools/repeat.ts';
import { measure } from '../runtime/measures.ts';
import type { Profile } from '../workflows/messages.ts';
import { askTemporal, TEMPORAL_MS } from './temporal-client.ts';
import { isSilence } from './temporal-errors.ts';

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

/** The process that gives signs of life, and its dependencies. */
export interface SignOfLifeDeps {
  readonly kind: RunningProcess['kind'];
  readonly knex: ReturnType<typeof connect>;
  readonly client: Client;
  readonly profile: Profile;
  /** Seconds between two `carat.alive` events to the operator's webhook; 0 sends none. */
  readonly aliveSeconds: number;
  /** Ends the process at once: the database has come to hold rows that only newer versions understand. */
  readonly onBelowFloor: (error: Error) => void;
  /** Clocks of servers elsewhere, if the process talks to any. */
  readonly outside?: OutsideClock;
  readonly log: Log;
}

/** Pause between two signs of life, in milliseconds. */
export const beatMs: Record<Profile, number> = { production: 5_000, test: 500 };

/** More pings by a process that was frozen, and the pause before each in milliseconds, because it has to reconnect first. */
const MORE_TRIES = 3;
const AGAIN_MS = 500;

/** The name of this process for operators: its id and its host. */
export const processName = (): string => `${process.pid}@${os.hostname()}`;

/**
 * Records signs of life of this process, and whether Temporal responds to it, until it is stopped. Also queues the
 * `carat.alive` events; of all processes, one queues each. Resolves after the first sign; nothing works before.
 * @throws BelowFloorError when a newer version has raised the floor before that
 */
export const giveSignsOfLife = async (deps: SignOfLifeDeps): Promise<{ stop(): Promise<void> }> => {
  const { kind, knex, client, profile, aliveSeconds, outside, onBelowFloor, log } = deps;
  const self = { id: randomUUID(), kind, name: processName() };
  const stopping = new AbortController();
  const { signal } = stopping;
  const compareClocks = watchClock(knex, self, log);
  const compareOutside = outside && watchOutsideClock(knex, self, { outside, log });

  /** The last sign, by the clock and by `performance.now()`: the clock may be set, and `performance.now()` stands still while a machine sleeps. */
  let last = { date: Date.now(), running: performance.now() };

  const responds = async (): Promise<boolean> => {
    const began = performance.now();
    const outcome = await askTemporal(client).then(
      () => 'responded' as const,
      (error: unknown) => (isSilence(error) ? ('late' as const) : ('refused' as const)),
    );
    // A response that comes too late has taken as long at least, while a refused connection says nothing about the time.
    const seconds = { responded: (performance.now() - began) / 1_000, late: TEMPORAL_MS / 1_000, refused: null };
    measure('ping', { seconds: seconds[outcome] });
    return outcome === 'responded';
  };

  /** Looks at the floor. A process below it no longer keeps contract steps waiting. */
  const assertAllowed = (): Promise<void> =>
    assertUnderstood(knex).catch(async (error: unknown) => {
      if (error instanceof BelowFloorError) await recordStop(knex, self.id).catch(() => undefined);
      throw error;
    });

  /** Pings Temporal beside a look at the floor, so that a process that was frozen while the floor rose ends at once. */
  const ping = async (): Promise<boolean> => (await Promise.all([responds(), assertAllowed()]))[0];

  /** Pings Temporal. A process that was frozen pings again, because its first ping timed out while it was frozen. */
  const isThere = async (): Promise<boolean> => {
    if (await ping()) return true;
    const silentMs = Math.max(Date.now() - last.date, performance.now() - last.running);
    const wasFrozen = silentMs > beatMs[profile] + 2 * TEMPORAL_MS;
    for (let tries = wasFrozen ? MORE_TRIES : 0; tries > 0 && !signal.aborted; tries -= 1) {
      await pause(AGAIN_MS, signal);
      if (await ping()) return true;
    }
    return false;
  };

  const beat = async (): Promise<void> => {
    const isTemporalThere = await isThere();
    const askedAt = Date.now();
    const databaseMs = await recordLife(knex, self, isTemporalThere);
    const endedAt = Date.now();
    last = { date: endedAt, running: performance.now() };
    // Behind the sign, because a contract step waits for processes that have given one.
    await assertAllowed();
    await compareClocks({ askedAt, databaseMs, endedAt });
    await compareOutside?.();
    if (aliveSeconds > 0) await queueAlive(knex, aliveSeconds);
  };

  const words = { works: 'Signs of life are recorded again', fails: 'Could not record a sign of life' };
  const { worked, failed } = logOutcomes(log, words);
  const failedOrEnds = (error: unknown): void => {
    if (!(error instanceof BelowFloorError)) return failed(error);
    stopping.abort();
    onBelowFloor(error);
  };
  const patiently = createPatience(log);
  await patiently(() => recordLife(knex, self, false));
  await patiently(assertAllowed);
  const living = repeat(beat, { signal, everyMs: beatMs[profile], worked, failed: failedOrEnds });

  return {
    stop: async () => {
      stopping.abort();
      await living;
      await recordStop(knex, self.id).catch(() => undefined);
    },
  };
};
