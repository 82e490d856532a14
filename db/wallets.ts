import type { Knex } from 'knex';
import { WalletModel } from './models/wallet.ts';
import { fetchPage, type Page, type PageRequest } from './page.ts';

export interface NewWallet {
  readonly id: string;
  readonly nodeId: string;
  readonly chainId: string;
  readonly name: string;
  /** Lower-case hex. */
  readonly address: string;
}

/** Stores a wallet. */
export const insertWallet = async (knex: Knex, wallet: NewWallet): Promise<WalletModel> =>
  WalletModel.query(knex)
    .insert({
      id: wallet.id,
      node_id: wallet.nodeId,
      chain_id: wallet.chainId,
      name: wallet.name,
      address: wallet.address,
    })
    .returning('*');

/** A wallet of `scopeId` or of a node below it; null for any other, whether it exists or not. */
export const findWallet = async (knex: Knex, scopeId: string, id: string): Promise<WalletModel | null> => {
  const wallet = await WalletModel.query(knex)
    .findById(id)
    .whereNull('deleted_at')
    .whereRaw('EXISTS (SELECT 1 FROM nodes n WHERE n.id = wallets.node_id AND ?::uuid = ANY (n.path))', [scopeId]);
  return wallet ?? null;
};

/** The wallets of one node, or with all below it, newest first. */
export const listWallets = (
  knex: Knex,
  filter: { readonly nodeId: string; readonly includeDescendants: boolean },
  request: PageRequest,
): Promise<Page<WalletModel>> => {
  const query = WalletModel.query(knex).whereNull('deleted_at');
  const scoped = filter.includeDescendants
    ? query.whereRaw('node_id IN (SELECT id FROM nodes WHERE path @> ARRAY[?]::uuid[])', [filter.nodeId])
    : query.where({ node_id: filter.nodeId });
  return fetchPage(scoped, request);
};
