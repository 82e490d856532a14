import { migrate as migrateDatabase } from '../db/migrate.ts';
import { defineCommand } from './command.ts';

/** Brings the database to the newest schema. */
export const migrate = defineCommand({
  config: ['databaseUrl'],
  run: async ({ config, print }) => {
    const applied = await migrateDatabase(config.databaseUrl);
    print(applied.length === 0 ? 'The schema is up to date' : `Applied ${applied.join(', ')}`);
  },
});
