import { LIVING_SECONDS } from '../../db/level.ts';
import { livingProcesses } from '../../db/operator/upgrade.ts';
import type { Database } from './database.ts';

/** Refuses to go on while a process of Carat may still run. */
export const assertStopped = async (knex: Database): Promise<void> => {
  const living = (await livingProcesses(knex)).map(({ kind, name }) => `${kind} ${name}`);
  if (living.length === 0) return;
  throw new Error(
    `stop every api and worker first; one that was killed counts as running for ${LIVING_SECONDS} seconds: ${living.join(', ')} may still run`,
  );
};
