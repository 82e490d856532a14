import type { Knex } from 'knex';
import { chainOfNetwork } from '../../db/catalogue/reads.ts';
import { findWallet, type WalletModel } from '../../db/wallets/wallets.ts';
import type { Caller } from '../../domain/access.ts';
import { found, invalidRequest, notFoundAt } from '../../domain/errors.ts';

/** A request's reference to a wallet's diamond: the wallet's node and a network. */
interface Place {
  readonly node_id: string;
  readonly network_id: string;
}

/**
 * Returns the wallet that a request names, and the network's id in its stored form.
 * @param where the part of the request that names the network
 * @throws DomainError wallet_not_found, node_not_found, network_not_found, or invalid_request for a network of another
 * chain
 */
export const walletOnNetwork = async (
  knex: Knex,
  caller: Caller,
  walletId: string,
  { place, where }: { readonly place: Place; readonly where: 'body' | 'query' },
): Promise<{ wallet: WalletModel; networkId: string }> => {
  const wallet = found(await findWallet(knex, caller.nodeId, walletId), 'wallet');
  if (wallet.node_id !== place.node_id.toLowerCase()) {
    throw notFoundAt('node', { path: `/${where}/node_id`, message: 'must be the node of the wallet' });
  }
  const chainId = found(await chainOfNetwork(knex, place.network_id), 'network');
  if (chainId !== wallet.chain_id) {
    throw invalidRequest({ path: `/${where}/network_id`, message: "must be a network of the wallet's chain" });
  }
  return { wallet, networkId: place.network_id.toLowerCase() };
};
