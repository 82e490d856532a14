import objection from 'objection';

/** Where a currency is on one network; a null address is the native coin. */
export interface CurrencyToken {
  readonly network_id: string;
  readonly address: string | null;
  readonly decimals: number;
}

/** A currency with its tokens. */
export class CurrencyModel extends objection.Model {
  static override readonly tableName = 'currencies';

  declare id: string;
  declare symbol: string;
  declare name: string;
  declare decimals: number;
  declare created_at: Date;
  /** Selected beside the columns. */
  declare tokens: CurrencyToken[];
}
