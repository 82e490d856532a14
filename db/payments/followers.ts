import type { Knex } from 'knex';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { insertCommands, type CommandFor } from '../outbox/commands.ts';

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
