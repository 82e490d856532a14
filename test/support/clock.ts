import { mock } from 'node:test';

const { now } = Date;

/** Sets the clock of this process back by milliseconds, once; `mock.restoreAll` ends that. With 0 it goes on as it is. */
export const setBack = (ms: number): void => {
  if (ms > 0) mock.method(Date, 'now', () => now() - ms);
};
