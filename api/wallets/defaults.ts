import type { Knex } from 'knex';
import { chainOfNetwork } from '../../db/catalogue/reads.ts';
import {
  deleteDefault,
  holdUsableWallet,
  insertDefault,
  listDefaults,
  lockDefault,
  replaceDefault,
  type DefaultKey,
  type WalletDefaultModel,
} from '../../db/wallets/defaults.ts';
import type { WalletModel } from '../../db/wallets/wallets.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import type { Handler, Handlers } from '../http/handler.ts';
import type { WalletDefault, WalletDefaultKey } from '../generated/openapi-types.ts';
import { pageBody, pageRequest } from '../http/page.ts';
import { toWallet } from './response.ts';

/** The one shape a mapping has wherever it is answered. */
export const toDefault = (mapping: WalletDefaultModel): WalletDefault => ({
  id: mapping.id,
  node_id: mapping.node_id,
  network_id: mapping.network_id,
  wallet_id: mapping.wallet_id,
  type: mapping.type,
  wallet: toWallet(mapping.wallet),
  created_at: mapping.created_at.toISOString(),
  updated_at: mapping.updated_at.toISOString(),
});

const notFound = (what: 'node' | 'network' | 'wallet' | 'default'): DomainError =>
  new DomainError(`${what}_not_found`, `There is no such ${what}`);

const keyOf = ({ node_id, network_id, type }: WalletDefaultKey): DefaultKey => ({
  nodeId: node_id.toLowerCase(),
  networkId: network_id.toLowerCase(),
  type,
});

/** Which wallets payments use that name none. */
export const createDefaultHandlers = ({
  knex,
}: {
  readonly knex: Knex;
}): Pick<Handlers, 'listDefaults' | 'createDefault' | 'replaceDefault' | 'deleteDefault'> => {
  /** The chain of the request's network. */
  const chainOf = async (connection: Knex, networkId: string): Promise<string> => {
    const chainId = await chainOfNetwork(connection, networkId);
    if (chainId === null) throw notFound('network');
    return chainId;
  };

  const assertUsable = (wallet: WalletModel, chainId: string): void => {
    if (wallet.chain_id !== chainId) {
      throw invalidRequest({ path: '/body/wallet_id', message: 'must be a wallet on the chain of the network' });
    }
    if (!wallet.is_active) throw new DomainError('wallet_inactive', 'The wallet takes no new payments');
  };

  const list: Handler<'listDefaults'> = async ({ query, caller }) => {
    const request = pageRequest(query);
    const node = await findNode(knex, caller.nodeId, query.node_id);
    if (node === null) throw notFound('node');
    if (query.network_id !== undefined) await chainOf(knex, query.network_id);
    const { include_descendants: includeDescendants, network_id: networkId, type } = query;
    const page = await listDefaults(knex, { nodeId: node.id, includeDescendants, networkId, type }, request);
    return { status: 200, body: pageBody(page, request, toDefault) };
  };

  const create: Handler<'createDefault'> = async ({ body, caller, audit }) => {
    const node = await findNode(knex, caller.nodeId, body.node_id);
    if (node === null) throw notFound('node');
    const chainId = await chainOf(knex, body.network_id);
    return auditedTransaction(knex, audit, async (trx) => {
      const wallet = await holdUsableWallet(trx, node.id, body.wallet_id);
      if (wallet === null) throw notFound('wallet');
      assertUsable(wallet, chainId);
      const inserted = await insertDefault(trx, keyOf(body), wallet.id);
      if (inserted === null) {
        throw new DomainError('default_exists', 'The node has a default of this type for the network');
      }
      const after = toDefault(inserted);
      const change = { nodeId: node.id, resourceId: after.id, before: null, after };
      return { answer: { status: 201 as const, body: after }, change: { action: 'default.created', ...change } };
    });
  };

  const replace: Handler<'replaceDefault'> = async ({ body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const answer = { status: 204 as const, body: null };
      const key = keyOf(body);
      const wallet = await holdUsableWallet(trx, key.nodeId, body.wallet_id);
      const stored = await lockDefault(trx, caller.nodeId, key);
      if (stored === null) throw notFound('default');
      if (wallet === null) throw notFound('wallet');
      assertUsable(wallet, await chainOf(trx, key.networkId));
      if (stored.wallet_id === wallet.id) return { answer, change: null };
      const before = toDefault(stored);
      const after = toDefault(await replaceDefault(trx, stored.id, wallet.id));
      const change = { nodeId: stored.node_id, resourceId: stored.id, before, after };
      return { answer, change: { action: 'default.replaced', ...change } };
    });

  const remove: Handler<'deleteDefault'> = async ({ body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const stored = await lockDefault(trx, caller.nodeId, keyOf(body));
      if (stored === null) throw notFound('default');
      await deleteDefault(trx, stored.id);
      const change = { nodeId: stored.node_id, resourceId: stored.id, before: toDefault(stored), after: null };
      return { answer: { status: 204 as const, body: null }, change: { action: 'default.deleted', ...change } };
    });

  return { listDefaults: list, createDefault: create, replaceDefault: replace, deleteDefault: remove };
};
