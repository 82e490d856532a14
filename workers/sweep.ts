import type { Client } from '@temporalio/client';
import type { connect } from '../db/connection.ts';
import { startAgain } from '../db/outbox/start-again.ts';
import { tellAgain, type RunningWorkflow } from '../db/outbox/tell-again.ts';
import type { Log } from '../domain/ports/log.ts';
import { searchAttributes, workflowTypes } from '../workflows/messages.ts';

/** Where workflows run, and where is written what they follow. */
export interface SweepDeps {
  readonly client: Client;
  readonly taskQueue: string;
  readonly knex: ReturnType<typeof connect>;
  readonly log: Log;
}

/**
 * Compares what has not ended with the workflows that run, and starts those again that Temporal has lost: with its
 * database, by a backup that was older, or because somebody ended them by hand. Those that run and have missed the end are told.
 */
export const sweep = async ({ client, taskQueue, knex, log }: SweepDeps): Promise<void> => {
  const { createPayment, cancelPayment, retrySend, diamond } = workflowTypes;
  const types = [createPayment, cancelPayment, retrySend, diamond].map((type) => `'${type}'`).join(', ');
  const query = `TaskQueue = '${taskQueue}' AND WorkflowType IN (${types}) AND ExecutionStatus = 'Running'`;
  const running: RunningWorkflow[] = [];
  for await (const { workflowId, typedSearchAttributes } of client.workflow.list({ query, pageSize: 1_000 })) {
    running.push({ workflowId, paymentIds: typedSearchAttributes.get(searchAttributes.paymentIds) ?? [] });
  }
  const commands = await startAgain(
    knex,
    running.map(({ workflowId }) => workflowId),
  );
  if (commands > 0) log.warn('Temporal has lost workflows, they are started again', { commands });
  const told = await tellAgain(knex, running);
  if (told > 0) log.warn('Temporal has lost signals, they are sent again', { workflows: told });
};
