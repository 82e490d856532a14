import objection from 'objection';

/** A tenant; may have a parent. */
export class NodeModel extends objection.Model {
  static override readonly tableName = 'nodes';

  declare id: string;
  declare parent_id: string | null;
  declare name: string;
  /** From the root down to the node itself. */
  declare path: string[];
  declare created_at: Date;
  declare updated_at: Date;
}
