import type { Config } from '../config.ts';
import { connect } from '../db/connection.ts';
import { migrate as migrateDatabase } from '../db/migrate.ts';
import { defineCommand, UsageError } from './command.ts';

/** The connection pool of a command. */
export type Database = ReturnType<typeof connect>;

/** Runs `work` with a small pool, and closes it. */
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

/** Migrates the database to the newest schema. */
export const migrate = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    if (args.length > 0) throw new UsageError('migrate takes no argument');
    const applied = await migrateDatabase(config.databaseUrl);
    print(applied.length === 0 ? 'The schema is up to date' : `Applied ${applied.join(', ')}`);
  },
});
