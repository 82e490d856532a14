import { migrateSteps } from '../db/migrate.ts';
import { defineCommand, UsageError } from './command/command.ts';

/** Migrates the database to the newest schema. */
export const migrate = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    if (args.length > 0) throw new UsageError('migrate takes no argument');
    const { applied, waiting } = await migrateSteps(config.databaseUrl);
    print(applied.length === 0 ? 'The schema is up to date' : `Applied ${applied.join(', ')}`);
    if (waiting.length > 0)
      print(`Left out ${waiting.join(', ')}: stop the processes of the older version, then run carat migrate again`);
  },
});
