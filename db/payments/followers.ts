import type { Knex } from 'knex';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { insertCommands, type CommandFor } from '../outbox/commands.ts';

/** A workflow that follows a payment, and what it is started with. */
interface Follower {
  readonly type: 'cancelPayment' | 'retrySend';
  readonly paymentId: string;
  /** Of the log entry that asks for it. */
  readonly sequence: number;
  readonly nodeId: string;
  readonly walletId: string | null;
  readonly networkId: string;
}

/** What starts a follower; one that has been started is not started again. */
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

/** Lets a workflow do what the payment's newest log entry asks for, and hear of every transition after it. */
export const addFollower = async (trx: Knex, paymentId: string, type: Follower['type']): Promise<void> => {
  const { rows } = await trx.raw<{ rows: Follower[] }>(
    `SELECT id AS "paymentId", sequence, node_id AS "nodeId", wallet_id AS "walletId", network_id AS "networkId"
     FROM payments WHERE id = :payment_id`,
    { payment_id: paymentId },
  );
  const [payment] = rows;
  if (payment === undefined) throw new Error(`There is no payment ${paymentId}`);
  const workflowId = workflowIds[type](paymentId, payment.sequence);
  await trx('payment_followers').insert({ payment_id: paymentId, workflow_id: workflowId });
  await insertCommands(trx, [followerCommand({ ...payment, type })]);
};
