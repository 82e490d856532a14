import type { Config } from '../config.ts';
import { connect } from '../db/connection.ts';
import { migrate as migrateDatabase } from '../db/migrate.ts';
import { defineCommand, UsageError } from './command.ts';

/** The connection pool as commands pass it on. */
export type Database = ReturnType<typeof connect>;

/** Runs `work` with a small pool that is closed afterwards. */
export const withDatabase = async <Result>(
  { databaseUrl }: Config<'databaseUrl'>,
  work: (knex: Database) => Promise<Result>,
): Promise<Result> => {
  const knex = connect(databaseUrl, { pool: 4 });
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
};

/** Brings the database to the newest schema. */
export const migrate = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    if (args.length > 0) throw new UsageError('migrate takes no argument');
    const applied = await migrateDatabase(config.databaseUrl);
    print(applied.length === 0 ? 'The schema is up to date' : `Applied ${applied.join(', ')}`);
  },
});
