import type { Knex } from 'knex';
import { adoptionRefusals } from '../../domain/deployment.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import type { ConditionAlert, RaisedAlert } from '../../domain/ports/alert.ts';
import type { DeploymentProblem, StepToRun } from '../../domain/ports/deployment.ts';
import { endCondition, raiseAlerts } from '../alerts/alerts.ts';
import { hasAssignedCall, isLiveTry, requestCall, requestedCalls, withdrawCalls } from '../intents/calls.ts';
import { insertDealIntents } from '../intents/deals.ts';
import { freeHeld } from '../intents/waiting.ts';
import { boundTo, execute, hasRows, idsOf, rowIf } from '../query/statements.ts';

/** Creates the store of deployments in PostgreSQL. Every call is idempotent. */
export const createDeploymentStore = (knex: Knex) => ({
  ...boundTo(knex, { nextStep, endOf, reaches, requestedCalls, requestCall }),
  showWaiting: (step: StepToRun, reason: WaitingDetail | null) =>
    knex.transaction((trx) => showWaiting(trx, step, reason)),
  completeStep: (step: StepToRun) => knex.transaction(async (trx) => void (await completeStep(trx, step))),
  failStep: (step: StepToRun, problem: DeploymentProblem) => knex.transaction((trx) => failStep(trx, step, problem)),
  activateDiamond: (step: StepToRun, release: string | null) =>
    knex.transaction((trx) => activateDiamond(trx, step, release)),
});

export type DeploymentStore = ReturnType<typeof createDeploymentStore>;

/** The end of a step, and the reason of a failure. */
const endOf = async (
  knex: Knex,
  stepId: string,
): Promise<{ readonly status: 'completed' | 'failed'; readonly detail: string | null }> => {
  const step = await knex('deployment_steps').where({ id: stepId }).first('status', 'error_code', 'error_message');
  if (step?.status !== 'failed') return { status: 'completed', detail: null };
  return { status: 'failed', detail: `${step.error_code}: ${step.error_message}` };
};

/** Finds the next step of a diamond's workflow, oldest deployment first; null when all are done. */
const nextStep = (knex: Knex, walletId: string, networkId: string): Promise<StepToRun | null> =>
  rowIf<StepToRun>(knex, { wallet_id: walletId, network_id: networkId })(`
     SELECT s.id, s.key, s.status, s.generation, d.kind, d.id AS "deploymentId", d.wallet_id AS "walletId", w.node_id AS "nodeId",
       d.network_id AS "networkId", m.address AS "diamondAddress", w.adopted, (
         SELECT max(coalesce(t.block_number::float8, 'Infinity')) FROM deployment_steps c
         JOIN tx_intents i ON i.step_id = c.id AND i.purpose = 'diamond_cut' JOIN tx_slots t ON t.id = i.slot_id
         WHERE c.deployment_id = d.id) AS "cutBlock"
     FROM deployments d
     JOIN deployment_steps s ON s.deployment_id = d.id AND s.status <> 'completed'
     JOIN wallets w ON w.id = d.wallet_id
     JOIN diamonds m ON m.wallet_id = d.wallet_id AND m.network_id = d.network_id
     WHERE d.wallet_id = :wallet_id AND d.network_id = :network_id AND d.status = 'started'
     ORDER BY d.number, s.seq LIMIT 1`);

/** True when the node is within the reach of the client that gave the wallet its address: the deploying client may have another. */
const reaches = (knex: Knex, step: StepToRun, nodeId: string): Promise<boolean> =>
  hasRows(knex, { node_id: nodeId, wallet_id: step.walletId })(`
     SELECT 1 FROM wallets w JOIN nodes n ON n.id = :node_id AND coalesce(w.adopted_by, w.node_id) = ANY (n.path)
     WHERE w.id = :wallet_id`);

/**
 * Ends the current try of a step, and withdraws its calls without a slot. A late run that another worker has replaced finds
 * the step ended or in a newer try, and must not touch it: deployment and steps would contradict each other.
 * @returns false when this try is over
 */
const endTry = async (trx: Knex.Transaction, step: StepToRun, changes: object): Promise<boolean> => {
  const ended = await trx('deployment_steps')
    .whereRaw(isLiveTry, { step_id: step.id, generation: step.generation })
    .update({ ...changes, updated_at: trx.fn.now() });
  if (ended === 0) return false;
  await withdrawCalls(trx, step.id);
  return true;
};

/** Ends a run. A completed deployment leaves its payments to `activateDiamond`, which locks the diamond before them. */
const endDeployment = async (trx: Knex.Transaction, step: StepToRun, status: 'completed' | 'failed'): Promise<void> => {
  const ended = { status, status_detail: null, updated_at: trx.fn.now() };
  await trx('deployments').where({ id: step.deploymentId }).update(ended);
  if (status === 'failed') await showOnPayments(trx, step, null);
  if (step.kind === 'update') await freeCreates(trx, step);
};

/**
 * Shows the reason why a step waits, or none, on its run and on the payments that wait for the diamond. A no-op once the deployment has
 * ended; the lock makes a late call wait for that end.
 */
const showWaiting = async (trx: Knex.Transaction, step: StepToRun, reason: WaitingDetail | null): Promise<void> => {
  const run = await trx('deployments')
    .where({ id: step.deploymentId, status: 'started' })
    .forNoKeyUpdate()
    .first<{ status_detail: string | null } | undefined>('status_detail');
  if (run === undefined) return;
  if (run.status_detail !== reason) {
    const shown = { status_detail: reason, updated_at: trx.fn.now() };
    await trx('deployments').where({ id: step.deploymentId }).update(shown);
  }
  await showOnPayments(trx, step, reason);
};

