import objection from 'objection';

/** One EVM network as it may be shown: without its RPC URLs. */
export class NetworkModel extends objection.Model {
  static override readonly tableName = 'networks';

  declare id: string;
  declare chain_id: string;
  declare name: string;
  /** Decimal text of the EIP-155 id. */
  declare eip155: string;
  declare confirmations: number;
  declare finality: number;
  declare block_time_ms: number;
  declare explorer_url: string | null;
  declare created_at: Date;
  declare updated_at: Date;
}
