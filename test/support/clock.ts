import { mock } from 'node:test';
import { steadyClock } from '../../domain/tools/clock.ts';

const { now } = Date;
const running = performance.now.bind(performance);

/** Sets the clock of this process back by milliseconds, once; `mock.restoreAll` ends that. With 0 it goes on as it is. */
export const setBack = (ms: number): void => {
  if (ms > 0) mock.method(Date, 'now', () => now() - ms);
};

/** Longer than any test. */
const NEVER_MS = 3_600_000;

/** Timers of so many milliseconds and more do not end, as those of a product's timeouts; `mock.restoreAll` ends that. */
export const holdTimers = (leastMs: number): void => {
  const { setTimeout: begin } = globalThis;
  const held = (run: () => void, ms = 0, ...values: []): NodeJS.Timeout =>
    ms < leastMs ? begin(run, ms, ...values) : begin(run, NEVER_MS, ...values).unref();
  mock.method(globalThis, 'setTimeout', held);
};

/** Takes over the clock by which `chain/` and observers count intervals. The function lets milliseconds pass there; `mock.restoreAll` ends that. */
export const createChainClock = (): ((ms: number) => void) => {
  let passedMs = 0;
  mock.method(steadyClock, 'now', () => running() + passedMs);
  return (ms) => void (passedMs += ms);
};

/** Takes over `performance.now()` of this process. The function lets milliseconds pass without waiting; `mock.restoreAll` ends that. */
export const createPassing = (): ((ms: number) => void) => {
  let passedMs = 0;
  mock.method(performance, 'now', () => running() + passedMs);
  return (ms) => void (passedMs += ms);
};
