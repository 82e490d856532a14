import type { Knex } from 'knex';
import {
  adoptionRefusals,
  type DeploymentKind,
  type DeploymentStep,
  type DeploymentStepStatus,
} from '../../domain/deployment.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import type { ConditionAlert, RaisedAlert } from '../../domain/ports/alert.ts';
import type { DeploymentProblem, DeploymentStore, StepToRun } from '../../domain/ports/deployment.ts';
import { endCondition, raiseAlerts } from '../alerts/alerts.ts';
import { hasAssignedCall, isLiveTry, requestCall, requestedCalls, withdrawCalls } from '../intents/calls.ts';
import { insertDealIntents } from '../intents/deals.ts';
import { freeHeld } from '../intents/waiting.ts';

interface StepToRunRow {
  id: string;
  key: DeploymentStep;
  status: DeploymentStepStatus;
  generation: number;
  kind: DeploymentKind;
  deployment_id: string;
  node_id: string;
  diamond_address: string;
  adopted: boolean;
  cut_block: number | null;
}

/** Creates the store of deployments in PostgreSQL. */
export const createDeploymentStore = (knex: Knex): DeploymentStore => ({
  nextStep: (walletId, networkId) => nextStep(knex, walletId, networkId),
  endOf: (stepId) => endOf(knex, stepId),
  reaches: (step, nodeId) => reaches(knex, step, nodeId),
  requestedCalls: (step) => requestedCalls(knex, step),
  requestCall: (step, call) => requestCall(knex, step, call),
  showWaiting: (step, reason) => knex.transaction((trx) => showWaiting(trx, step, reason)),
  completeStep: (step) => knex.transaction(async (trx) => void (await completeStep(trx, step))),
  failStep: (step, problem) => knex.transaction((trx) => failStep(trx, step, problem)),
  activateDiamond: (step, release) => knex.transaction((trx) => activateDiamond(trx, step, release)),
});

const endOf: (knex: Knex, stepId: string) => ReturnType<DeploymentStore['endOf']> = async (knex, stepId) => {
  const step = await knex('deployment_steps').where({ id: stepId }).first('status', 'error_code', 'error_message');
  if (step?.status !== 'failed') return { status: 'completed', detail: null };
  return { status: 'failed', detail: `${step.error_code}: ${step.error_message}` };
};

const nextStep = async (knex: Knex, walletId: string, networkId: string): Promise<StepToRun | null> => {
  const { rows } = await knex.raw<{ rows: StepToRunRow[] }>(
    `SELECT s.id, s.key, s.status, s.generation, d.kind, d.id AS deployment_id, w.node_id, w.adopted,
       m.address AS diamond_address, (
         SELECT max(coalesce(t.block_number::float8, 'Infinity')) FROM deployment_steps c
         JOIN tx_intents i ON i.step_id = c.id AND i.purpose = 'diamond_cut' JOIN tx_slots t ON t.id = i.slot_id
         WHERE c.deployment_id = d.id) AS cut_block
     FROM deployments d
     JOIN deployment_steps s ON s.deployment_id = d.id AND s.status <> 'completed'
     JOIN wallets w ON w.id = d.wallet_id
     JOIN diamonds m ON m.wallet_id = d.wallet_id AND m.network_id = d.network_id
     WHERE d.wallet_id = :wallet_id AND d.network_id = :network_id AND d.status = 'started'
     ORDER BY d.number, s.seq LIMIT 1`,
    { wallet_id: walletId, network_id: networkId },
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    id: row.id,
    key: row.key,
    status: row.status,
    generation: row.generation,
    kind: row.kind,
    deploymentId: row.deployment_id,
    walletId,
    nodeId: row.node_id,
    networkId,
    diamondAddress: row.diamond_address,
    adopted: row.adopted,
    cutBlock: row.cut_block,
  };
};

/** Uses the reach of the client that gave the address, because the deploying client may have another. */
const reaches = async (knex: Knex, step: StepToRun, nodeId: string): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM wallets w JOIN nodes n ON n.id = :node_id AND coalesce(w.adopted_by, w.node_id) = ANY (n.path)
     WHERE w.id = :wallet_id`,
    { node_id: nodeId, wallet_id: step.walletId },
  );
  return rows.length > 0;
};

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

/** A no-op once the deployment has ended; the lock makes a late call wait for that end. */
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
  await trx.raw(
    `UPDATE payments p SET status_detail = :detail, updated_at = clock_timestamp() FROM (
       SELECT o.id FROM payments o JOIN diamonds d ON d.wallet_id = o.wallet_id AND d.network_id = o.network_id
         AND d.address = o.diamond_address AND d.status <> 'active'
       WHERE o.wallet_id = :wallet_id AND o.network_id = :network_id AND o.status = 'pending' AND NOT o.is_blocked
         AND o.payment_method = 'web3' AND o.status_detail IS DISTINCT FROM :detail
       ORDER BY o.id FOR NO KEY UPDATE OF o) waiting
     WHERE p.id = waiting.id`,
    { wallet_id: step.walletId, network_id: step.networkId, detail: reason ?? 'diamond_missing' },
  );
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

/** @returns false when the try was over already */
const completeStep = async (trx: Knex.Transaction, step: StepToRun): Promise<boolean> => {
  if (!(await endTry(trx, step, { status: 'completed' }))) return false;
  const next = await trx('deployment_steps')
    .where({ deployment_id: step.deploymentId })
    .whereNot({ status: 'completed' })
    .orderBy('seq')
    .first<Pick<StepToRunRow, 'id' | 'status'> | undefined>('id', 'status');
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
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `UPDATE payments p SET status_detail = NULL, updated_at = clock_timestamp() FROM (
       SELECT id FROM payments
       WHERE wallet_id = :wallet_id AND network_id = :network_id AND diamond_address = :address AND status = 'pending' AND NOT is_blocked
       ORDER BY id FOR NO KEY UPDATE) waiting
     WHERE p.id = waiting.id RETURNING p.id`,
    { wallet_id: step.walletId, network_id: step.networkId, address: step.diamondAddress },
  );
  await insertDealIntents(
    trx,
    rows.map((row) => row.id),
  );
  await trx.raw(
    `SELECT pg_notify('carat_lane', operator_account_id::text), pg_notify('carat_offers', network_id::text) FROM diamonds
     WHERE wallet_id = :wallet_id AND network_id = :network_id`,
    { wallet_id: step.walletId, network_id: step.networkId },
  );
};
