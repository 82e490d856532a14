import type { NotifiedRun } from '../domain/ports/chain-run.ts';
import { LeaseLostError } from '../domain/ports/lease.ts';

/** Longest pause after failures, in milliseconds. */
export const LONGEST_PAUSE_MS = 5_000;

/** The pause after so many failures in a row. */
export const pauseAfter = (failures: number, tickMs: number): number =>
  Math.min(tickMs * 2 ** failures, LONGEST_PAUSE_MS);

/**
 * Repeats a look at the chain until the deadline, until it is aborted, or until another run takes the lease.
 * @param look returns the pause after it
 * @param recover returns the pause after a failed look, or throws what can not be waited out
 * @returns false when another run has taken the lease: this one has nothing left to do
 */
export const repeatUnderLease = async (
  { signal, heartbeat, notified, deadlineMs }: NotifiedRun,
  look: () => Promise<number>,
  recover: (error: unknown) => Promise<number>,
): Promise<boolean> => {
  try {
    while (!signal.aborted && Date.now() < deadlineMs) {
      heartbeat();
      const pause = await look().catch(recover);
      await notified.wait(Math.max(0, Math.min(pause, deadlineMs - Date.now())), signal);
    }
    return true;
  } catch (error) {
    if (error instanceof LeaseLostError) return false;
    throw error;
  }
};
