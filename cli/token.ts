import { parseArgs } from 'node:util';
import { createAccessTokens } from '../api/auth/access-tokens.ts';
import { createKeyRing } from '../api/auth/key-ring.ts';
import { ensureAdmin } from '../api/integrations/changes.ts';
import { findIntegration } from '../db/integrations/integrations.ts';
import { isPermission } from '../domain/access.ts';
import { defineCommand } from './command.ts';
import { chosenNode } from './node.ts';
import { withDatabase } from './with-database.ts';

/** Issues an access token for the admin integration of a node, which is made if there is none. */
export const token = defineCommand({
  config: ['databaseUrl', 'masterKey', 'publicUrl'],
  run: async ({ args, config, print }) => {
    const { values } = parseArgs({
      args: [...args],
      options: { node: { type: 'string' }, name: { type: 'string', default: 'admin' } },
    });
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
