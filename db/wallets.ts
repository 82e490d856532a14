import type { Knex } from 'knex';
import { WalletModel } from './models/wallet.ts';
import { inReach, ofNode, type NodeFilter } from './node-filter.ts';
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
export const findWallet = async (knex: Knex, scopeId: string, id: string): Promise<WalletModel | null> =>
  (await inReach(WalletModel.query(knex).findById(id).whereNull('deleted_at'), scopeId)) ?? null;

/** The wallets of one node, or with all below it, newest first. */
export const listWallets = (knex: Knex, filter: NodeFilter, request: PageRequest): Promise<Page<WalletModel>> =>
  fetchPage(ofNode(WalletModel.query(knex).whereNull('deleted_at'), filter), request);
