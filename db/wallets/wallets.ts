import type { Knex } from 'knex';
import { isUniqueViolation } from '../query/unique-violation.ts';
import { addressTaken } from './address.ts';
import { WalletModel } from './model.ts';
import { inReach, ofNode, type NodeFilter } from '../query/node-filter.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

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

/**
 * Like `findWallet`, for a change: new payments and defaults through the wallet, deployments and other changes wait
 * until it is done, and then look at what the wallet has become.
 */
export const lockWallet = async (trx: Knex.Transaction, scopeId: string, id: string): Promise<WalletModel | null> =>
  (await inReach(WalletModel.query(trx).findById(id).whereNull('deleted_at'), scopeId).forUpdate()) ?? null;

/** What a client can change of a wallet. `address` is lower-case hex. */
export type WalletChanges = Partial<Pick<WalletModel, 'name' | 'is_active' | 'address' | 'adopted'>>;

/**
 * Changes a locked wallet.
 * @throws DomainError wallet_address_taken when another live wallet of the chain has the address
 */
export const updateWallet = async (trx: Knex.Transaction, id: string, changes: WalletChanges): Promise<WalletModel> => {
  try {
    return await WalletModel.query(trx).patchAndFetchById(id, {
      ...changes,
      updated_at: trx.raw('clock_timestamp()') as never,
    });
  } catch (error) {
    // objection wraps what the driver says
    const { nativeError } = error as { nativeError?: unknown };
    throw isUniqueViolation(nativeError ?? error, 'wallets_address') ? addressTaken() : error;
  }
};

/** Hides a locked wallet. What its open payments need stays. */
export const deleteWallet = async (trx: Knex.Transaction, id: string): Promise<void> => {
  const now = trx.raw('clock_timestamp()') as never;
  await WalletModel.query(trx).findById(id).patch({ deleted_at: now, updated_at: now });
};
