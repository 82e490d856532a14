import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { checkNetwork } from '../chain/deploy/network-check.ts';
import { applyCatalogue } from '../db/catalogue/apply.ts';
import { defineCommand, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** Brings nodes, chains, networks and currencies to what a file says, after a look at the live networks. */
export const catalogueApply = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const [file, ...rest] = args;
    if (file === undefined || rest.length > 0) throw new UsageError('one file is needed');
    const input: unknown = parse(await readFile(file, 'utf8'));
    await withDatabase(config, async (knex) => {
      const applied = await applyCatalogue(knex, input, checkNetwork);
      print(applied.changes === 0 ? 'Everything is as the file says' : `${applied.changes} rows written`);
      for (const kind of ['nodes', 'chains', 'networks', 'currencies'] as const) {
        for (const [name, id] of Object.entries(applied[kind])) print(`${kind.padEnd(10)} ${id} ${name}`);
      }
      for (const warning of applied.warnings) print(`warning    ${warning}`);
      for (const { network, role, address, open } of applied.dismissed) {
        const rest = open === 0 ? 'nothing is under way' : `${open} of its transactions are under way, keep its key`;
        print(`dismissed  ${role} ${address} of ${network}: ${rest}`);
      }
    });
  },
});
