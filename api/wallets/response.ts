import { checksum } from '../../chain/pure/address.ts';
import type { WalletModel } from '../../db/wallets/wallets.ts';
import type { Wallet } from '../generated/openapi-types.ts';

/** The one shape a wallet has wherever it is answered. */
export const toWallet = (wallet: WalletModel): Wallet => ({
  id: wallet.id,
  node_id: wallet.node_id,
  chain_id: wallet.chain_id,
  name: wallet.name,
  address: checksum(wallet.address),
  is_active: wallet.is_active,
  created_at: wallet.created_at.toISOString(),
  updated_at: wallet.updated_at.toISOString(),
});
