import type { Knex } from 'knex';
import type { RequestedCall, StepCall } from '../../domain/ports/deployment.ts';
import { execute, rowsOf } from '../query/statements.ts';

/** One try of a deployment step. */
interface StepTry {
  readonly id: string;
  readonly generation: number;
}

/** Prefix of the keys under which each call of one try exists once. The call's name follows. */
const stepPrefix = ({ id, generation }: StepTry): string => `step:${id}:g${generation}:`;

/** SQL condition on `deployment_steps`: this try of the step is not over. */
export const isLiveTry = `id = :step_id AND generation = :generation AND status IN ('started', 'pending')`;

/** The calls of one try, oldest first, each with its state and the transaction that carries it. */
export const requestedCalls = async (knex: Knex, step: StepTry): Promise<RequestedCall[]> => {
  const prefix = stepPrefix(step);
  return rowsOf<RequestedCall>(knex, { prefix, step_id: step.id })(`
     SELECT substr(i.idempotency_key, length(:prefix) + 1) AS what, i.state, i.outcome, i.waiting, s.block_number::float8 AS block,
       coalesce(s.tx_hash, (SELECT a.tx_hash FROM tx_attempts a WHERE a.slot_id = s.id ORDER BY a.seq DESC LIMIT 1))
         AS "transactionHash"
     FROM tx_intents i LEFT JOIN tx_slots s ON s.id = i.slot_id
     WHERE i.step_id = :step_id AND starts_with(i.idempotency_key, :prefix) ORDER BY i.id`);
};

/** Queues a call in the lane of the network's upgrader, once for each try. A try that is over queues nothing. */
export const requestCall = async (
  knex: Knex,
  step: StepTry & { readonly networkId: string },
  call: StepCall,
): Promise<void> => {
  await execute(knex, {
    key: `${stepPrefix(step)}${call.what}`,
    purpose: call.purpose,
    step_id: step.id,
    generation: step.generation,
    network_id: step.networkId,
    to_address: call.to.toLowerCase(),
    data: Buffer.from(call.data.slice(2), 'hex'),
  })(`
WITH live AS (
  SELECT id FROM deployment_steps WHERE ${isLiveTry} FOR NO KEY UPDATE
), enqueued AS (
  INSERT INTO tx_intents (idempotency_key, account_id, purpose, step_id, to_address, data)
  SELECT :key, a.id, :purpose, live.id, :to_address, :data FROM live, signer_accounts a
  WHERE a.network_id = :network_id AND a.role = 'upgrader' AND a.dismissed_at IS NULL ORDER BY a.id LIMIT 1
  ON CONFLICT (idempotency_key) DO NOTHING RETURNING account_id
)
SELECT pg_notify('carat_lane', account_id::text) FROM enqueued`);
};

/** Locks the open calls of a step. @returns true while one of them has a slot and may be mined */
export const hasAssignedCall = async (trx: Knex.Transaction, stepId: string): Promise<boolean> => {
  const open = await trx('tx_intents')
    .where({ step_id: stepId })
    .whereIn('state', ['queued', 'assigned'])
    .orderBy('id')
    .forNoKeyUpdate()
    .pluck<string[]>('state');
  return open.includes('assigned');
};

/** Withdraws the calls of a step that have no slot yet. */
export const withdrawCalls = async (trx: Knex.Transaction, stepId: string): Promise<void> => {
  await trx('tx_intents').where({ step_id: stepId, state: 'queued' }).update({ state: 'withdrawn', waiting: null });
};
