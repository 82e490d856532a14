import type { Knex } from 'knex';
import type { WorkflowCommand } from '../../domain/ports/outbox.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { execute } from '../query/statements.ts';

/** A command and the id of its workflow. */
export interface CommandFor {
  readonly workflowId: string;
  readonly command: WorkflowCommand;
}

/** Stores commands that start or wake workflows, in the caller's transaction. Its commit wakes a dispatcher. */
export const insertCommands = async (trx: Knex, commands: readonly CommandFor[]): Promise<void> => {
  if (commands.length === 0) return;
  await execute(trx, {
    workflow_ids: commands.map(({ workflowId }) => workflowId),
    payment_ids: commands.map(({ command }) => command.search.payment_ids?.[0] ?? null) as string[],
    payloads: commands.map(({ command }) => JSON.stringify(command)),
  })(`
     WITH command AS (
       INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
       SELECT 'command', c.workflow_id, c.workflow_id, c.payment_id, c.payload::jsonb
       FROM unnest(:workflow_ids::text[], :payment_ids::uuid[], :payloads::text[]) AS c (workflow_id, payment_id, payload))
     SELECT pg_notify('carat_outbox', '')`);
};

/** Stores a command for a request that changed nothing, unless one for the workflow is undelivered. */
export const repeatCommand = async (trx: Knex, wanted: CommandFor): Promise<void> => {
  const waiting = await trx('outbox')
    .where({ workflow_id: wanted.workflowId, topic: 'command', delivered_at: null })
    .first<{ id: string } | undefined>('id');
  if (waiting === undefined) await insertCommands(trx, [wanted]);
};

/** The command that starts or wakes the workflow of a diamond. */
export const diamondCommand = (diamond: {
  readonly walletId: string;
  readonly networkId: string;
  readonly nodeId: string;
}): CommandFor => {
  const { walletId, networkId, nodeId } = diamond;
  return {
    workflowId: workflowIds.diamond(walletId, networkId),
    command: {
      type: 'diamond',
      input: { walletId, networkId },
      search: { wallet_ids: [walletId], node_ids: [nodeId], network_id: networkId },
    },
  };
};

/**
 * The start of a workflow whose payment has an offered deal is delayed: it has nothing to do before the buyer pays, so that many
 * payments share a workflow, and their first changes a signal. Processor time of an offered payment and of a created one, ms
 * (`npm run bench:payments`): see tools/bench/README.md.
 */
const SECONDS = 1;

/** SQL: the time from the creation of a payment to the start of its workflow, by its column `deal_mode`. */
export const startDelay = `CASE deal_mode WHEN 'offered' THEN interval '${SECONDS} second' ELSE interval '0' END`;

/** SQL: the time from which a change of a payment is signalled: not before its workflow may start. */
export const signalledFrom = (payment: string): string =>
  `CASE ${payment}.deal_mode WHEN 'offered' THEN greatest(clock_timestamp(), least(${payment}.created_at, clock_timestamp()) + interval '${SECONDS} second' - interval '50 milliseconds')
    ELSE clock_timestamp() END`;

/** A cancel or a retry, which a workflow beside `createPayment` carries out, and its input. */
interface Follower {
  readonly type: 'cancelPayment' | 'retrySend';
  readonly paymentId: string;
  /** Of the log entry that requests it. */
  readonly sequence: number;
  readonly nodeId: string;
  readonly walletId: string | null;
  readonly networkId: string;
}

/** The command that starts a follower. A repeated command is a no-op. */
export const followerCommand = (follower: Follower): CommandFor => {
  const { type, paymentId, sequence, nodeId, walletId, networkId } = follower;
  return {
    workflowId: workflowIds[type](paymentId, sequence),
    command: {
      type,
      input: { paymentId, sequence },
      search: {
        payment_ids: [paymentId],
        wallet_ids: walletId === null ? [] : [walletId],
        node_ids: [nodeId],
        network_id: networkId,
      },
    },
  };
};

/** Commands the workflow that the payment's newest log entry requests. It receives every later transition. */
export const addFollower = async (trx: Knex, paymentId: string, type: Follower['type']): Promise<void> => {
  const payment = await trx('payments').where({ id: paymentId }).first<Omit<Follower, 'type'> | undefined>({
    paymentId: 'id',
    sequence: 'sequence',
    nodeId: 'node_id',
    walletId: 'wallet_id',
    networkId: 'network_id',
  });
  if (payment === undefined) throw new Error(`There is no payment ${paymentId}`);
  const command = followerCommand({ ...payment, type });
  await trx('payment_followers').insert({ payment_id: paymentId, workflow_id: command.workflowId });
  await insertCommands(trx, [command]);
};
