import { condition, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { DeploymentStep } from '../domain/deployment.ts';
import { advanceSignal, type DiamondInput } from './messages.ts';
import { createChainStep, createLocalStep } from './steps.ts';
import { timings } from './timing.ts';

/** One try of a step, as it ended. */
export interface StepRecord {
  readonly step: DeploymentStep;
  readonly step_id: string;
  readonly status: 'completed' | 'waiting' | 'failed';
  readonly detail: string | null;
  readonly at: string;
}

/**
 * Drains the deployments of one diamond, oldest first, step by step. A step that waits for the chain is run again when
 * a signal says that its transaction is confirmed, or after a while. A failed one ends its deployment until it is asked
 * for again.
 * @returns the steps that this run has finished
 */
export const diamond = async (input: DiamondInput): Promise<StepRecord[]> => {
  let advances = 0;
  setHandler(advanceSignal, () => {
    advances += 1;
  });

  const timing = timings[input.profile];
  const local = createLocalStep(timing);
  const onChain = createChainStep(timing);
  const finished: StepRecord[] = [];

  for (;;) {
    const seen = advances;
    const next = await local('nextStep', 'Which step is next', input.walletId, input.networkId);
    if (next === null) {
      if (advances === seen) return finished;
      continue;
    }
    const outcome = await onChain('runStep', `Deployment: ${next.key}`, input.walletId, input.networkId, next.id);
    const record = { step: next.key, step_id: next.id, ...outcome, at: new Date().toISOString() };
    setCurrentDetails([...finished, record].map(describe).join('\n'));
    if (outcome.status !== 'waiting') finished.push(record);
    else await condition(() => advances > seen, timing.advance);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof diamond>(input);
  }
};

const describe = ({ at, step, status, detail }: StepRecord): string =>
  `- ${at} ${step}: **${status}**${detail === null ? '' : ` (${detail})`}`;
