import type { NotifiedRun } from '../domain/ports/chain-run.ts';
import { LeaseLostError } from '../domain/ports/lease.ts';
import { steadyClock } from '../domain/tools/clock.ts';

/** Maximum backoff in milliseconds. */
export const LONGEST_PAUSE_MS = 5_000;

/** Exponential backoff in milliseconds after so many failures in a row. */
export const backoffAfter = (failures: number, tickMs: number): number =>
  Math.min(tickMs * 2 ** failures, LONGEST_PAUSE_MS);

/**
 * Repeats a step until the deadline, until it is aborted, or until another run takes the lease.
 * @param look the step; returns the pause after it, in milliseconds
 * @param recover returns the pause after a failed step, or throws an error that no retry helps against
 * @returns false when another run has taken the lease and this one must end
 */
export const repeatUnderLease = async (
  { signal, heartbeat, notified, deadlineMs }: NotifiedRun,
  look: () => Promise<number>,
  recover: (error: unknown) => Promise<number>,
): Promise<boolean> => {
  try {
    while (!signal.aborted && steadyClock.now() < deadlineMs) {
      heartbeat();
      const pause = await look().catch(recover);
      await notified.wait(Math.max(0, Math.min(pause, deadlineMs - steadyClock.now())), signal);
    }
    return true;
  } catch (error) {
    if (error instanceof LeaseLostError) return false;
    throw error;
  }
};
