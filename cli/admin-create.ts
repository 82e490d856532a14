import { parseArgs } from 'node:util';
import { ensureAdmin } from '../api/integrations/changes.ts';
import { defineCommand } from './command.ts';
import { chosenNode } from './node.ts';
import { withDatabase } from './with-database.ts';

/** Makes the integration that may do everything on a node and below, and shows its secret once. */
export const adminCreate = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print, report }) => {
    const { values } = parseArgs({
      args: [...args],
      options: { node: { type: 'string' }, name: { type: 'string', default: 'admin' } },
    });
    await withDatabase(config, async (knex) => {
      const node = await chosenNode(knex, values.node);
      const admin = await ensureAdmin(knex, { nodeId: node.id, name: values.name });
      print(`api_key ${admin.apiKey}`);
      if (admin.secret === null) report(`${values.name} of ${node.name} exists already; its secret can not be shown`);
      else print(`secret  ${admin.secret}`);
    });
  },
});
