import type { Knex } from 'knex';
import { WalletDefaultModel, type WalletDefaultType } from './default-model.ts';
import { WalletModel } from './model.ts';
import { inReach, ofNode, type NodeFilter } from '../query/node-filter.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/** What identifies a mapping. */
export interface DefaultKey {
  readonly nodeId: string;
  readonly networkId: string;
  readonly type: WalletDefaultType;
}

const columnsOf = ({ nodeId, networkId, type }: DefaultKey) => ({ node_id: nodeId, network_id: networkId, type });

/**
 * A wallet that payments of a node may use: of the node or of an ancestor. It is neither changed nor deleted until the
 * transaction ends; whoever locks it for a default does so before the default itself, as the deletion of a wallet does.
 */
export const holdUsableWallet = async (
  trx: Knex.Transaction,
  nodeId: string,
  walletId: string,
): Promise<WalletModel | null> => {
  const wallet = await WalletModel.query(trx)
    .findById(walletId)
    .whereNull('deleted_at')
    .whereRaw('EXISTS (SELECT 1 FROM nodes n WHERE n.id = ? AND wallets.node_id = ANY (n.path))', [nodeId])
    .forKeyShare();
  return wallet ?? null;
};

/** Stores a mapping; null when there is one for the same node, network and type. */
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

/** A mapping of a node in the caller's reach, locked for a change; null for any other. */
export const lockDefault = async (
  trx: Knex.Transaction,
  scopeId: string,
  key: DefaultKey,
): Promise<WalletDefaultModel | null> => {
  const query = WalletDefaultModel.query(trx).findOne(columnsOf(key));
  return (await inReach(query, scopeId).forUpdate().withGraphFetched('wallet')) ?? null;
};

/** Gives a locked mapping another wallet. */
export const replaceDefault = async (
  trx: Knex.Transaction,
  id: string,
  walletId: string,
): Promise<WalletDefaultModel> =>
  WalletDefaultModel.query(trx)
    .patchAndFetchById(id, { wallet_id: walletId, updated_at: trx.raw('clock_timestamp()') as never })
    .withGraphFetched('wallet');

/** Removes a locked mapping. */
export const deleteDefault = async (trx: Knex.Transaction, id: string): Promise<void> => {
  await WalletDefaultModel.query(trx).deleteById(id);
};

/** Removes every mapping to a locked wallet, of whichever node. */
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

/** The mappings of one node, or with all below it, newest first. */
export const listDefaults = (
  knex: Knex,
  filter: DefaultFilter,
  request: PageRequest,
): Promise<Page<WalletDefaultModel>> => {
  const query = ofNode(WalletDefaultModel.query(knex), filter).withGraphFetched('wallet');
  if (filter.networkId !== undefined) void query.where({ network_id: filter.networkId });
  if (filter.type !== undefined) void query.where({ type: filter.type });
  return fetchPage(query, request);
};
