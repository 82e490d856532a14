import type { PaymentStatus } from '../../domain/payment.ts';
import type { Deed } from './play.ts';
import type { World } from './world.ts';

/** The answer to a merchant's request, with its time. */
export interface Answer {
  readonly command: 'cancel' | 'retry';
  readonly isAccepted: boolean;
  readonly at: Date;
}

interface LogRow {
  readonly event_type: string;
  readonly status: PaymentStatus;
  readonly created_at: Date;
}

const stepOf = { cancel: 'cancel_requested', retry: 'retry_requested' } as const;
const refusedIn = (command: Answer['command'], status: PaymentStatus): boolean =>
  command === 'retry' ? status !== 'pending' : !['pending', 'awaiting_payment', 'canceling'].includes(status);

/** Answers that the log contradicts: an accepted request must be in it, and a refused one must have come too late. */
export const answerProblems = async ({ product }: World, deeds: readonly Deed[]): Promise<string[]> => {
  const problems: string[] = [];
  for (const { payment, order, answers } of deeds) {
    if (payment === null || answers.length === 0) continue;
    const logs = await product.knex('payment_logs').where({ payment_id: payment.id }).select<LogRow[]>('*');
    for (const { command, isAccepted, at } of answers) {
      const isTrue = logs.some(
        ({ event_type, status, created_at }) =>
          created_at <= at && (isAccepted ? event_type === stepOf[command] : refusedIn(command, status)),
      );
      if (isTrue || (command === 'retry' && !isAccepted && order.method !== 'web3')) continue;
      problems.push(`${payment.id}: a ${command} was ${isAccepted ? 'accepted' : 'refused'} for no reason of the log`);
    }
  }
  return problems;
};
