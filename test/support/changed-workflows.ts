import { condition, sleep } from '@temporalio/workflow';

/*
 * Workflows as a careless release would change them: the same names, other commands. Replay has to refuse them.
 */

/** Waits before it does anything, which the recorded histories know nothing of. */
export const createPayment = async (): Promise<void> => {
  await sleep(1_000);
  await condition(() => false);
};
