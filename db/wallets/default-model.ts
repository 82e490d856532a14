import objection from 'objection';
import { WalletModel } from './model.ts';

/** Whose payments without a wallet use the mapping: `node` the node's own, `apex` also those of the nodes below. */
export type WalletDefaultType = 'apex' | 'node';

/** Which wallet a payment uses on a network when it names none. */
export class WalletDefaultModel extends objection.Model {
  static override readonly tableName = 'node_network_wallet_defaults';
  static override readonly relationMappings = {
    wallet: {
      relation: objection.Model.BelongsToOneRelation,
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
