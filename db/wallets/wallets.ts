import type { Knex } from 'knex';
import { adoptionRefusals } from '../../domain/deployment.ts';
import { DomainError } from '../../domain/errors.ts';
import { openStatuses } from '../../domain/payment.ts';
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
  /** The node of the client that gave it. */
  declare adopted_by: string | null;
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

/** Where a wallet's diamond on a network is, or would be, also of a deleted one; null for no wallet of the network's chain. */
export const addressOnNetwork = async (knex: Knex, id: string, networkId: string): Promise<string | null> => {
  const wallet = await WalletModel.query(knex)
    .findById(id)
    .whereRaw('chain_id = (SELECT chain_id FROM networks WHERE id = ?)', [networkId]);
  return wallet?.address ?? null;
};

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
export type WalletChanges = Partial<Pick<WalletModel, 'name' | 'is_active' | 'address' | 'adopted' | 'adopted_by'>>;

const addressTaken = (): DomainError =>
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

interface Obstacles {
  readonly has_diamond: boolean;
  readonly has_payments: boolean;
  readonly is_taken: boolean;
}

/** The diamonds of an adopted wallet that a deployment has refused: there is nothing of the wallet at that address. */
const refused = `
  w.adopted AND EXISTS (
    SELECT 1 FROM deployments d JOIN deployment_steps s ON s.deployment_id = d.id
    WHERE d.wallet_id = m.wallet_id AND d.network_id = m.network_id AND d.kind = 'deploy' AND d.status = 'failed'
      AND s.key = 'deploy_diamond' AND s.status = 'failed' AND s.error_code = ANY (:refusals))`;

/**
 * Frees a locked wallet from its address, so that it may get another one: forgets diamonds whose adoption was refused,
 * and makes sure that nothing else is bound to the address.
 * @param address the new one, lower-case hex
 * @throws DomainError wallet_deployed, wallet_in_use, or wallet_address_taken
 */
export const releaseAddress = async (trx: Knex.Transaction, wallet: WalletModel, address: string): Promise<void> => {
  const bindings = {
    id: wallet.id,
    chain_id: wallet.chain_id,
    address,
    open: [...openStatuses],
    refusals: Object.values(adoptionRefusals),
  };
  const { rows } = await trx.raw<{ rows: Obstacles[] }>(
    `SELECT
       EXISTS (SELECT 1 FROM diamonds m JOIN wallets w ON w.id = m.wallet_id
         WHERE m.wallet_id = :id AND NOT (${refused})) AS has_diamond,
       EXISTS (SELECT 1 FROM payments
         WHERE wallet_id = :id AND payment_method = 'web3' AND status = ANY (:open)) AS has_payments,
       -- also a deleted wallet keeps its diamonds, for the payments that it took
       EXISTS (SELECT 1 FROM wallets
         WHERE chain_id = :chain_id AND address = :address AND deleted_at IS NULL AND id <> :id)
       OR EXISTS (SELECT 1 FROM diamonds m JOIN networks n ON n.id = m.network_id
         WHERE n.chain_id = :chain_id AND m.address = :address AND m.wallet_id <> :id) AS is_taken`,
    bindings,
  );
  const [found] = rows;
  if (found?.has_diamond) {
    throw new DomainError('wallet_deployed', "The wallet's diamond is deployed, or being deployed, at its address");
  }
  if (found?.has_payments) {
    throw new DomainError('wallet_in_use', 'Open web3 payments are bound to the address of the wallet');
  }
  if (found?.is_taken) throw addressTaken();
  await trx('diamonds').where({ wallet_id: wallet.id }).delete();
};
