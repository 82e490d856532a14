import type { Knex } from 'knex';
import { BaseModel } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { prepared, rowsOf, type Statement } from '../query/statements.ts';

/** A tenant. Nodes form trees. */
export class NodeModel extends BaseModel {
  static override readonly tableName = 'nodes';

  declare id: string;
  declare parent_id: string | null;
  declare name: string;
  /** From the root down to the node itself. */
  declare path: string[];
  declare created_at: Date;
  declare updated_at: Date;
}

const findStatement: Statement = {
  name: 'node_within',
  text: 'SELECT id, parent_id, name, path, created_at, updated_at FROM nodes WHERE id = $1 AND $2 = ANY (path)',
};

/** Finds a node that is `scopeId` or below it; null for any other, whether it exists or not. */
export const findNode = async (knex: Knex, scopeId: string, id: string): Promise<NodeModel | null> => {
  const [row] = await prepared<NodeModel>(knex, findStatement, [id, scopeId]);
  return row ?? null;
};

/** The owner of a resource, by the first of these that is set. */
export interface Owner {
  readonly nodeId: string | null;
  /** A wallet, deleted or not, a payment, an order or a webhook. */
  readonly resourceId: string | null;
  /** True when it belongs to every node without a parent. */
  readonly isOperators: boolean;
}

/** Finds the node of an owner, if it is `scopeId` or below it; null otherwise. */
export const ownerWithin = async (knex: Knex, scopeId: string, owner: Owner): Promise<string | null> => {
  const rows = await rowsOf<{ id: string }>(knex, { ...owner, scopeId })(`SELECT id FROM nodes
     WHERE id = coalesce(:nodeId::uuid, (SELECT node_id FROM wallets WHERE id = :resourceId::uuid),
         (SELECT node_id FROM payments WHERE id = :resourceId::uuid),
         (SELECT node_id FROM checkouts WHERE id = :resourceId::uuid),
         (SELECT coalesce(c.node_id, w.node_id) FROM webhook_configurations c JOIN wallets w ON w.id = c.wallet_id
           WHERE c.id = :resourceId::uuid),
         CASE WHEN :isOperators THEN (SELECT id FROM nodes WHERE id = :scopeId AND parent_id IS NULL) END)
       AND :scopeId::uuid = ANY (path)`);
  return rows[0]?.id ?? null;
};

/** Lists the node `scopeId` and all below it, newest first. */
export const listNodes = (knex: Knex, scopeId: string, request: PageRequest): Promise<Page<NodeModel>> =>
  fetchPage(NodeModel.query(knex).whereRaw('path @> ARRAY[?]::uuid[]', [scopeId]), request);

/** Finds any node by its id, for entry points without a scope. */
export const findNodeById = async (knex: Knex, id: string): Promise<NodeModel | null> =>
  (await NodeModel.query(knex).findById(id)) ?? null;

const onlyOne = ([node, ...others]: readonly NodeModel[]): NodeModel | null =>
  node !== undefined && others.length === 0 ? node : null;

/** Finds any node by its name, for entry points without a scope; null unless exactly one matches. */
export const findNodeByName = async (knex: Knex, name: string): Promise<NodeModel | null> =>
  onlyOne(await NodeModel.query(knex).where({ name }).limit(2));

/** Finds the node without a parent; null unless exactly one exists. */
export const findRootNode = async (knex: Knex): Promise<NodeModel | null> =>
  onlyOne(await NodeModel.query(knex).whereNull('parent_id').limit(2));

/** True for a node without a parent, which is an operator's. */
export const isWithoutParent = async (knex: Knex, id: string): Promise<boolean> =>
  (await findNode(knex, id, id))?.parent_id === null;
