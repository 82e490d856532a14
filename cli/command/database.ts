import { connect } from '../../db/connection.ts';
import { LIVING_SECONDS } from '../../db/level.ts';
import { livingProcesses } from '../../db/operator/server.ts';
import type { Config } from '../../runtime/config.ts';

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

/** Refuses to go on while a process of Carat may still run. */
export const assertStopped = async (knex: Database): Promise<void> => {
  const living = (await livingProcesses(knex)).map(({ kind, name }) => `${kind} ${name}`);
  if (living.length === 0) return;
  throw new Error(
    `stop every api and worker first; one that was killed counts as running for ${LIVING_SECONDS} seconds: ${living.join(', ')} may still run`,
  );
};
