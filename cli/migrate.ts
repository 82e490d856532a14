import { migrateSteps } from '../db/migrate.ts';
import { migrations } from '../db/migration-steps.ts';
import { defineCommand, UsageError } from './command/command.ts';

/** Migrates the database to the newest schema, as its owner, and gives the processes' role its privileges. */
export const migrate = defineCommand({
  config: ['databaseUrl', 'databaseOwnerUrl'],
  run: async ({ args, config, print }) => {
    if (args.length > 0) throw new UsageError('migrate takes no argument');
    const { databaseUrl, databaseOwnerUrl } = config;
    const owner = databaseOwnerUrl || databaseUrl;
    const { applied, waiting, created } = await migrateSteps(owner, migrations, databaseUrl);
    print(applied.length === 0 ? 'The schema is up to date' : `Applied ${applied.join(', ')}`);
    if (waiting.length > 0)
      print(`Left out ${waiting.join(', ')}: stop the processes of the older version, then run carat migrate again`);
    if (created !== null) print(`Created the role ${created}`);
  },
});
