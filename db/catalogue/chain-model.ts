import objection from 'objection';

/** A family of networks. */
export class ChainModel extends objection.Model {
  static override readonly tableName = 'chains';

  declare id: string;
  declare name: string;
  declare created_at: Date;
}
