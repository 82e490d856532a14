import type { Failpoint } from '../domain/ports/failpoint.ts';
import type { Log } from '../domain/ports/log.ts';

/** Milliseconds for an activity's result to reach the server before the process is killed. */
const REPORT_MS = 150;

/**
 * Kills this process at a named boundary, for tests of recovery.
 * @param spec `point`, or `point:n` for the n-th pass; undefined disables it
 * @throws Error when the spec names no point
 */
export const createFailpoint = (spec: string | undefined, log: Log): Failpoint => {
  if (spec === undefined || spec === '') return () => undefined;
  const [, point, nth = '1'] = /^(.+?)(?::(\d+))?$/.exec(spec) ?? [];
  if (point === undefined) throw new Error('A failpoint is point or point:n');
  let passes = 0;
  const kill = (): void => {
    log.warn('Killed at a failpoint', { point });
    process.kill(process.pid, 'SIGKILL');
  };
  return (name, when = 'now') => {
    if (name !== point) return;
    passes += 1;
    if (passes !== Number(nth)) return;
    if (when === 'now') kill();
    else setTimeout(kill, REPORT_MS);
  };
};
