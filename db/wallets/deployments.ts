import type { Knex } from 'knex';
import { insertDealIntents } from '../payments/deal-intents.ts';
import {
  currentStep,
  deploymentSteps,
  type DeploymentKind,
  type DeploymentStep,
  type DeploymentStepState,
  type DeploymentStepStatus,
} from '../../domain/deployment.ts';
import { DomainError } from '../../domain/errors.ts';
import type { DiamondCommand } from '../../domain/outbox.ts';

export interface DeploymentRequest {
  readonly walletId: string;
  readonly networkId: string;
  readonly integrationId: string | null;
}

/** A step with all that its activity needs to know. Addresses are lower-case hex. */
export interface LoadedStep extends DeploymentStepState {
  readonly generation: number;
  readonly deploymentId: string;
  readonly kind: DeploymentKind;
  readonly walletId: string;
  readonly nodeId: string;
  readonly networkId: string;
  readonly diamondAddress: string;
  /** The address was given by a client: the diamond must be there already. */
  readonly adopted: boolean;
}

interface WalletRow {
  address: string;
  node_id: string;
}

interface StepRow {
  id: string;
  key: DeploymentStep;
  status: DeploymentStepStatus;
  generation: number;
}

/**
 * Asks for the wallet's diamond on a network. The first call writes diamond, deployment and steps; every further one
 * finds them; one that finds a failed step says so and gives it a new try. The caller has checked wallet and network,
 * and that they share a chain.
 * @returns the first unfinished step, or the last one when all are done; null when the network has no operator account
 * @throws DomainError wallet_not_found when the wallet was deleted meanwhile
 */
export const requestDeployment = (knex: Knex, request: DeploymentRequest): Promise<DeploymentStepState | null> =>
  knex.transaction(async (trx) => {
    const wallet = await trx('wallets')
      .where({ id: request.walletId, deleted_at: null })
      .forUpdate()
      .first<WalletRow | undefined>('address', 'node_id');
    if (wallet === undefined) throw new DomainError('wallet_not_found', 'There is no such wallet');
    if (!(await ensureDiamond(trx, request, wallet.address))) return null;
    const deploymentId = await ensureDeployment(trx, request);
    const steps = await loadSteps(trx, deploymentId);
    const step = currentStep(steps);
    if (step.status === 'completed') return step;
    if (step.status === 'failed') {
      await trx('deployment_steps')
        .where({ id: step.id })
        .update({ status: 'started', generation: step.generation + 1, error_code: null, error_message: null });
      await trx('deployments').where({ id: deploymentId }).update({ status: 'started', updated_at: trx.fn.now() });
    }
    await advanceDeployment(trx, {
      wallet_id: request.walletId,
      network_id: request.networkId,
      node_id: wallet.node_id,
    });
    return step;
  });

const ensureDiamond = async (trx: Knex.Transaction, request: DeploymentRequest, address: string): Promise<boolean> => {
  const existing = await trx('diamonds')
    .where({ wallet_id: request.walletId, network_id: request.networkId })
    .first('id');
  if (existing !== undefined) return true;
  // The lane with the fewest diamonds serves the new one.
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `INSERT INTO diamonds (wallet_id, network_id, address, operator_account_id)
     SELECT :wallet_id, :network_id, :address, a.id FROM signer_accounts a
     WHERE a.network_id = :network_id AND a.role = 'operator'
     ORDER BY (SELECT count(*) FROM diamonds d WHERE d.operator_account_id = a.id), a.id LIMIT 1 RETURNING id`,
    { wallet_id: request.walletId, network_id: request.networkId, address },
  );
  return rows.length > 0;
};

const ensureDeployment = async (trx: Knex.Transaction, request: DeploymentRequest): Promise<string> => {
  const existing = await trx('deployments')
    .where({ wallet_id: request.walletId, network_id: request.networkId, kind: 'deploy' })
    .first<{ id: string } | undefined>('id');
  if (existing !== undefined) return existing.id;
  const [deployment] = await trx('deployments')
    .insert({
      wallet_id: request.walletId,
      network_id: request.networkId,
      kind: 'deploy',
      requested_by: request.integrationId,
    })
    .returning<{ id: string }[]>('id');
  if (deployment === undefined) throw new Error('The deployment was not inserted');
  await trx('deployment_steps').insert(
    deploymentSteps.map((key, seq) => ({
      deployment_id: deployment.id,
      seq,
      key,
      status: seq === 0 ? 'started' : 'pending',
    })),
  );
  return deployment.id;
};

const loadSteps = (knex: Knex, deploymentId: string): Promise<StepRow[]> =>
  knex('deployment_steps')
    .where({ deployment_id: deploymentId })
    .orderBy('seq')
    .select<StepRow[]>('id', 'key', 'status', 'generation');

/** Lets the diamond's workflow look again: one command in the outbox, in the caller's transaction. */
const advanceDeployment = async (trx: Knex.Transaction, command: DiamondCommand): Promise<void> => {
  const workflowId = `diamond/${command.wallet_id}/${command.network_id}`;
  await trx('outbox').insert({
    topic: 'diamond',
    group_key: workflowId,
    workflow_id: workflowId,
    payload: JSON.stringify(command),
  });
};

