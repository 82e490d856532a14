import type { Knex } from 'knex';
import { currentStep, type DeploymentStepState } from '../../domain/deployment.ts';
import { assertInUse } from '../catalogue/reads.ts';
import { diamondCommand, insertCommands, repeatCommand } from '../outbox/commands.ts';
import { insertRun, lockWallet, stepsOf, type DeploymentRequest } from './request-deployment.ts';
import { assertRoomForRun } from './room.ts';

/** The run of a diamond that counts: the one that is not finished, else the newest. */
export interface DiamondRun {
  readonly id: string;
  readonly isFinished: boolean;
}

interface RunRow {
  readonly id: string;
  readonly status: 'started' | 'completed' | 'failed';
}

/** What a request for an update comes to. */
export interface RequestedUpdate {
  /** The first unfinished step, or the last one when all are done. */
  readonly step: DeploymentStepState;
  /** False when nothing is left to do, and nothing was written. */
  readonly isUnderWay: boolean;
}

const runThatCounts = (knex: Knex, walletId: string, networkId: string): Promise<RunRow | undefined> =>
  knex('deployments')
    .where({ wallet_id: walletId, network_id: networkId })
    .orderByRaw(`status = 'completed', number DESC`)
    .first<RunRow | undefined>('id', 'status');

/** Finds the run that counts; null for a diamond that no run has made. */
export const findRun = async (knex: Knex, walletId: string, networkId: string): Promise<DiamondRun | null> => {
  const run = await runThatCounts(knex, walletId, networkId);
  return run === undefined ? null : { id: run.id, isFinished: run.status === 'completed' };
};

/**
 * Asks for an update of an active diamond. A run that is not finished goes on; one that failed says so and begins anew, since
 * diamond, release and approvals may be others by now, and what is done already is found done. The caller has checked
 * wallet, network and diamond. The lock on the wallet makes requests for it wait for each other.
 * @param needed that there is something to do, as it was found after this run had counted; where another one counts by now,
 *   somebody was faster and that one is the answer
 * @throws DomainError wallet_not_found when the wallet was deleted meanwhile, too_many_deployments where a run would begin,
 *   network_retired unless a run is under way
 */
export const requestUpdate = (
  knex: Knex,
  request: DeploymentRequest,
  needed: { readonly after: string | null } | null,
): Promise<RequestedUpdate> =>
  knex.transaction(async (trx) => {
    const { node_id: nodeId } = await lockWallet(trx, request.walletId);
    const last = await runThatCounts(trx, request.walletId, request.networkId);
    if (last?.status !== 'started') await assertInUse(trx, request.networkId);
    const isNew = last === undefined || (last.status === 'completed' && needed?.after === last.id);
    if (isNew || last.status === 'failed') await assertRoomForRun(trx, nodeId);
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
