import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { diamondAddress, type Platform } from '../../chain/pure/addresses.ts';
import { chainExists, chainOfNetwork } from '../../db/catalogue/reads.ts';
import { requestDeployment } from '../../db/wallets/request-deployment.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { findWallet, insertWallet, listWallets } from '../../db/wallets/wallets.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import type { Dispatch } from '../dispatch.ts';
import type { Handler, Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../http/page.ts';
import { toWallet } from './response.ts';

export interface WalletDeps {
  readonly knex: Knex;
  readonly platform: Platform;
  readonly dispatch: Dispatch;
}

const nodeNotFound = (): DomainError => new DomainError('node_not_found', 'There is no such node');
const walletNotFound = (): DomainError => new DomainError('wallet_not_found', 'There is no such wallet');

/** Wallets, and the deployment of their diamonds. */
export const createWalletHandlers = (
  deps: WalletDeps,
): Pick<Handlers, 'createWallet' | 'listWallets' | 'getWallet' | 'deployWallet'> => {
  const { knex, platform, dispatch } = deps;

  const createWallet: Handler<'createWallet'> = async ({ body, caller, audit }) => {
    const node = await findNode(knex, caller.nodeId, body.node_id);
    if (node === null) throw nodeNotFound();
    if (!(await chainExists(knex, body.chain_id))) {
      throw new DomainError('chain_not_found', 'There is no such chain');
    }
    const id = randomUUID();
    const address = diamondAddress(platform, node.id, id);
    return auditedTransaction(knex, audit, async (trx) => {
      const wallet = toWallet(await insertWallet(trx, { id, node_id: node.id, chain_id: body.chain_id, name: body.name, address }));
      const change = { nodeId: node.id, resourceId: id, before: null, after: wallet };
      return { answer: { status: 201 as const, body: wallet }, change: { action: 'wallet.created', ...change } };
    });
  };

  const list: Handler<'listWallets'> = async ({ query, caller }) => {
    const request = pageRequest(query);
    const node = await findNode(knex, caller.nodeId, query.node_id);
    if (node === null) throw nodeNotFound();
    const filter = { nodeId: node.id, includeDescendants: query.include_descendants };
    return { status: 200, body: pageBody(await listWallets(knex, filter, request), request, toWallet) };
  };

  const getWallet: Handler<'getWallet'> = async ({ params, caller }) => {
    const wallet = await findWallet(knex, caller.nodeId, params.id);
    if (wallet === null) throw walletNotFound();
    return { status: 200, body: toWallet(wallet) };
  };

  const deployWallet: Handler<'deployWallet'> = async ({ params, body, caller, audit }) => {
    const wallet = await findWallet(knex, caller.nodeId, params.id);
    if (wallet === null) throw walletNotFound();
    if (wallet.node_id !== body.node_id.toLowerCase()) throw nodeNotFound();
    const chainId = await chainOfNetwork(knex, body.network_id);
    if (chainId === null) throw new DomainError('network_not_found', 'There is no such network');
    if (chainId !== wallet.chain_id) {
      throw invalidRequest({ path: '/body/network_id', message: "must be a network of the wallet's chain" });
    }
    const request = {
      walletId: wallet.id,
      networkId: body.network_id.toLowerCase(),
      integrationId: caller.integrationId,
    };
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const step = await requestDeployment(trx, request);
      if (step === null) {
        throw new DomainError('network_not_prepared', 'The operator has not given this network a key for deals yet');
      }
      const deployed = { step: step.key, transaction_id: step.id, status: step.status };
      const after = { network_id: request.networkId, ...deployed };
      const change = { nodeId: wallet.node_id, resourceId: wallet.id, before: null, after };
      return { answer: { status: 201 as const, body: deployed }, change: { action: 'wallet.deployed', ...change } };
    });
    dispatch.now();
    return answer;
  };

  return { createWallet, listWallets: list, getWallet, deployWallet };
};
