import { findNodeByName, findRootNode } from '../db/nodes/nodes.ts';
import type { Database } from './with-database.ts';

/**
 * The node that a command speaks of: the one of that name, else the root node.
 * @throws Error that says why there is none
 */
export const chosenNode = async (knex: Database, name: string | undefined): Promise<{ id: string; name: string }> => {
  const node = name === undefined ? await findRootNode(knex) : await findNodeByName(knex, name);
  if (node !== null) return node;
  throw new Error(
    name === undefined
      ? 'there is not exactly one root node; name one with --node, or run carat catalogue apply first'
      : `there is not exactly one node named ${name}`,
  );
};
