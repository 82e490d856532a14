import type { Model, QueryBuilder } from 'objection';

/** Which part of the tree a list is about. */
export interface NodeFilter {
  readonly nodeId: string;
  readonly includeDescendants: boolean;
}

/** Keeps the rows of one node, or also those of all nodes below it. */
export const ofNode = <M extends Model>(
  query: QueryBuilder<M>,
  { nodeId, includeDescendants }: NodeFilter,
): QueryBuilder<M> => {
  const column = `${query.modelClass().tableName}.node_id`;
  return includeDescendants
    ? query.whereRaw('?? IN (SELECT id FROM nodes WHERE path @> ARRAY[?]::uuid[])', [column, nodeId])
    : query.where(column, nodeId);
};

/** Keeps the rows of `scopeId` and of all nodes below it: what a caller of that node can reach. */
export const inReach = <M extends Model>(query: QueryBuilder<M, M | undefined>, scopeId: string) =>
  query.whereRaw('EXISTS (SELECT 1 FROM nodes n WHERE n.id = ?? AND ?::uuid = ANY (n.path))', [
    `${query.modelClass().tableName}.node_id`,
    scopeId,
  ]);
