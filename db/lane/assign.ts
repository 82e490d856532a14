import type { Knex } from 'knex';
import { waitingStatuses } from '../../domain/payment.ts';
import type { QueuedIntent, Slot, SlotPlan } from '../../domain/ports/lane.ts';
import { wakeDiamonds, waitingStatus } from '../intents/waiting.ts';
import { planned, quoted } from '../query/statements.ts';

/**
 * Takes nonces from the account's row and freezes the call data of as many slots, in the caller's transaction. Intents that
 * were withdrawn after planning drop out before they cost a nonce. Locks payments before intents, each in the order of
 * their ids, like every transaction that touches both. Writes only payments that show a waiting reason.
 */
export const assignSlots = async (
  trx: Knex.Transaction,
  accountId: string,
  chainNonce: number,
  plans: readonly SlotPlan[],
): Promise<Slot[]> => {
  const wanted = plans.flatMap((plan) => plan.intents.map((intent) => intent.id));
  if (wanted.length === 0) return [];
  await planned(
    trx,
    // Reads payments by their intents, never all open payments.
    `SELECT p.id FROM payments p WHERE p.status IN (${quoted(waitingStatuses)}) AND p.status_detail IS NOT NULL
       AND p.id = ANY (ARRAY(SELECT i.payment_id FROM tx_intents i WHERE i.id = ANY(:wanted)))
     ORDER BY p.id FOR NO KEY UPDATE`,
    { wanted },
  );
  const { rows: locked } = await planned<{ rows: { id: string; waits_for: string | null }[] }>(
    trx,
    `SELECT id, CASE WHEN waiting IS NOT NULL THEN step_id END AS waits_for FROM tx_intents WHERE id = ANY(:wanted) AND account_id = :account_id AND state = 'queued'
     ORDER BY id FOR NO KEY UPDATE`,
    { wanted, account_id: accountId },
  );
  const queued = new Set(locked.map((row) => row.id));
  const filled = plans
    .map((plan) => ({ plan, intents: plan.intents.filter((intent) => queued.has(intent.id)) }))
    .filter(({ intents }) => intents.length > 0);
  if (filled.length === 0) return [];

  const { rows: accounts } = await planned<{ rows: { first_nonce: string }[] }>(
    trx,
    `UPDATE signer_accounts SET next_nonce = greatest(next_nonce, :chain_nonce::bigint) + :count, updated_at = now()
     WHERE id = :account_id RETURNING next_nonce - :count AS first_nonce`,
    { account_id: accountId, chain_nonce: chainNonce, count: filled.length },
  );
  const firstNonce = Number(accounts[0]?.first_nonce);

  const slots: Slot[] = [];
  for (const [index, { plan, intents }] of filled.entries()) {
    slots.push(await insertSlot(trx, accountId, firstNonce + index, plan, intents));
  }
  await wakeDiamonds(
    trx,
    locked.flatMap(({ waits_for }) => waits_for ?? []),
  );
  return slots;
};

const insertSlot = async (
  trx: Knex.Transaction,
  accountId: string,
  nonce: number,
  plan: SlotPlan,
  intents: readonly QueuedIntent[],
): Promise<Slot> => {
  const data = plan.encode(intents);
  const { rows } = await planned<{ rows: { id: string }[] }>(
    trx,
    `
WITH slot AS (
  INSERT INTO tx_slots (account_id, nonce, to_address, data, gas_limit)
  VALUES (:account_id, :nonce, :to_address, :data, :gas_limit) RETURNING id
), assigned AS (
  UPDATE tx_intents i SET state = 'assigned', slot_id = slot.id, assigned_at = clock_timestamp(), waiting = NULL
  FROM slot WHERE i.id = ANY(:intent_ids) RETURNING i.payment_id, i.purpose, i.step_id
), held AS (
  -- set here, not when the cut is queued: a cut that waits for funds or fees must not hold creates
  UPDATE diamonds d SET updating = true, updated_at = now()
  FROM assigned a JOIN deployment_steps s ON s.id = a.step_id JOIN deployments r ON r.id = s.deployment_id
  WHERE a.purpose = 'diamond_cut' AND d.wallet_id = r.wallet_id AND d.network_id = r.network_id
), shown AS (
  UPDATE payments p SET status_detail = NULL, updated_at = clock_timestamp() FROM assigned a
  WHERE p.id = a.payment_id AND p.status = ${waitingStatus('a')} AND p.status_detail IS NOT NULL
)
SELECT id FROM slot`,
    {
      account_id: accountId,
      nonce,
      to_address: plan.to,
      data: Buffer.from(data.slice(2), 'hex'),
      gas_limit: plan.gasLimit.toString(),
      intent_ids: intents.map((intent) => intent.id),
    },
  );
  const row = rows[0];
  if (row === undefined) throw new Error('The slot was not inserted');
  return {
    id: row.id,
    nonce,
    to: plan.to,
    data,
    value: 0n,
    gasLimit: plan.gasLimit,
    state: 'assigned',
    attempts: [],
    nudgedAt: null,
  };
};
