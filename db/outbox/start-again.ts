import type { Knex } from 'knex';
import { openStatuses } from '../../domain/payment.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { commandFollower } from '../payments/followers.ts';
import { insertDiamondCommand } from './commands.ts';

const method = `CASE p.payment_method WHEN 'web3' THEN 'web3' ELSE 'offchain' END`;

/**
 * SQL over the commands `outbox o` of one workflow: one that was started a moment ago may not be listed yet; one that is listed
 * never is asked for less and less often.
 */
const givenLately = `HAVING bool_or(o.delivered_at IS NULL)
  OR max(o.delivered_at) > clock_timestamp() - interval '10 seconds' * power(4, least(count(*), 10) - 1)`;

/**
 * Commands anew what has not ended and no workflow follows any more: open payments, as far as their start was delivered,
 * their cancels and retries, and deployments under way. A command too many does nothing, as all of them may be repeated.
 * @param running ids of the workflows that run
 * @returns how many commands it has written
 */
export const startAgain = (knex: Knex, running: readonly string[]): Promise<number> =>
  knex.transaction(async (trx) => {
    // One process at a time, else each would command the same.
    await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat start again'))`);
    const { rowCount: payments } = await trx.raw<{ rowCount: number }>(
      `
INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
SELECT 'create_payment', p.network_id || ':' || ${method}, p.workflow_id, p.id,
  jsonb_build_object('payment_id', p.id, 'node_id', p.node_id, 'wallet_id', p.wallet_id, 'network_id', p.network_id,
    'method', ${method}, 'expires_at', to_char(p.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
FROM payments p
WHERE p.status = ANY(:open) AND p.workflow_id <> ALL(:running)
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = p.id AND o.topic = 'create_payment' ${givenLately})
ORDER BY p.id`,
      { open: openStatuses, running },
    );
    const { rows: diamonds } = await trx.raw<{ rows: Parameters<typeof insertDiamondCommand>[1][] }>(
      `
SELECT lost.wallet_id AS "walletId", lost.network_id AS "networkId", lost.node_id AS "nodeId"
FROM (SELECT DISTINCT format(:id, d.wallet_id, d.network_id) AS id, d.wallet_id, d.network_id, w.node_id
  FROM deployments d JOIN wallets w ON w.id = d.wallet_id WHERE d.status = 'started') lost
WHERE lost.id <> ALL(:running)
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.workflow_id = lost.id AND o.delivered_at IS NULL)`,
      { id: workflowIds.diamond('%s', '%s'), running },
    );
    for (const diamond of diamonds) await insertDiamondCommand(trx, diamond);
    const followers = await lostFollowers(trx, running);
    for (const follower of followers) await commandFollower(trx, follower);
    return payments + diamonds.length + followers.length;
  });

/** Workflows that are to see to a cancel or a retry of an open payment and do not run. */
const lostFollowers = async (
  trx: Knex,
  running: readonly string[],
): Promise<Parameters<typeof commandFollower>[1][]> => {
  const { rows } = await trx.raw<{ rows: Parameters<typeof commandFollower>[1][] }>(
    `
SELECT f.type, p.id AS "paymentId", f.sequence, p.node_id AS "nodeId", p.wallet_id AS "walletId", p.network_id AS "networkId"
FROM (SELECT payment_id, workflow_id, split_part(workflow_id, '/', 4)::integer AS sequence,
    CASE split_part(workflow_id, '/', 3) WHEN 'cancel' THEN 'cancelPayment' ELSE 'retrySend' END AS type
  FROM payment_followers) f
JOIN payments p ON p.id = f.payment_id
-- a retry has come to its end when the payment is pending no more
WHERE p.status = ANY(:open) AND (f.type <> 'retrySend' OR p.status = 'pending') AND f.workflow_id <> ALL(:running)
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payment_id = p.id AND o.topic = 'command' AND o.workflow_id = f.workflow_id
    ${givenLately})
ORDER BY p.id`,
    { open: openStatuses, running },
  );
  return rows;
};
