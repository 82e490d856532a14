import objection from 'objection';

/** The container of a node's diamonds on one chain. */
export class WalletModel extends objection.Model {
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
