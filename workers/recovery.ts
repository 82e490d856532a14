import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { closeOfLost, lastCommand, raiseOfLost, type LostKind, type OnLost } from '../db/recovery/lost-workflows.ts';
import type { connect } from '../db/connection.ts';
import { startAgain } from '../db/recovery/start-again.ts';
import { signalAgain, type RunningWorkflow } from '../db/recovery/signal-again.ts';
import type { Log } from '../domain/ports/log.ts';
import { logAlerts, logOver } from '../domain/tools/alert-log.ts';
import { searchAttributes, workflowTypes } from '../workflows/messages.ts';

/** Temporal, and the database with the work that workflows follow. */
export interface RecoveryDeps {
  readonly client: Client;
  readonly taskQueue: string;
  readonly knex: ReturnType<typeof connect>;
  readonly log: Log;
}

/**
 * The recovery pass: compares unfinished work with the running workflows. It starts lost workflows again: Temporal has lost its
 * database, got an older one from a backup, or somebody terminated them. It signals running workflows that missed the end of their
 * work. Any finding raises an alert, because Temporal may have lost more than Carat can see.
 */
export const recoverWorkflows = async ({ client, taskQueue, knex, log }: RecoveryDeps): Promise<void> => {
  const { createPayment, cancelPayment, retrySend, diamond } = workflowTypes;
  const types = [createPayment, cancelPayment, retrySend, diamond].map((type) => `'${type}'`).join(', ');
  const query = `TaskQueue = '${taskQueue}' AND WorkflowType IN (${types}) AND ExecutionStatus = 'Running'`;
  const running: string[] = [];
  const { id: after, at: begun } = await lastCommand(knex);
  const raise =
    (kind: LostKind): OnLost =>
    async (trx, count) =>
      logAlerts({ log }, await raiseOfLost(trx, kind, count, after));
  let found = 0;
  for await (const page of listed(client, query)) {
    running.push(...page.map(({ workflowId }) => workflowId));
    found += await signalAgain(knex, page, raise('told_again'));
  }
  found += await startAgain(knex, running, begun, raise('started_again'));
  if (found === 0) logOver({ log }, await closeOfLost(knex, running, begun));
};

const PAGE = 1_000;
/** Timeout of one page in milliseconds; the whole list has none, because its length varies. */
const PAGE_MS = 10_000;

/** Lists the workflows of a query page by page, so that the payment ids of all are never in memory at once. */
async function* listed(client: Client, query: string): AsyncGenerator<RunningWorkflow[]> {
  const found = client.workflow.list({ query, pageSize: PAGE })[Symbol.asyncIterator]();
  for (let isOver = false; !isOver;) {
    const page: RunningWorkflow[] = [];
    while (!isOver && page.length < PAGE) {
      const next = await client.withDeadline(Date.now() + PAGE_MS, () => found.next());
      isOver = next.done === true;
      if (next.done !== true) page.push(toRunning(next.value));
    }
    yield page;
  }
}

const toRunning = ({ workflowId, typedSearchAttributes }: WorkflowExecutionInfo): RunningWorkflow => ({
  workflowId,
  paymentIds: typedSearchAttributes.get(searchAttributes.paymentIds) ?? [],
});
