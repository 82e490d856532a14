import type { Config } from '../../runtime/config.ts';
import { connect } from '../../db/connection.ts';

/** The connection pool of a command. */
export type Database = ReturnType<typeof connect>;

const within = async <Result>(knex: Database, work: (knex: Database) => Promise<Result>): Promise<Result> => {
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
};

/** Runs `work` with a small pool, and closes it. */
export const withDatabase = <Result>(
  { databaseUrl }: Config<'databaseUrl'>,
  work: (knex: Database) => Promise<Result>,
): Promise<Result> => within(connect(databaseUrl, { pool: 4 }), work);

/** The same as the owner of the tables, whom nothing is withheld. */
export const withOwner = <Result>(
  { databaseUrl, databaseOwnerUrl }: Config<'databaseUrl' | 'databaseOwnerUrl'>,
  work: (knex: Database) => Promise<Result>,
): Promise<Result> => withDatabase({ databaseUrl: databaseOwnerUrl || databaseUrl }, work);

/** Runs `work` with one connection that can only read, whose statements have short timeouts, and closes it. */
export const withReader = <Result>(
  { databaseUrl }: Config<'databaseUrl'>,
  work: (knex: Database) => Promise<Result>,
): Promise<Result> => within(connect(databaseUrl, { pool: 1, role: 'reader' }), work);
