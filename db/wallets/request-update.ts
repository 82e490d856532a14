import type { Knex } from 'knex';
import { currentStep, type DeploymentStepState } from '../../domain/deployment.ts';
import { insertDiamondCommand } from '../outbox/commands.ts';
import { insertRun, lockWallet, stepsOf, type DeploymentRequest } from './request-deployment.ts';

/** The run of a diamond that counts: the one that is not finished, else the newest. */
export interface DiamondRun {
  /** Null for a diamond that no run of ours has made. */
  readonly id: string | null;
  /** The first unfinished step, or the last one when all are done; null with the id. */
  readonly step: DeploymentStepState | null;
  readonly isFinished: boolean;
}

/**
 * Finds how far the runs of an active diamond are. One that is not finished goes on, and one that failed begins anew: its
 * diamond, the release and the approvals may be others by now, and what is done already is found done. The caller has
 * checked wallet and network.
 * @returns null when there is no diamond that was ever active
 * @throws DomainError wallet_not_found when the wallet was deleted meanwhile
 */
export const continueUpdate = (knex: Knex, request: DeploymentRequest): Promise<DiamondRun | null> =>
  knex.transaction(async (trx) => {
    const { walletId, networkId } = request;
    const wallet = await lockWallet(trx, walletId);
    const diamond = { wallet_id: walletId, network_id: networkId };
    const active = await trx('diamonds').where(diamond).andWhere({ status: 'active' }).first('id');
    if (active === undefined) return null;
    const run = await trx('deployments')
      .where(diamond)
      .orderByRaw(`status = 'completed', created_at DESC, id DESC`)
      .first<{ id: string; status: string } | undefined>('id', 'status');
    if (run === undefined) return { id: null, step: null, isFinished: true };
    const step = currentStep(await stepsOf(trx, run.id));
    const isFinished = run.status === 'completed';
    if (run.status === 'failed') await beginAnew(trx, run.id);
    if (!isFinished) await insertDiamondCommand(trx, { walletId, networkId, nodeId: wallet.node_id });
    return { id: run.id, step, isFinished };
  });

/**
 * Asks for an update of the diamond, after all was found finished.
 * @param after the run that counted then: where it is another one by now, somebody else was faster, and that one is continued
 * @returns as `continueUpdate`
 */
export const requestUpdate = (
  knex: Knex,
  request: DeploymentRequest,
  after: string | null,
): Promise<DiamondRun | null> =>
  knex.transaction(async (trx) => {
    const last = await continueUpdate(trx, request);
    if (last === null || !last.isFinished || last.id !== after) return last;
    const { node_id: nodeId } = await lockWallet(trx, request.walletId);
    const id = await insertRun(trx, request, 'update');
    await insertDiamondCommand(trx, { ...request, nodeId });
    return { id, step: currentStep(await stepsOf(trx, id)), isFinished: false };
  });

const beginAnew = async (trx: Knex.Transaction, deploymentId: string): Promise<void> => {
  await trx.raw(
    `UPDATE deployment_steps SET status = CASE seq WHEN 0 THEN 'started' ELSE 'pending' END, generation = generation + 1,
       error_code = NULL, error_message = NULL, updated_at = now() WHERE deployment_id = :id`,
    { id: deploymentId },
  );
  await trx('deployments').where({ id: deploymentId }).update({ status: 'started', updated_at: trx.fn.now() });
};
