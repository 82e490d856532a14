import { condition, defineSignal, setHandler } from '@temporalio/workflow';

export const doneSignal = defineSignal('done');

/** The least a workflow that waits for something can be: started, signalled, ended. */
export const waitForSignal = async (): Promise<void> => {
  let done = false;
  setHandler(doneSignal, () => {
    done = true;
  });
  await condition(() => done);
};
