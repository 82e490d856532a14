import type { Knex } from 'knex';
import { adoptionRefusals } from '../../domain/deployment.ts';
import { DomainError } from '../../domain/errors.ts';
import { openStatuses, type DealMode } from '../../domain/payment.ts';
import { dealModeOf } from '../intents/deals.ts';
import { BaseModel, type NodeFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { hasOldProcess, OFFERS_LEVEL } from '../level.ts';
import { takesOffers } from '../intents/conditions.ts';
import { rowOf, rowsOf } from '../query/statements.ts';

/** A wallet: a node's diamonds on the networks of one chain. */
export class WalletModel extends BaseModel {
  static override readonly tableName = 'wallets';

  declare id: string;
  declare node_id: string;
  declare chain_id: string;
  declare name: string;
  /** Lower-case hex; the same on every network of the chain. */
  declare address: string;
  /** True when a client gave the address, instead of the one derived from node and wallet. */
  declare adopted: boolean;
  /** Node of the client that gave the address. */
  declare adopted_by: string | null;
  declare is_active: boolean;
  /** How the deals of new payments come about, by the id of the network; `created` where it is absent. */
  declare deal_modes: Readonly<Record<string, DealMode>>;
  declare deleted_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/** A new wallet. The caller chooses the id, because the address is derived from it. The address is lower-case hex. */
export type NewWallet = Pick<WalletModel, 'id' | 'node_id' | 'chain_id' | 'name' | 'address'>;

export const insertWallet = async (knex: Knex, wallet: NewWallet): Promise<WalletModel> =>
  WalletModel.query(knex).insert(wallet).returning('*');

/** Finds a wallet of `scopeId` or of a node below it; null for any other, whether it exists or not. */
export const findWallet = async (knex: Knex, scopeId: string, id: string): Promise<WalletModel | null> =>
  (await WalletModel.query(knex).live().inReach(scopeId).findById(id)) ?? null;

/** Address of a wallet's diamond on a network, present or future; null unless the wallet, live or deleted, is of its chain. */
export const addressOnNetwork = async (knex: Knex, id: string, networkId: string): Promise<string | null> => {
  const wallet = await WalletModel.query(knex)
    .findById(id)
    .whereRaw('chain_id = (SELECT chain_id FROM networks WHERE id = ?)', [networkId]);
  return wallet?.address ?? null;
};

/** How the deals of new payments of the wallet with this diamond come about on a network; null when no such wallet exists. */
export const dealModeAt = async (knex: Knex, address: string, networkId: string): Promise<DealMode | null> => {
  const rows = await rowsOf<{ mode: DealMode }>(knex, { address, network_id: networkId })(`
     SELECT ${dealModeOf('w', ':network_id')} AS mode FROM wallets w JOIN networks n ON n.id = :network_id
     WHERE w.address = :address AND w.chain_id = n.chain_id AND w.deleted_at IS NULL`);
  return rows[0]?.mode ?? null;
};

/** Lists the wallets of one node, optionally with all below it, newest first. */
export const listWallets = (knex: Knex, filter: NodeFilter, request: PageRequest): Promise<Page<WalletModel>> =>
  fetchPage(WalletModel.query(knex).live().ofNode(filter), request);

/**
 * Like `findWallet`, for a change. New payments and defaults through the wallet, deployments and other changes wait until the
 * transaction ends, and then see the changed wallet.
 */
export const lockWallet = async (trx: Knex.Transaction, scopeId: string, id: string): Promise<WalletModel | null> =>
  (await WalletModel.query(trx).live().inReach(scopeId).findById(id).forUpdate()) ?? null;

/** Changes of a wallet. `address` is lower-case hex. */
export type WalletChanges = Partial<
  Pick<WalletModel, 'name' | 'is_active' | 'deal_modes' | 'address' | 'adopted' | 'adopted_by'>
>;

const addressTaken = (): DomainError =>
  new DomainError('wallet_address_taken', 'Another wallet of the chain has this address');

/**
 * Changes a locked wallet.
 * @throws DomainError wallet_address_taken when another live wallet of the chain has the address
 */
export const updateWallet = async (trx: Knex.Transaction, id: string, changes: WalletChanges): Promise<WalletModel> =>
  WalletModel.query(trx).findById(id).touch(changes).refuseTwins('wallets_address', addressTaken);

/** Soft-deletes a locked wallet. Its open payments go on. */
export const deleteWallet = async (trx: Knex.Transaction, id: string): Promise<void> => {
  await WalletModel.query(trx).findById(id).softDelete();
};

interface Obstacles {
  readonly has_diamond: boolean;
  readonly has_payments: boolean;
  readonly is_taken: boolean;
}

/** SQL: a diamond of an adopted wallet that a deployment has refused, so that the wallet owns nothing at the address. */
const refused = `
  w.adopted AND EXISTS (
    SELECT 1 FROM deployments d JOIN deployment_steps s ON s.deployment_id = d.id
    WHERE d.wallet_id = m.wallet_id AND d.network_id = m.network_id AND d.kind = 'deploy' AND d.status = 'failed'
      AND s.key = 'deploy_diamond' AND s.status = 'failed' AND s.error_code = ANY (:refusals))`;

/**
 * Frees a locked wallet from its address, so that it can get another one: deletes diamonds whose adoption was refused, and
 * makes sure that nothing else is bound to the address.
 * @param address the new one, lower-case hex
 * @throws DomainError wallet_deployed, wallet_in_use, or wallet_address_taken
 */
export const freeAddress = async (trx: Knex.Transaction, wallet: WalletModel, address: string): Promise<void> => {
  const bindings = {
    id: wallet.id,
    chain_id: wallet.chain_id,
    address,
    open: [...openStatuses],
    refusals: Object.values(adoptionRefusals),
  };
  const [found] = await rowsOf<Obstacles>(
    trx,
    bindings,
  )(`SELECT
       EXISTS (SELECT 1 FROM diamonds m JOIN wallets w ON w.id = m.wallet_id
         WHERE m.wallet_id = :id AND NOT (${refused})) AS has_diamond,
       EXISTS (SELECT 1 FROM payments
         WHERE wallet_id = :id AND payment_method = 'web3' AND status = ANY (:open)) AS has_payments,
       -- a deleted wallet keeps its diamonds too, for its payments
       EXISTS (SELECT 1 FROM wallets
         WHERE chain_id = :chain_id AND address = :address AND deleted_at IS NULL AND id <> :id)
       OR EXISTS (SELECT 1 FROM diamonds m JOIN networks n ON n.id = m.network_id
         WHERE n.chain_id = :chain_id AND m.address = :address AND m.wallet_id <> :id) AS is_taken`);
  if (found?.has_diamond) {
    throw new DomainError('wallet_deployed', "The wallet's diamond is deployed, or being deployed, at its address");
  }
  if (found?.has_payments) {
    throw new DomainError('wallet_in_use', 'Open web3 payments are bound to the address of the wallet');
  }
  if (found?.is_taken) throw addressTaken();
  await trx('diamonds').where({ wallet_id: wallet.id }).delete();
};

interface OfferObstacles {
  readonly takes_offers: boolean;
  readonly has_signer: boolean;
  readonly has_old_process: boolean;
}

/**
 * Raises the floor of the database, so that no older version starts on offered payments, and checks that a locked wallet can
 * offer deals on a network.
 * @throws DomainError deal_mode_unavailable
 */
export const requireOffers = async (
  trx: Knex.Transaction,
  wallet: { readonly id: string },
  { networkId, path }: { readonly networkId: string; /** of the field in the request */ readonly path: string },
): Promise<void> => {
  // Written even where it is high enough: the lock keeps others from lowering it before this transaction ends.
  await trx.raw('UPDATE floor SET level = greatest(level, :level)', { level: OFFERS_LEVEL });
  const found = await rowOf<OfferObstacles>(trx, { wallet_id: wallet.id, network_id: networkId })(`SELECT
       EXISTS (SELECT 1 FROM diamonds d WHERE d.wallet_id = :wallet_id AND d.network_id = :network_id AND ${takesOffers}) AS takes_offers,
       EXISTS (SELECT 1 FROM signer_accounts WHERE network_id = :network_id AND role = 'signer' AND dismissed_at IS NULL) AS has_signer,
       ${hasOldProcess(OFFERS_LEVEL)} AS has_old_process`);
  const refuse = (message: string): never => {
    throw new DomainError('deal_mode_unavailable', message, { errors: [{ path, message: 'cannot offer deals yet' }] });
  };
  if (!found.takes_offers)
    refuse("The wallet's diamond on this network is not active, or must be updated to take offers");
  if (!found.has_signer) refuse('The operator has not prepared this network with a key for offers yet');
  if (found.has_old_process)
    refuse('A process of an older version of this service still runs; try again after the upgrade');
};

/** The modes after a change. `created` is the default and is not stored. */
export const mergedModes = (
  stored: Readonly<Record<string, DealMode>>,
  wanted: Readonly<Record<string, DealMode>>,
): Readonly<Record<string, DealMode>> =>
  Object.fromEntries(Object.entries({ ...stored, ...wanted }).filter(([, mode]) => mode !== 'created'));
