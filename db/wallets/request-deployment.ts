import type { Knex } from 'knex';
import {
  currentStep,
  deploymentSteps,
  type DeploymentKind,
  type DeploymentStepState,
} from '../../domain/deployment.ts';
import { notFound } from '../../domain/errors.ts';
import { assertInUse } from '../catalogue/reads.ts';
import { isHeld } from '../lane/holders.ts';
import { diamondCommand, insertCommands, repeatCommand } from '../outbox/commands.ts';
import { assertBelowRunLimit } from './run-limit.ts';

/** A request for a diamond. */
export interface DeploymentRequest {
  readonly walletId: string;
  readonly networkId: string;
  readonly integrationId: string | null;
}

/** A locked wallet. Requests for its diamonds wait for each other. */
interface LockedWallet {
  readonly address: string;
  readonly node_id: string;
}

interface StepRow extends DeploymentStepState {
  readonly generation: number;
}

/**
 * Requests the wallet's diamond on a network. The first call writes diamond, deployment and steps, and later calls find them. A
 * call that finds a failed step returns it as failed and gives it a new try. The caller has checked wallet and network, and
 * that they share a chain. The lock on the wallet makes requests for it wait for each other.
 * @returns the first unfinished step, or the last one when all are done; null when the network has no operator account
 * @throws DomainError wallet_not_found when the wallet was deleted meanwhile, network_retired or too_many_deployments when a run
 *   or a new try would begin
 */
export const requestDeployment = (knex: Knex, request: DeploymentRequest): Promise<DeploymentStepState | null> =>
  knex.transaction(async (trx) => {
    const wallet = await lockWalletForRun(trx, request.walletId);
    const found = await findDeployment(trx, request);
    if (found === undefined) await assertInUse(trx, request.networkId);
    if (!(await ensureDiamond(trx, request, wallet.address))) return null;
    const { id, isNew } = await ensureDeployment(trx, request, wallet.node_id);
    const step = currentStep(await stepsOf(trx, id));
    if (step.status === 'completed') return step;
    if (step.status === 'failed') {
      await assertInUse(trx, request.networkId);
      await assertBelowRunLimit(trx, wallet.node_id);
      await tryAgain(trx, id, step);
    }
    const command = diamondCommand({ ...request, nodeId: wallet.node_id });
    await (isNew || step.status === 'failed' ? insertCommands(trx, [command]) : repeatCommand(trx, command));
    return step;
  });

/** @throws DomainError wallet_not_found when the wallet was deleted meanwhile */
export const lockWalletForRun = async (trx: Knex.Transaction, id: string): Promise<LockedWallet> => {
  const wallet = await trx('wallets')
    .where({ id, deleted_at: null })
    .forUpdate()
    .first<LockedWallet | undefined>('address', 'node_id');
  if (wallet === undefined) throw notFound('wallet');
  return wallet;
};

/** Reads the steps of a run in their order. */
export const stepsOf = (trx: Knex.Transaction, deploymentId: string): Promise<StepRow[]> =>
  trx('deployment_steps')
    .where({ deployment_id: deploymentId })
    .orderBy('seq')
    .select<StepRow[]>('id', 'key', 'status', 'generation');

/** Writes a run with its steps, and starts the first one. */
export const insertRun = async (
  trx: Knex.Transaction,
  { walletId, networkId, integrationId }: DeploymentRequest,
  kind: DeploymentKind,
): Promise<string> => {
  const [deployment] = await trx('deployments')
    .insert({ wallet_id: walletId, network_id: networkId, kind, requested_by: integrationId })
    .returning<{ id: string }[]>('id');
  if (deployment === undefined) throw new Error('The deployment was not inserted');
  await trx('deployment_steps').insert(
    deploymentSteps[kind].map((key, seq) => ({
      deployment_id: deployment.id,
      seq,
      key,
      status: seq === 0 ? 'started' : 'pending',
    })),
  );
  return deployment.id;
};

/** Writes the diamond's row if it is missing; false when no operator account can serve it. */
const ensureDiamond = async (trx: Knex.Transaction, request: DeploymentRequest, address: string): Promise<boolean> => {
  const existing = await trx('diamonds')
    .where({ wallet_id: request.walletId, network_id: request.networkId })
    .first('id');
  if (existing !== undefined) return true;
  // Prefers held keys and active lanes, then the lane with the fewest diamonds.
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `INSERT INTO diamonds (wallet_id, network_id, address, operator_account_id)
     SELECT :wallet_id, :network_id, :address, a.id FROM signer_accounts a
     WHERE a.network_id = :network_id AND a.role = 'operator' AND a.dismissed_at IS NULL
     ORDER BY ${isHeld('a')} DESC, a.status, (SELECT count(*) FROM diamonds d WHERE d.operator_account_id = a.id), a.id LIMIT 1 RETURNING id`,
    { wallet_id: request.walletId, network_id: request.networkId, address },
  );
  return rows.length > 0;
};

const findDeployment = (
  trx: Knex.Transaction,
  { walletId, networkId }: DeploymentRequest,
): Promise<{ id: string } | undefined> =>
  trx('deployments').where({ wallet_id: walletId, network_id: networkId, kind: 'deploy' }).first('id');

const ensureDeployment = async (
  trx: Knex.Transaction,
  request: DeploymentRequest,
  nodeId: string,
): Promise<{ id: string; isNew: boolean }> => {
  const existing = await findDeployment(trx, request);
  if (existing !== undefined) return { id: existing.id, isNew: false };
  await assertBelowRunLimit(trx, nodeId);
  return { id: await insertRun(trx, request, 'deploy'), isNew: true };
};

const tryAgain = async (trx: Knex.Transaction, deploymentId: string, step: StepRow): Promise<void> => {
  await trx('deployment_steps')
    .where({ id: step.id })
    .update({ status: 'started', generation: step.generation + 1, error_code: null, error_message: null });
  await trx('deployments').where({ id: deploymentId }).update({ status: 'started', updated_at: trx.fn.now() });
};
