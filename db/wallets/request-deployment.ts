import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors.ts';
import {
  currentStep,
  deploymentSteps,
  type DeploymentKind,
  type DeploymentStepState,
} from '../../domain/deployment.ts';
import { assertInUse } from '../catalogue/reads.ts';
import { isHeld } from '../lane/holders.ts';
import { diamondCommand, insertCommands, repeatCommand } from '../outbox/commands.ts';
import { execute, hasRows, rowsOf } from '../query/statements.ts';

/** Most concurrent deployments and updates of a node, because each uses the operator's coins and turns of a worker. */
const MAX_UNDER_WAY = 100;

/**
 * Makes sure that a node may start one more deployment or update.
 * @throws DomainError too_many_deployments
 */
const assertBelowRunLimit = async (trx: Knex.Transaction, nodeId: string): Promise<void> => {
  // Locked, so that concurrent requests count each other.
  await trx.raw('SELECT 1 FROM nodes WHERE id = ? FOR NO KEY UPDATE', [nodeId]);
  const rows = await rowsOf<{ count: number }>(trx, [nodeId])(`
     SELECT count(*)::integer AS count FROM deployments d JOIN wallets w ON w.id = d.wallet_id
     WHERE d.status = 'started' AND w.node_id = ?`);
  if ((rows[0]?.count ?? 0) < MAX_UNDER_WAY) return;
  throw new DomainError(
    'too_many_deployments',
    `The node already has ${MAX_UNDER_WAY} deployments and updates under way`,
  );
};

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
const lockWalletForRun = async (trx: Knex.Transaction, id: string): Promise<LockedWallet> => {
  const wallet = await trx('wallets')
    .where({ id, deleted_at: null })
    .forUpdate()
    .first<LockedWallet | undefined>('address', 'node_id');
  if (wallet === undefined) throw notFound('wallet');
  return wallet;
};

/** Reads the steps of a run in their order. */
const stepsOf = (trx: Knex.Transaction, deploymentId: string): Promise<StepRow[]> =>
  trx('deployment_steps')
    .where({ deployment_id: deploymentId })
    .orderBy('seq')
    .select<StepRow[]>('id', 'key', 'status', 'generation');

/** Writes a run with its steps, and starts the first one. */
const insertRun = async (
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
  return hasRows(trx, { wallet_id: request.walletId, network_id: request.networkId, address })(`
     INSERT INTO diamonds (wallet_id, network_id, address, operator_account_id)
     SELECT :wallet_id, :network_id, :address, a.id FROM signer_accounts a
     WHERE a.network_id = :network_id AND a.role = 'operator' AND a.dismissed_at IS NULL
     ORDER BY ${isHeld('a')} DESC, a.status, (SELECT count(*) FROM diamonds d WHERE d.operator_account_id = a.id), a.id LIMIT 1 RETURNING id`);
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

/** The current run of a diamond: the one that is not completed, else the newest. */
export interface DiamondRun {
  readonly id: string;
  readonly isFinished: boolean;
}

interface RunRow {
  readonly id: string;
  readonly status: 'started' | 'completed' | 'failed';
}

export interface RequestedUpdate {
  /** The first unfinished step, or the last one when all are done. */
  readonly step: DeploymentStepState;
  /** False when the diamond is up to date, and nothing was written. */
  readonly isUnderWay: boolean;
}

const runThatCounts = (knex: Knex, walletId: string, networkId: string): Promise<RunRow | undefined> =>
  knex('deployments')
    .where({ wallet_id: walletId, network_id: networkId })
    .orderByRaw(`status = 'completed', number DESC`)
    .first<RunRow | undefined>('id', 'status');

/** Finds the current run; null for a diamond without runs. */
export const findRun = async (knex: Knex, walletId: string, networkId: string): Promise<DiamondRun | null> => {
  const run = await runThatCounts(knex, walletId, networkId);
  return run === undefined ? null : { id: run.id, isFinished: run.status === 'completed' };
};

/**
 * Requests an update of an active diamond. An unfinished run goes on. A failed run is returned as failed and restarts from its
 * first step, because diamond, release and approvals may have changed; finished work is found done. The caller has checked
 * wallet, network and diamond. The lock on the wallet makes requests for it wait for each other.
 * @param needed set when an inspection found something to do; `after` is the run that was current before the inspection. If
 *   another run is current by now, that one is the result
 * @throws DomainError wallet_not_found when the wallet was deleted meanwhile, too_many_deployments when a run would begin,
 *   network_retired unless a run is under way
 */
export const requestUpdate = (
  knex: Knex,
  request: DeploymentRequest,
  needed: { readonly after: string | null } | null,
): Promise<RequestedUpdate> =>
  knex.transaction(async (trx) => {
    const { node_id: nodeId } = await lockWalletForRun(trx, request.walletId);
    const last = await runThatCounts(trx, request.walletId, request.networkId);
    if (last?.status !== 'started') await assertInUse(trx, request.networkId);
    const isNew = last === undefined || (last.status === 'completed' && needed?.after === last.id);
    if (isNew || last.status === 'failed') await assertBelowRunLimit(trx, nodeId);
    const id = isNew ? await insertRun(trx, request, 'update') : last.id;
    const step = currentStep(await stepsOf(trx, id));
    if (!isNew && last.status === 'completed') return { step, isUnderWay: false };
    if (last?.status === 'failed') await beginAnew(trx, id);
    const command = diamondCommand({ ...request, nodeId });
    await (isNew || last.status === 'failed' ? insertCommands(trx, [command]) : repeatCommand(trx, command));
    return { step, isUnderWay: true };
  });

const beginAnew = async (trx: Knex.Transaction, deploymentId: string): Promise<void> => {
  await execute(trx, { id: deploymentId })(`
       UPDATE deployment_steps SET status = CASE seq WHEN 0 THEN 'started' ELSE 'pending' END, generation = generation + 1,
       error_code = NULL, error_message = NULL, updated_at = now() WHERE deployment_id = :id`);
  await trx('deployments').where({ id: deploymentId }).update({ status: 'started', updated_at: trx.fn.now() });
};
