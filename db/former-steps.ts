import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { baseline } from './migrations/0068-baseline.ts';
import { BASELINE_LEVEL, mayOldProcessRun, raiseFloor } from './level.ts';
import { schemaText } from './schema-text.ts';

/*
 * The schema was made by 55 steps before it became the baseline. A database that has exactly those, and the schema that they made, is
 * taken for one that the baseline made.
 */

/** SHA-256 of the 55 names, sorted and separated by commas. */
const NAMES = '2201ef717daab8f730e87da6076ab3730e3a185cedb6e635ba7bc1db68779283';
/** SHA-256 of the schema, as `schemaText` describes it. */
const SCHEMA = '0ea5d33a5fc40fb79d9889a9577122ab748769be3188255aa906993f2d3209f4';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** True for the name of a step before the baseline. */
export const isFormer = (name: string): boolean => name < baseline.name;

/** True when these applied steps contain the baseline, or are all steps before it and no others. */
export const haveBaseline = (names: readonly string[]): boolean =>
  names.includes(baseline.name) || digestOf([...names].sort().join()) === NAMES;

/** Why a database with these applied steps cannot have the baseline; null: it can, or has it. */
export const baselineRefusal = async (knex: Knex, names: readonly string[]): Promise<string | null> => {
  if (names.includes(baseline.name)) return null;
  const text = await schemaText(knex);
  if (names.length === 0)
    return text === '' ? null : 'the database has a schema without a list of migrations; migrate an empty database';
  if (haveBaseline(names) && digestOf(text) === SCHEMA) return null;
  return `the database has the schema of an unreleased version of Carat, which is not that of ${baseline.name}; start anew with an empty database (the local stack: npm run reset)`;
};

/**
 * Puts the baseline's name into the list of a database that the steps before it made, and removes theirs once no process runs that looks
 * for them at its start: a process of the version before can be started again until then.
 * @param names the applied steps
 * @throws Error that says why the database cannot have the baseline; then nothing has changed
 */
export const adoptBaseline = async (trx: Knex.Transaction, names: readonly string[]): Promise<void> => {
  const refusal = await baselineRefusal(trx, names);
  if (refusal !== null) throw new Error(refusal);
  if (!names.some(isFormer)) return;
  const { name } = baseline;
  if (!names.includes(name))
    await trx.raw(
      'INSERT INTO knex_migrations (name, batch, migration_time) SELECT :name, max(batch) + 1, now() FROM knex_migrations',
      { name },
    );
  if (await mayOldProcessRun(trx, BASELINE_LEVEL)) return;
  await raiseFloor(trx, name, BASELINE_LEVEL);
  await trx('knex_migrations').where('name', '<', name).delete();
};
