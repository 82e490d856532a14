import type { Knex } from 'knex';
import { chainOfNetwork } from '../../db/catalogue/reads.ts';
import {
  listDeployments,
  type DeploymentCall,
  type DeploymentModel,
  type StoredStep,
} from '../../db/wallets/deployments.ts';
import { findWallet } from '../../db/wallets/wallets.ts';
import { found } from '../../domain/errors.ts';
import type { Deployment, DeploymentTransaction, LoggedStep } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';

const time = (text: string): string => new Date(text).toISOString();

const stateOf = ({ state, slot_state: slot }: DeploymentCall): DeploymentTransaction['state'] => {
  if (state === 'queued' || state === 'withdrawn') return state;
  return slot === 'mined' || slot === 'confirmed' ? slot : 'sent';
};

const toTransaction = (call: DeploymentCall): DeploymentTransaction => ({
  purpose: call.purpose,
  state: stateOf(call),
  outcome: call.outcome,
  waiting: call.state === 'queued' ? call.waiting : null,
  transaction_hash: call.tx_hash,
  block_number: call.block_number,
  created_at: time(call.created_at),
});

const toStep = (step: StoredStep): LoggedStep => ({
  step: step.key,
  transaction_id: step.id,
  status: step.status,
  tries: step.generation,
  error: step.error_code === null ? null : { code: step.error_code, message: step.error_message ?? '' },
  transactions: step.calls.map(toTransaction),
  created_at: time(step.created_at),
  updated_at: time(step.updated_at),
});

const toDeployment = (run: DeploymentModel): Deployment => ({
  id: run.id,
  wallet_id: run.wallet_id,
  network_id: run.network_id,
  kind: run.kind,
  status: run.status,
  status_detail: run.status_detail as Deployment['status_detail'],
  created_at: run.created_at.toISOString(),
  updated_at: run.updated_at.toISOString(),
  steps: run.steps.map(toStep),
});

/** `GET /api/v1/wallets/{id}/deployments`: history of the wallet's deployments and updates. */
export const createDeploymentHandlers = ({ knex }: { readonly knex: Knex }): Pick<Handlers, 'listDeployments'> => ({
  listDeployments: async ({ params, query, caller }) => {
    const request = pageRequest(query);
    const wallet = found(await findWallet(knex, caller.nodeId, params.id), 'wallet');
    if (query.network_id !== undefined) found(await chainOfNetwork(knex, query.network_id), 'network');
    const filter = { walletId: wallet.id, networkId: query.network_id };
    return { status: 200, body: pageBody(await listDeployments(knex, filter, request), request, toDeployment) };
  },
});
