import type { Knex } from 'knex';
import type { DeploymentStep, DeploymentStepStatus } from '../../domain/deployment.ts';
import { BaseModel } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/** A call that a step requested, and its transaction. Times are texts, as in JSON. */
export interface DeploymentCall {
  readonly purpose: 'deploy_facet' | 'create_diamond' | 'diamond_cut';
  readonly state: 'queued' | 'assigned' | 'settled' | 'withdrawn';
  readonly outcome: 'effective' | 'no_effect' | null;
  readonly waiting: string | null;
  readonly slot_state: 'assigned' | 'signed' | 'mined' | 'confirmed' | null;
  readonly tx_hash: string | null;
  readonly block_number: number | null;
  readonly created_at: string;
}

/** A step, with the calls of all its tries, oldest first. */
export interface StoredStep {
  readonly id: string;
  readonly key: DeploymentStep;
  readonly status: DeploymentStepStatus;
  /** Number of its try. */
  readonly generation: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly calls: readonly DeploymentCall[];
  readonly created_at: string;
  readonly updated_at: string;
}

/** One run: the deployment of a diamond on a network, or its update to a release. */
export class DeploymentModel extends BaseModel {
  static override readonly tableName = 'deployments';

  declare id: string;
  declare wallet_id: string;
  declare network_id: string;
  declare kind: 'deploy' | 'update';
  declare status: 'started' | 'completed' | 'failed';
  /** Waiting reason, where it is known. */
  declare status_detail: string | null;
  declare created_at: Date;
  declare updated_at: Date;
  /** Selected beside the columns. */
  declare steps: StoredStep[];
}

const withSteps = `(
  SELECT coalesce(jsonb_agg(to_jsonb(step) ORDER BY step.seq), '[]') FROM (
    SELECT s.id, s.seq, s.key, s.status, s.generation, s.error_code, s.error_message, s.created_at, s.updated_at, (
      SELECT coalesce(jsonb_agg(to_jsonb(call) ORDER BY call.id), '[]') FROM (
        SELECT i.id, i.purpose, i.state, i.outcome, i.waiting, i.created_at, t.state AS slot_state, t.block_number,
          coalesce(t.tx_hash, (SELECT a.tx_hash FROM tx_attempts a WHERE a.slot_id = t.id ORDER BY a.seq DESC LIMIT 1))
            AS tx_hash
        FROM tx_intents i LEFT JOIN tx_slots t ON t.id = i.slot_id WHERE i.step_id = s.id) AS call) AS calls
    FROM deployment_steps s WHERE s.deployment_id = deployments.id) AS step) AS steps`;

/** Lists the runs of a wallet, optionally on one network only, newest first. */
export const listDeployments = (
  knex: Knex,
  { walletId, networkId }: { readonly walletId: string; readonly networkId: string | undefined },
  request: PageRequest,
): Promise<Page<DeploymentModel>> =>
  fetchPage(
    DeploymentModel.query(knex)
      .select('deployments.*', knex.raw(withSteps))
      .matching({ wallet_id: walletId, network_id: networkId }),
    request,
  );

/** True when the wallet's diamond on the network is active. */
export const hasActiveDiamond = async (knex: Knex, walletId: string, networkId: string): Promise<boolean> => {
  const active = { wallet_id: walletId, network_id: networkId, status: 'active' };
  return (await knex('diamonds').where(active).first('id')) !== undefined;
};
