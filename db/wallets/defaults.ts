import type { Knex } from 'knex';
import { BaseModel, type NodeFilter } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { hasRows } from '../query/statements.ts';
import { WalletModel } from './wallets.ts';

/** The payments without a wallet that use a default: `node` those of its node, `apex` also those of the nodes below. */
export type WalletDefaultType = 'apex' | 'node';

/** A default: the wallet of payments on a network that name none. */
export class WalletDefaultModel extends BaseModel {
  static override readonly tableName = 'node_network_wallet_defaults';
  static override readonly relationMappings = {
    wallet: {
      relation: BaseModel.BelongsToOneRelation,
      modelClass: WalletModel,
      join: { from: 'node_network_wallet_defaults.wallet_id', to: 'wallets.id' },
    },
  };

  declare id: string;
  declare node_id: string;
  declare network_id: string;
  declare wallet_id: string;
  declare type: WalletDefaultType;
  declare created_at: Date;
  declare updated_at: Date;
  /** Fetched beside the columns. */
  declare wallet: WalletModel;
}

/** The key of a default. */
export interface DefaultKey {
  readonly nodeId: string;
  readonly networkId: string;
  readonly type: WalletDefaultType;
}

const columnsOf = ({ nodeId, networkId, type }: DefaultKey) => ({ node_id: nodeId, network_id: networkId, type });

/**
 * Finds a wallet of the node or of an ancestor, and locks it against changes and deletion until the transaction ends. Lock it
 * before the default itself, as the deletion of a wallet does.
 */
export const holdUsableWallet = async (
  trx: Knex.Transaction,
  nodeId: string,
  walletId: string,
): Promise<WalletModel | null> => {
  const wallet = await WalletModel.query(trx)
    .live()
    .findById(walletId)
    .whereRaw('EXISTS (SELECT 1 FROM nodes n WHERE n.id = ? AND wallets.node_id = ANY (n.path))', [nodeId])
    .forKeyShare();
  return wallet ?? null;
};

/**
 * SQL: the default wallet of a node `n`, by its own default of type `node`, then its `apex`, then that of the nearest ancestor.
 * @param condition restricts the defaults `f` to a network
 */
export const defaultWalletWhere = (condition: string): string => `
  SELECT f.wallet_id FROM node_network_wallet_defaults f
  WHERE ${condition} AND f.node_id = ANY (n.path) AND (f.type = 'apex' OR f.node_id = n.id)
  ORDER BY f.node_id = n.id AND f.type = 'node' DESC, array_position(n.path, f.node_id) DESC LIMIT 1`;

/** True when the wallet is the node's default on the network, and the node is `scopeId` or below it. */
export const isDefaultWallet = (
  trx: Knex,
  scopeId: string,
  { nodeId, networkId, walletId }: { readonly nodeId: string; readonly networkId: string; readonly walletId: string },
): Promise<boolean> =>
  hasRows(trx, { scopeId, nodeId, networkId, walletId })(`SELECT 1 FROM nodes n
     WHERE n.id = :nodeId AND CAST(:scopeId AS uuid) = ANY (n.path)
       AND :walletId = (${defaultWalletWhere('f.network_id = :networkId')})`);

/** Stores a default; null when one exists for the same node, network and type. */
export const insertDefault = async (
  trx: Knex.Transaction,
  key: DefaultKey,
  walletId: string,
): Promise<WalletDefaultModel | null> => {
  const [inserted] = await trx<WalletDefaultModel>('node_network_wallet_defaults')
    .insert({ ...columnsOf(key), wallet_id: walletId })
    .onConflict(['node_id', 'network_id', 'type'])
    .ignore()
    .returning('*');
  if (inserted === undefined) return null;
  return (await WalletDefaultModel.query(trx).findById(inserted.id).withGraphFetched('wallet')) ?? null;
};

/** Locks a default of a node in the caller's reach for a change; null for any other. */
export const lockDefault = async (
  trx: Knex.Transaction,
  scopeId: string,
  key: DefaultKey,
): Promise<WalletDefaultModel | null> => {
  const query = WalletDefaultModel.query(trx).inReach(scopeId).findOne(columnsOf(key));
  return (await query.forUpdate().withGraphFetched('wallet')) ?? null;
};

/** Gives a locked default another wallet. */
export const replaceDefault = async (
  trx: Knex.Transaction,
  id: string,
  walletId: string,
): Promise<WalletDefaultModel> =>
  WalletDefaultModel.query(trx).findById(id).touch({ wallet_id: walletId }).withGraphFetched('wallet');

export const deleteDefault = async (trx: Knex.Transaction, id: string): Promise<void> => {
  await WalletDefaultModel.query(trx).deleteById(id);
};

/** Deletes the defaults of all nodes that name a locked wallet. */
export const deleteDefaultsOf = async (trx: Knex.Transaction, walletId: string): Promise<WalletDefaultModel[]> => {
  const defaults = await WalletDefaultModel.query(trx)
    .where({ wallet_id: walletId })
    .orderBy('id')
    .forUpdate()
    .withGraphFetched('wallet');
  await WalletDefaultModel.query(trx)
    .whereIn(
      'id',
      defaults.map(({ id }) => id),
    )
    .delete();
  return defaults;
};

export interface DefaultFilter extends NodeFilter {
  readonly networkId?: string | undefined;
  readonly type?: WalletDefaultType | undefined;
}

/** Lists the defaults of one node, optionally with all below it, newest first. */
export const listDefaults = (
  knex: Knex,
  { networkId, type, ...nodes }: DefaultFilter,
  request: PageRequest,
): Promise<Page<WalletDefaultModel>> => {
  const query = WalletDefaultModel.query(knex).ofNode(nodes).matching({ network_id: networkId, type });
  return fetchPage(query.withGraphFetched('wallet'), request);
};
