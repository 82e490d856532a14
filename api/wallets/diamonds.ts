import type { Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { chainOfNetwork, assertInUse } from '../../db/catalogue/reads.ts';
import {
  listDeployments,
  hasActiveDiamond,
  type DeploymentCall,
  type DeploymentModel,
  type StoredStep,
} from '../../db/wallets/deployments.ts';
import { requestDeployment, findRun, requestUpdate } from '../../db/wallets/request-deployment.ts';
import { findWallet, type WalletModel } from '../../db/wallets/wallets.ts';
import type { Caller } from '../../domain/access.ts';
import { found, invalidRequest, notFoundAt, DomainError } from '../../domain/errors.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { InspectedDiamond, Inspect } from '../../domain/version-check.ts';
import { ApiError } from '../errors/errors.ts';
import type {
  Deployment,
  DeploymentTransaction,
  LoggedStep,
  UpdatePlan,
  VersionCheck,
} from '../generated/openapi-types.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';

/** A request's reference to a wallet's diamond: the wallet's node and a network. */
interface Place {
  readonly node_id: string;
  readonly network_id: string;
}

/**
 * Returns the wallet that a request names, and the network's id in its stored form.
 * @param where the part of the request that names the network
 * @throws DomainError wallet_not_found, node_not_found, network_not_found, or invalid_request for a network of another
 * chain
 */
const walletOnNetwork = async (
  knex: Knex,
  caller: Caller,
  walletId: string,
  { place, where }: { readonly place: Place; readonly where: 'body' | 'query' },
): Promise<{ wallet: WalletModel; networkId: string }> => {
  const wallet = found(await findWallet(knex, caller.nodeId, walletId), 'wallet');
  if (wallet.node_id !== place.node_id.toLowerCase()) {
    throw notFoundAt('node', { path: `/${where}/node_id`, message: 'must be the node of the wallet' });
  }
  const chainId = found(await chainOfNetwork(knex, place.network_id), 'network');
  if (chainId !== wallet.chain_id) {
    throw invalidRequest({ path: `/${where}/network_id`, message: "must be a network of the wallet's chain" });
  }
  return { wallet, networkId: place.network_id.toLowerCase() };
};

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

/** Value of `Retry-After`, in seconds. */
const RETRY_AFTER_S = 5;

/**
 * Inspects the wallet's diamond on a network.
 * @throws ApiError unavailable when the inspection does not finish in time
 */
const inspected = async (inspect: Inspect, wallet: WalletModel, networkId: string): Promise<InspectedDiamond> => {
  const { id: walletId, node_id: nodeId, address } = wallet;
  const checked = await inspect({ walletId, nodeId, networkId, address });
  if (checked !== null) return checked;
  throw new ApiError('unavailable', 'The diamond could not be inspected; try again', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
};

const toVersionCheck = ({ checkedAt, blockNumber, contracts }: InspectedDiamond): VersionCheck => ({
  any_update_available: contracts.some((contract) => contract.update_available),
  checked_at: checkedAt,
  block_number: blockNumber,
  contracts: contracts.map(({ selectors: { add, replace, remove }, ...contract }) => ({
    ...contract,
    address: checksum(contract.address),
    selectors: { add: [...add], replace: [...replace], remove: [...remove] },
  })),
});

/** Renders the answer of a dry run. */
const toUpdatePlan = (checked: InspectedDiamond): UpdatePlan => {
  const { cut } = checked;
  const planned = cut && {
    to: checksum(cut.to),
    data: cut.data,
    expected_loupe_hash: cut.expectedLoupeHash,
    cuts: cut.cuts.map(({ facet, action, selectors }) => ({
      facet: checksum(facet),
      action,
      selectors: [...selectors],
    })),
  };
  return { ...toVersionCheck(checked), cut: planned };
};

/**
 * Decides whether a new run is needed: null when one is in flight, or when the inspection finds nothing to do. If the
 * inspection does not finish in time, a run starts and inspects the diamond itself.
 */
const needOf = async (
  { knex, inspect }: { readonly knex: Knex; readonly inspect: Inspect },
  { id: walletId, node_id: nodeId, address }: WalletModel,
  networkId: string,
): Promise<{ after: string | null } | null> => {
  const run = await findRun(knex, walletId, networkId);
  if (run?.isFinished === false) return null;
  await assertInUse(knex, networkId);
  const checked = await inspect({ walletId, nodeId, networkId, address });
  const isDone = checked?.isThere && checked.cut === null && checked.unknownRelease === undefined;
  return isDone ? null : { after: run?.id ?? null };
};

/** The diamonds of a wallet: their deployments, the history of these, version checks and updates. */
export const createDiamondHandlers = ({
  knex,
  dispatch,
}: HandlerDeps & { readonly dispatch: Dispatch }): Pick<
  Handlers,
  'deployWallet' | 'listDeployments' | 'checkVersion' | 'updateDiamond'
> => ({
  /** Requests the diamond on a network, and answers the current step. */
  deployWallet: async ({ params, body, caller, audit }) => {
    const { wallet, networkId } = await walletOnNetwork(knex, caller, params.id, { place: body, where: 'body' });
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const request = { walletId: wallet.id, networkId, integrationId: caller.integrationId };
      const step = await requestDeployment(trx, request);
      if (step === null) {
        throw new DomainError(
          'network_not_prepared',
          'The operator has not prepared this network with a key for deals yet',
        );
      }
      const deployed = { step: step.key, transaction_id: step.id, status: step.status };
      return {
        answer: { status: 201 as const, body: deployed },
        change: {
          action: 'wallet.deployed',
          nodeId: wallet.node_id,
          resourceId: wallet.id,
          before: null,
          after: { network_id: networkId, ...deployed },
        },
      };
    });
    dispatch.now();
    return answer;
  },

  /** The history of the wallet's deployments and updates. */
  listDeployments: async ({ params, query, caller }) => {
    const request = pageRequest(query);
    const wallet = found(await findWallet(knex, caller.nodeId, params.id), 'wallet');
    if (query.network_id !== undefined) found(await chainOfNetwork(knex, query.network_id), 'network');
    const filter = { walletId: wallet.id, networkId: query.network_id };
    return { status: 200, body: pageBody(await listDeployments(knex, filter, request), request, toDeployment) };
  },

  /** Compares a diamond with its network's release. */
  checkVersion: async ({ params, query, caller, inspect }) => {
    const named = { place: query, where: 'query' } as const;
    const { wallet, networkId } = await walletOnNetwork(knex, caller, params.id, named);
    await assertInUse(knex, networkId);
    return { status: 200, body: toVersionCheck(await inspected(inspect, wallet, networkId)) };
  },

  /** Requests that the diamond match the network's release. */
  updateDiamond: async ({ params, query, body, caller, audit, inspect }) => {
    const { wallet, networkId } = await walletOnNetwork(knex, caller, params.id, { place: body, where: 'body' });
    if (!(await hasActiveDiamond(knex, wallet.id, networkId))) {
      throw new DomainError('diamond_not_active', 'The wallet has never had an active diamond on this network');
    }
    if (query.dry_run) await assertInUse(knex, networkId);
    if (query.dry_run) return { status: 200, body: toUpdatePlan(await inspected(inspect, wallet, networkId)) };
    const need = await needOf({ knex, inspect }, wallet, networkId);
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const request = { walletId: wallet.id, networkId, integrationId: caller.integrationId };
      const { step, isUnderWay } = await requestUpdate(trx, request, need);
      const updated = { step: step.key, transaction_id: step.id, status: step.status };
      const change = {
        action: 'wallet.upgraded' as const,
        nodeId: wallet.node_id,
        resourceId: wallet.id,
        before: null,
        after: { network_id: networkId, ...updated },
      };
      return { answer: { status: 201 as const, body: updated }, change: isUnderWay ? change : null };
    });
    dispatch.now();
    return answer;
  },
});
