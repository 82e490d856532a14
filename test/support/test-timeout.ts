/** Sets the timeout of all tests and hooks of a file, in milliseconds, as `jest.setTimeout` does. */
export const setTestTimeout = (ms: number): void => {
  Object.assign(globalThis, { [TEST_TIMEOUT]: ms });
};

/** Jest-circus reads the timeout of a file here when its tests begin. */
export const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