/** The step that a diamond's workflow has to run next, oldest deployment first; null when nothing is left to do. */
export const nextStep = async (knex: Knex, walletId: string, networkId: string): Promise<LoadedStep | null> => {
  const { rows } = await knex.raw<{
    rows: (StepRow & {
      deployment_id: string;
      kind: DeploymentKind;
      node_id: string;
      diamond_address: string;
      adopted: boolean;
    })[];
  }>(
    `SELECT s.id, s.key, s.status, s.generation, d.id AS deployment_id, d.kind, w.node_id, w.adopted,
       m.address AS diamond_address
     FROM deployments d
     JOIN deployment_steps s ON s.deployment_id = d.id AND s.status <> 'completed'
     JOIN wallets w ON w.id = d.wallet_id
     JOIN diamonds m ON m.wallet_id = d.wallet_id AND m.network_id = d.network_id
     WHERE d.wallet_id = :wallet_id AND d.network_id = :network_id AND d.status = 'started'
     ORDER BY d.created_at, d.id, s.seq LIMIT 1`,
    { wallet_id: walletId, network_id: networkId },
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    id: row.id,
    key: row.key,
    status: row.status,
    generation: row.generation,
    deploymentId: row.deployment_id,
    kind: row.kind,
    walletId,
    nodeId: row.node_id,
    networkId,
    diamondAddress: row.diamond_address,
    adopted: row.adopted,
  };
};

/** The intents of one step's current try: what was asked for and how it went. */
export const stepIntents = (
  knex: Knex,
  step: LoadedStep,
): Promise<{ idempotency_key: string; state: string; outcome: string | null }[]> =>
  knex('tx_intents')
    .where({ step_id: step.id })
    .whereLike('idempotency_key', `step:${step.id}:g${step.generation}:%`)
    .select('idempotency_key', 'state', 'outcome');

/** Wants one call of a step on the chain, in the lane of the network's upgrader. Repeated calls change nothing. */
export const enqueueStepCall = async (
  knex: Knex,
  step: LoadedStep,
  call: {
    readonly purpose: 'deploy_facet' | 'create_diamond' | 'diamond_cut';
    readonly what: string;
    readonly to: string;
    readonly data: string;
  },
): Promise<void> => {
  await knex.raw(
    `
WITH enqueued AS (
  INSERT INTO tx_intents (idempotency_key, account_id, purpose, step_id, to_address, data)
  SELECT :key, a.id, :purpose, :step_id, :to_address, :data FROM signer_accounts a
  WHERE a.network_id = :network_id AND a.role = 'upgrader' ORDER BY a.id LIMIT 1
  ON CONFLICT (idempotency_key) DO NOTHING RETURNING account_id
)
SELECT pg_notify('carat_lane', account_id::text) FROM enqueued`,
    {
      key: `step:${step.id}:g${step.generation}:${call.what}`,
      purpose: call.purpose,
      step_id: step.id,
      network_id: step.networkId,
      to_address: call.to.toLowerCase(),
      data: Buffer.from(call.data.slice(2), 'hex'),
    },
  );
};

/** Marks a step done and starts the next one, or completes the deployment. Repeated calls change nothing. */
export const completeStep = (knex: Knex, step: LoadedStep): Promise<void> =>
  knex.transaction(async (trx) => {
    await finishStep(trx, step);
  });

/**
 * Ends the current try of a step. A run that was given to somebody else and ends all the same finds the step ended, or
 * in a newer try, and must not touch it: the deployment would say something else than its steps.
 * @returns false when there is no such try any more
 */
const endTry = async (trx: Knex.Transaction, step: LoadedStep, changes: object): Promise<boolean> => {
  const ended = await trx('deployment_steps')
    .where({ id: step.id, generation: step.generation })
    .whereIn('status', ['started', 'pending'])
    .update({ ...changes, updated_at: trx.fn.now() });
  return ended > 0;
};

const finishStep = async (trx: Knex.Transaction, step: LoadedStep): Promise<void> => {
  if (!(await endTry(trx, step, { status: 'completed' }))) return;
  const next = (await loadSteps(trx, step.deploymentId)).find((candidate) => candidate.status !== 'completed');
  if (next === undefined) {
    await trx('deployments').where({ id: step.deploymentId }).update({ status: 'completed', updated_at: trx.fn.now() });
  } else if (next.status === 'pending') {
    await trx('deployment_steps').where({ id: next.id }).update({ status: 'started', updated_at: trx.fn.now() });
  }
};

/** Marks a step failed for good; the next `POST …/deploy` gives it a new try. */
export const failStep = (knex: Knex, step: LoadedStep, error: { code: string; message: string }): Promise<void> =>
  knex.transaction(async (trx) => {
    if (!(await endTry(trx, step, { status: 'failed', error_code: error.code, error_message: error.message }))) return;
    await trx('deployments').where({ id: step.deploymentId }).update({ status: 'failed', updated_at: trx.fn.now() });
  });

/**
 * Activates the diamond: its code has the network's confirmations. In one transaction the step is done, and every
 * pending payment that waited for the diamond gets its create intent.
 */
export const activateDiamond = (knex: Knex, step: LoadedStep, release: string): Promise<void> =>
  knex.transaction(async (trx) => {
    await trx('diamonds')
      .where({ wallet_id: step.walletId, network_id: step.networkId })
      .update({ status: 'active', release, updated_at: trx.fn.now() });
    const { rows } = await trx.raw<{ rows: { id: string }[] }>(
      `UPDATE payments p SET status_detail = NULL, updated_at = clock_timestamp() FROM (
         SELECT id FROM payments WHERE network_id = :network_id AND diamond_address = :address AND status = 'pending'
         ORDER BY id FOR NO KEY UPDATE) waiting
       WHERE p.id = waiting.id RETURNING p.id`,
      { network_id: step.networkId, address: step.diamondAddress },
    );
    await insertDealIntents(
      trx,
      rows.map((row) => row.id),
    );
    await trx.raw(
      `SELECT pg_notify('carat_lane', operator_account_id::text) FROM diamonds
       WHERE wallet_id = :wallet_id AND network_id = :network_id`,
      { wallet_id: step.walletId, network_id: step.networkId },
    );
    await finishStep(trx, step);
  });
