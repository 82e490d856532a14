import type { Knex } from 'knex';
import type { WaitingDetail } from '../../domain/payment.ts';
import { mayReplace, writeDetails } from '../intents/waiting.ts';
import { showOfSent, type Part } from '../lane/waiting.ts';

const reason: WaitingDetail = 'network_unreachable';

/**
 * Shows on everything that waits for the chain alone whether it is unreachable: transactions that were sent, and cancels of offered
 * deals that need none. A payment whose transaction is still to be sent shows the reason of its lane.
 * @param part runs one part in a transaction
 */
export const showUnreachable = async (
  knex: Knex,
  networkId: string,
  isUnreachable: boolean,
  part: Part,
): Promise<void> => {
  const bindings = { network_id: networkId };
  await showOfSent(part, { which: 'a.network_id = :network_id', bindings, reason, holds: isUnreachable });
  await writeDetails(knex, {
    from: `FROM payments p WHERE p.network_id = :network_id AND p.deal_mode = 'offered' AND p.status = 'canceling'
      AND ${isUnreachable ? mayReplace('p.status_detail', `'${reason}'`) : `p.status_detail = '${reason}'`}
      AND NOT EXISTS (SELECT 1 FROM tx_intents i WHERE i.payment_id = p.id AND i.state IN ('queued', 'assigned'))`,
    detail: isUnreachable ? `'${reason}'` : 'NULL::text',
    bindings,
  });
};
