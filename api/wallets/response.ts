import { checksum } from '../../chain/pure/address.ts';
import type { WalletDefaultModel } from '../../db/wallets/defaults.ts';
import type { WalletModel } from '../../db/wallets/wallets.ts';
import type { Wallet, WalletDefault } from '../generated/openapi-types.ts';

/** The one shape of wallets in all answers. */
export const toWallet = (wallet: WalletModel): Wallet => ({
  id: wallet.id,
  node_id: wallet.node_id,
  chain_id: wallet.chain_id,
  name: wallet.name,
  address: checksum(wallet.address),
  is_active: wallet.is_active,
  deal_modes: Object.entries(wallet.deal_modes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([network_id, mode]) => ({ network_id, mode })),
  created_at: wallet.created_at.toISOString(),
  updated_at: wallet.updated_at.toISOString(),
});

/** The one shape of default wallets in all answers. */
export const toDefault = (mapping: WalletDefaultModel): WalletDefault => ({
  id: mapping.id,
  node_id: mapping.node_id,
  network_id: mapping.network_id,
  wallet_id: mapping.wallet_id,
  type: mapping.type,
  wallet: toWallet(mapping.wallet),
  created_at: mapping.created_at.toISOString(),
  updated_at: mapping.updated_at.toISOString(),
});
