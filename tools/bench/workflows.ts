import { condition, defineSignal, setHandler } from '@temporalio/workflow';

export const doneSignal = defineSignal('done');

/** A minimal waiting workflow: started, signalled, ended. */
export const waitForSignal = async (): Promise<void> => {
  let done = false;
  setHandler(doneSignal, () => {
    done = true;
  });
  await condition(() => done);
};
