import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { assertInUse, chainOfNetwork } from '../../db/catalogue/reads.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import {
  deleteDefault,
  holdUsableWallet,
  insertDefault,
  listDefaults,
  lockDefault,
  replaceDefault,
  type DefaultKey,
} from '../../db/wallets/defaults.ts';
import type { WalletModel } from '../../db/wallets/wallets.ts';
import { changed, created, deleted, withoutBody } from '../../domain/audit.ts';
import { DomainError, found, invalidRequest } from '../../domain/errors.ts';
import type { WalletDefaultKey } from '../generated/openapi-types.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';
import { toDefault } from './response.ts';

const keyOf = ({ node_id, network_id, type }: WalletDefaultKey): DefaultKey => ({
  nodeId: node_id.toLowerCase(),
  networkId: network_id.toLowerCase(),
  type,
});

const usable = { path: '/body/wallet_id', message: 'must be a wallet of the node or of a node above it' };

const assertUsable = (wallet: WalletModel, chainId: string): void => {
  if (wallet.chain_id !== chainId) {
    throw invalidRequest({ path: '/body/wallet_id', message: 'must be a wallet on the chain of the network' });
  }
  if (!wallet.is_active) throw new DomainError('wallet_inactive', 'The wallet takes no new payments');
};

/** Default wallets, for payments that name no wallet. */
export const createDefaultHandlers = ({
  knex,
}: HandlerDeps): Pick<Handlers, 'listDefaults' | 'createDefault' | 'replaceDefault' | 'deleteDefault'> => ({
  listDefaults: async ({ query, caller }) => {
    const request = pageRequest(query);
    const { include_descendants: includeDescendants, network_id: networkId, type } = query;
    const node = found(await findNode(knex, caller.nodeId, query.node_id), 'node');
    if (networkId !== undefined) found(await chainOfNetwork(knex, networkId), 'network');
    const page = await listDefaults(knex, { nodeId: node.id, includeDescendants, networkId, type }, request);
    return { status: 200, body: pageBody(page, request, toDefault) };
  },

  createDefault: async ({ body, caller, audit }) => {
    const node = found(await findNode(knex, caller.nodeId, body.node_id), 'node');
    const chainId = found(await chainOfNetwork(knex, body.network_id), 'network');
    return auditedTransaction(knex, audit, async (trx) => {
      await assertInUse(trx, body.network_id);
      const wallet = found(await holdUsableWallet(trx, node.id, body.wallet_id), 'wallet', usable);
      assertUsable(wallet, chainId);
      const inserted = await insertDefault(trx, keyOf(body), wallet.id);
      if (inserted === null) {
        throw new DomainError('default_exists', 'The node already has a default of this type for the network');
      }
      return created('default', toDefault(inserted));
    });
  },

  replaceDefault: ({ body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const key = keyOf(body);
      const held = await holdUsableWallet(trx, key.nodeId, body.wallet_id);
      const stored = found(await lockDefault(trx, caller.nodeId, key), 'default');
      const wallet = found(held, 'wallet', usable);
      assertUsable(wallet, found(await chainOfNetwork(trx, key.networkId), 'network'));
      if (stored.wallet_id === wallet.id) return withoutBody(null);
      await assertInUse(trx, key.networkId);
      const after = await replaceDefault(trx, stored.id, wallet.id);
      return withoutBody(changed('default.replaced', toDefault(stored), toDefault(after)));
    }),

  deleteDefault: ({ body, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const stored = found(await lockDefault(trx, caller.nodeId, keyOf(body)), 'default');
      await deleteDefault(trx, stored.id);
      return deleted('default', toDefault(stored));
    }),
});
