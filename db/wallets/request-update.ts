import type { Knex } from 'knex';
import { currentStep, type DeploymentStepState } from '../../domain/deployment.ts';
import { assertInUse } from '../catalogue/reads.ts';
import { diamondCommand, insertCommands, repeatCommand } from '../outbox/commands.ts';
import { insertRun, lockWalletForRun, stepsOf, type DeploymentRequest } from './request-deployment.ts';
import { assertBelowRunLimit } from './run-limit.ts';

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
  await trx.raw(
    `UPDATE deployment_steps SET status = CASE seq WHEN 0 THEN 'started' ELSE 'pending' END, generation = generation + 1,
       error_code = NULL, error_message = NULL, updated_at = now() WHERE deployment_id = :id`,
    { id: deploymentId },
  );
  await trx('deployments').where({ id: deploymentId }).update({ status: 'started', updated_at: trx.fn.now() });
};