/** Locks payments in the order of their ids, as everywhere. Payments of an active diamond have other waiting reasons. */
const showOnPayments = async (trx: Knex.Transaction, step: StepToRun, reason: WaitingDetail | null): Promise<void> => {
  if (step.kind !== 'deploy') return;
  await execute(trx, { wallet_id: step.walletId, network_id: step.networkId, detail: reason ?? 'diamond_missing' })(`
     UPDATE payments p SET status_detail = :detail, updated_at = clock_timestamp() FROM (
       SELECT o.id FROM payments o JOIN diamonds d ON d.wallet_id = o.wallet_id AND d.network_id = o.network_id
         AND d.address = o.diamond_address AND d.status <> 'active'
       WHERE o.wallet_id = :wallet_id AND o.network_id = :network_id AND o.status = 'pending' AND NOT o.is_blocked
         AND o.payment_method = 'web3' AND o.status_detail IS DISTINCT FROM :detail
       ORDER BY o.id FOR NO KEY UPDATE OF o) waiting
     WHERE p.id = waiting.id`);
};

/** True for refused addresses, which the client must correct: operators get no alert. */
const isRefusal = ({ code }: DeploymentProblem): boolean =>
  (Object.values(adoptionRefusals) as readonly string[]).includes(code);

const alertOf = (
  { deploymentId, diamondAddress, walletId, kind, key }: StepToRun,
  { code, message }: DeploymentProblem,
): ConditionAlert => ({
  kind: 'deployment_failed',
  subject: deploymentId,
  message: `The ${kind === 'deploy' ? 'deployment' : 'update'} of the diamond ${diamondAddress} has failed at ${key}: ${message}`,
  diamond: diamondAddress,
  data: { wallet_id: walletId, diamond: diamondAddress, step: key, code },
});

/**
 * Fails a step and withdraws its queued calls. A new request gives the step a new try. A call with a nonce is mined in any
 * case, so the step cannot fail before that; the next try must find the call done or undone.
 * @returns the alert, if it is new; null when a call has a nonce, and nothing was changed
 */
const failStep = async (
  trx: Knex.Transaction,
  step: StepToRun,
  problem: DeploymentProblem,
): Promise<readonly RaisedAlert[] | null> => {
  await trx('deployment_steps').where({ id: step.id }).forNoKeyUpdate().select('id');
  if (await hasAssignedCall(trx, step.id)) return null;
  const failed = { status: 'failed', error_code: problem.code, error_message: problem.message };
  if (!(await endTry(trx, step, failed))) return [];
  await endDeployment(trx, step, 'failed');
  const alert = alertOf(step, problem);
  // An open alert of an earlier failure would hide this one.
  await endCondition(trx, alert);
  return isRefusal(problem) ? [] : raiseAlerts(trx, step.networkId, [alert]);
};

/**
 * Completes a step, withdraws its queued calls, and starts the next step or completes the deployment.
 * @returns false when the try was over already
 */
const completeStep = async (trx: Knex.Transaction, step: StepToRun): Promise<boolean> => {
  if (!(await endTry(trx, step, { status: 'completed' }))) return false;
  const next = await trx('deployment_steps')
    .where({ deployment_id: step.deploymentId })
    .whereNot({ status: 'completed' })
    .orderBy('seq')
    .first<Pick<StepToRun, 'id' | 'status'> | undefined>('id', 'status');
  if (next === undefined) await endDeployment(trx, step, 'completed');
  else if (next.status === 'pending') {
    await trx('deployment_steps').where({ id: next.id }).update({ status: 'started', updated_at: trx.fn.now() });
  }
  return true;
};

/** Ends `updating` on the diamond: held creates go on, and their payments no longer show that they wait. */
const freeCreates = async (trx: Knex.Transaction, { walletId, networkId }: StepToRun): Promise<void> => {
  const [diamond] = await trx('diamonds')
    .where({ wallet_id: walletId, network_id: networkId, updating: true })
    .update({ updating: false, updated_at: trx.fn.now() })
    .returning<{ operator_account_id: string }[]>('operator_account_id');
  if (diamond !== undefined) await freeHeld(trx, diamond.operator_account_id, walletId, networkId);
};

/**
 * Completes the step of a confirmed diamond, and gives each pending payment that waited for it a create intent, in one
 * transaction. Locks payments in the order of their ids, as everywhere.
 */
const activateDiamond = async (trx: Knex.Transaction, step: StepToRun, release: string | null): Promise<void> => {
  if (!(await completeStep(trx, step))) return;
  await trx('diamonds')
    .where({ wallet_id: step.walletId, network_id: step.networkId })
    .update({ status: 'active', release, updated_at: trx.fn.now() });
  if (step.kind === 'deploy') await startCreates(trx, step);
};

const startCreates = async (trx: Knex.Transaction, step: StepToRun): Promise<void> => {
  const ids = await idsOf(trx, { wallet_id: step.walletId, network_id: step.networkId, address: step.diamondAddress })(`
     UPDATE payments p SET status_detail = NULL, updated_at = clock_timestamp() FROM (
       SELECT id FROM payments
       WHERE wallet_id = :wallet_id AND network_id = :network_id AND diamond_address = :address AND status = 'pending' AND NOT is_blocked
       ORDER BY id FOR NO KEY UPDATE) waiting
     WHERE p.id = waiting.id RETURNING p.id`);
  await insertDealIntents(trx, ids);
  await execute(trx, { wallet_id: step.walletId, network_id: step.networkId })(`
     SELECT pg_notify('carat_lane', operator_account_id::text), pg_notify('carat_offers', network_id::text) FROM diamonds
     WHERE wallet_id = :wallet_id AND network_id = :network_id`);
};
