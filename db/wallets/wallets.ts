import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors.ts';
import { BaseModel, type NodeFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/** The container of a node's diamonds on one chain. */
export class WalletModel extends BaseModel {
  static override readonly tableName = 'wallets';

  declare id: string;
  declare node_id: string;
  declare chain_id: string;
  declare name: string;
  /** Lower-case hex; the same on every network of the chain. */
  declare address: string;
  /** The address was given by a client; it is not the one that follows from node and wallet. */
  declare adopted: boolean;
  declare is_active: boolean;
  declare deleted_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/** What a wallet is made of. The id is given because the address follows from it; the address is lower-case hex. */
export type NewWallet = Pick<WalletModel, 'id' | 'node_id' | 'chain_id' | 'name' | 'address'>;

/** Stores a wallet. */
export const insertWallet = async (knex: Knex, wallet: NewWallet): Promise<WalletModel> =>
  WalletModel.query(knex).insert(wallet).returning('*');

/** A wallet of `scopeId` or of a node below it; null for any other, whether it exists or not. */
export const findWallet = async (knex: Knex, scopeId: string, id: string): Promise<WalletModel | null> =>
  (await WalletModel.query(knex).live().inReach(scopeId).findById(id)) ?? null;

/** The wallets of one node, or with all below it, newest first. */
export const listWallets = (knex: Knex, filter: NodeFilter, request: PageRequest): Promise<Page<WalletModel>> =>
  fetchPage(WalletModel.query(knex).live().ofNode(filter), request);

/**
 * Like `findWallet`, for a change: new payments and defaults through the wallet, deployments and other changes wait
 * until it is done, and then look at what the wallet has become.
 */
export const lockWallet = async (trx: Knex.Transaction, scopeId: string, id: string): Promise<WalletModel | null> =>
  (await WalletModel.query(trx).live().inReach(scopeId).findById(id).forUpdate()) ?? null;

/** What a client can change of a wallet. `address` is lower-case hex. */
export type WalletChanges = Partial<Pick<WalletModel, 'name' | 'is_active' | 'address' | 'adopted'>>;

/** The refusal of an address that is another wallet's. */
export const addressTaken = (): DomainError =>
  new DomainError('wallet_address_taken', 'Another wallet of the chain has this address');

/**
 * Changes a locked wallet.
 * @throws DomainError wallet_address_taken when another live wallet of the chain has the address
 */
export const updateWallet = async (trx: Knex.Transaction, id: string, changes: WalletChanges): Promise<WalletModel> =>
  WalletModel.query(trx).findById(id).touch(changes).refuseTwins('wallets_address', addressTaken);

/** Hides a locked wallet. What its open payments need stays. */
export const deleteWallet = async (trx: Knex.Transaction, id: string): Promise<void> => {
  await WalletModel.query(trx).findById(id).softDelete();
};
