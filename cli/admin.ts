import { createAccessTokens } from '../api/auth/access-tokens.ts';
import { createKeyRing } from '../api/auth/key-ring.ts';
import { ensureAdmin } from '../api/integrations/integrations.ts';
import { findIntegration } from '../db/integrations/integrations.ts';
import { findNodeByName, findRootNode } from '../db/nodes/nodes.ts';
import { isPermission } from '../domain/access.ts';
import { defineCommand, readOptions } from './command/command.ts';
import { withDatabase, type Database } from './command/database.ts';

const options = { node: { type: 'string' }, name: { type: 'string', default: 'admin' } } as const;

/**
 * The node of this name, else the root node.
 * @throws Error when no node fits, or several do
 */
const chosenNode = async (knex: Database, name: string | undefined): Promise<{ id: string; name: string }> => {
  const node = name === undefined ? await findRootNode(knex) : await findNodeByName(knex, name);
  if (node !== null) return node;
  throw new Error(
    name === undefined
      ? 'the database has no single root node; name a node with --node, or run carat catalogue apply first'
      : `the node ${name} does not exist, or its name is not unique`,
  );
};

/** Creates the integration with all permissions on a node and below, and shows its secret once. */
export const adminCreate = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const { values } = readOptions(args, options);
    await withDatabase(config, async (knex) => {
      const node = await chosenNode(knex, values.node);
      const admin = await ensureAdmin(knex, { nodeId: node.id, name: values.name });
      print(`api_key ${admin.apiKey}`);
      if (admin.secret === null) {
        throw new Error(
          `${values.name} of ${node.name} exists already, so nothing changed; its secret cannot be shown: create another one with --name`,
        );
      }
      print(`secret  ${admin.secret}`);
    });
  },
});

/** Issues an access token for a node's admin integration, which is created if missing. */
export const token = defineCommand({
  config: ['databaseUrl', 'masterKey', 'publicUrl'],
  run: async ({ args, config, print }) => {
    const { values } = readOptions(args, options);
    await withDatabase(config, async (knex) => {
      const node = await chosenNode(knex, values.node);
      const { id } = await ensureAdmin(knex, { nodeId: node.id, name: values.name });
      const integration = await findIntegration(knex, id);
      const keyRing = await createKeyRing({ knex, masterKey: config.masterKey });
      const accessTokens = createAccessTokens({ keyRing, issuer: config.publicUrl });
      const permissions = (integration?.permissions ?? []).filter(isPermission);
      print(await accessTokens.issue({ integrationId: id, nodeId: node.id, permissions }));
    });
  },
});
