import type { Knex } from 'knex';
import { connect } from '../../db/connection.ts';
import { BASELINE_LEVEL } from '../../db/level.ts';
import { appliedMigrations, assertMigrated, migrateDatabase, migrateSteps, migrations } from '../../db/migrate.ts';
import { baseline } from '../../db/migrations/0068-baseline.ts';
import { schemaText } from '../../db/schema-text.ts';
import { createTestDatabase } from '../support/database.ts';
import { createWorld } from '../support/fixtures.ts';
import { formerSteps } from '../support/former-steps.ts';

let url: string;
let knex: Knex;

/** A database that the steps before the baseline made. Their schema is that of the baseline. */
beforeEach(async () => {
  ({ url } = await createTestDatabase({ isEmpty: true }));
  await migrateSteps(url, [baseline]);
  knex = connect(url, { pool: 1 });
  await knex('knex_migrations').delete();
  await knex('knex_migrations').insert(formerSteps.map((name) => ({ name, batch: 1 })));
});

afterEach(() => knex?.destroy());

it('a database that all steps before the baseline made is taken for one of the baseline', async () => {
  const world = await createWorld(knex);
  const before = await schemaText(knex);
  await expect(assertMigrated(knex)).rejects.toThrow(`the database lacks the migration ${baseline.name}`);
  expect(await migrateSteps(url, [baseline])).toMatchObject({ applied: [baseline.name], waiting: [] });
  expect(await schemaText(knex)).toBe(before);
  await migrateDatabase(url);
  expect(await appliedMigrations(knex)).toEqual(migrations.map(({ name }) => name));
  await expect(assertMigrated(knex)).resolves.toBeUndefined();
  expect(await knex('nodes').where({ id: world.nodeId })).toHaveLength(1);
  expect(await knex('floor')).toMatchObject([{ level: BASELINE_LEVEL, lowest: BASELINE_LEVEL }]);
  expect(await migrateDatabase(url)).toEqual([]);
});

it('the former names stay while a process may run that looks for them', async () => {
  await knex('processes').insert({
    id: knex.raw('gen_random_uuid()'),
    kind: 'api',
    name: 'old',
    level: BASELINE_LEVEL - 1,
  });
  expect(await migrateDatabase(url)).toContain(baseline.name);
  expect(await appliedMigrations(knex)).toEqual([...formerSteps, ...migrations.map(({ name }) => name)]);
  await expect(assertMigrated(knex)).resolves.toBeUndefined();
  expect(await knex('floor')).toMatchObject([{ level: 1 }]);
  expect(await migrateDatabase(url)).toEqual([]);
  await knex('processes').update({ stopped_at: knex.fn.now() });
  expect(await migrateDatabase(url)).toEqual([]);
  expect(await appliedMigrations(knex)).toEqual(migrations.map(({ name }) => name));
});

it.each([
  ['a missing step', `DELETE FROM knex_migrations WHERE name = '0044-encrypted-columns'`],
  ['a step that nobody knows', `INSERT INTO knex_migrations (name, batch) VALUES ('0059-of-somebody', 1)`],
  [
    'columns in another order',
    'ALTER TABLE alerts DROP COLUMN closed_by; ALTER TABLE alerts ADD COLUMN closed_by text',
  ],
  ['another default', 'ALTER TABLE offer_windows ALTER COLUMN longest SET DEFAULT 901'],
  ['a column that may be null', 'ALTER TABLE nodes ALTER COLUMN name DROP NOT NULL'],
  ['a missing constraint', 'ALTER TABLE payments DROP CONSTRAINT payments_offered'],
  ['a missing index', 'DROP INDEX payments_updated'],
  ['a missing trigger', 'DROP TRIGGER payments_keep_terms ON payments'],
  ['a trigger that is switched off', 'ALTER TABLE payments DISABLE TRIGGER payments_keep_terms'],
  [
    'another function',
    `CREATE OR REPLACE FUNCTION tell_pages() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
  ],
  ['a privilege of everybody', 'GRANT UPDATE ON audit_log TO PUBLIC'],
  ['a further table', 'CREATE TABLE more (id int)'],
])('a database with %s is refused, and nothing is written', async (_, change) => {
  await knex.raw(change);
  const before = [await schemaText(knex), await appliedMigrations(knex)];
  const app = new URL(url);
  app.username = 'carat_app_of_refused';
  await expect(migrateSteps(url, migrations, app.href)).rejects.toThrow(
    `the database has the schema of an unreleased version of Carat, which is not that of ${baseline.name}; start anew with an empty database (the local stack: npm run reset)`,
  );
  expect([await schemaText(knex), await appliedMigrations(knex)]).toEqual(before);
  expect(await knex('pg_roles').where({ rolname: app.username })).toEqual([]);
});

it('a schema without a list of migrations is refused, and none is written', async () => {
  await knex.raw('DROP TABLE knex_migrations, knex_migrations_lock');
  await expect(migrateDatabase(url)).rejects.toThrow(
    'the database has a schema without a list of migrations; migrate an empty database',
  );
  expect(await knex('pg_tables').where('tablename', 'like', 'knex%')).toEqual([]);
});

it('a database with an extension whose parts have comments is taken for one of the baseline', async () => {
  await knex.raw('CREATE EXTENSION cube');
  expect(await migrateDatabase(url)).toContain(baseline.name);
});

it('an empty database with an extension whose parts have comments is migrated', async () => {
  const empty = await createTestDatabase({ isEmpty: true });
  const own = connect(empty.url, { pool: 1 });
  try {
    await own.raw('CREATE EXTENSION cube');
    expect(await migrateDatabase(empty.url)).toContain(baseline.name);
  } finally {
    await own.destroy();
  }
});

it('a schema whose name needs quotes is migrated', async () => {
  const empty = await createTestDatabase({ isEmpty: true });
  const own = connect(empty.url, { pool: 1 });
  try {
    await own.raw('CREATE SCHEMA "Carat"; ALTER DATABASE ?? SET search_path = "Carat"', [
      new URL(empty.url).pathname.slice(1),
    ]);
    expect(await migrateDatabase(empty.url)).toContain(baseline.name);
    expect(await own('pg_tables').where({ schemaname: 'Carat', tablename: 'payments' })).toHaveLength(1);
  } finally {
    await own.destroy();
  }
});
