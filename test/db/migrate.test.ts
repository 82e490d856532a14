import { connect } from '../../db/connection.ts';
import { LEVEL, assertUnderstood } from '../../db/level.ts';
import { assertMigrated, migrateDatabase, migrateSteps, migrations, type Migration } from '../../db/migrate.ts';
import { forgetOffers } from '../../db/offers/record.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { hex } from '../support/fixtures.ts';

it('no two chains have the same platform', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  const chain = { first_root: hex(20), platform_id: hex(32), approval_delay: 2_592_000 };
  const insert = (name: string, more: object = {}) =>
    knex('chains').insert({ id: knex.raw('gen_random_uuid()'), name, ...chain, ...more });
  await insert('A');
  await expect(insert('B')).rejects.toThrow('chains_platform');
  await expect(insert('C', { approval_delay: 2_592_001 })).rejects.toThrow('approval_delay');
  await knex.destroy();
});

it('processes refuse a database without their migrations, and accept a newer one', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  await expect(assertMigrated(knex)).resolves.toBeUndefined();
  await knex.raw(`INSERT INTO knex_migrations (name, batch) VALUES ('9999-of-a-later-version', 99)`);
  await expect(assertMigrated(knex)).resolves.toBeUndefined();
  await knex.raw(`DELETE FROM knex_migrations WHERE name = '0068-baseline'`);
  await expect(assertMigrated(knex)).rejects.toThrow(
    'the database lacks the migration 0068-baseline; run "carat migrate" first',
  );
  await knex.raw('DROP TABLE knex_migrations');
  await expect(assertMigrated(knex)).rejects.toThrow('the database lacks the migration 0068-baseline');
  await knex.destroy();
});

it('processes refuse a database whose floor is above their level', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  await expect(assertUnderstood(knex)).resolves.toBeUndefined();
  await knex('floor').update({ level: LEVEL + 1 });
  await expect(assertUnderstood(knex)).rejects.toThrow(
    `only newer versions of Carat understand (floor ${LEVEL + 1}; this version has level ${LEVEL})`,
  );
  await knex.destroy();
});

const contraction: Migration = {
  name: '9998-contraction',
  effect: { kind: 'contract', locks: ['alerts'], level: LEVEL },
  up: (knex) => knex.raw('ALTER TABLE alerts DROP COLUMN message'),
};
const expansion: Migration = {
  name: '9999-expansion',
  effect: { kind: 'expand', locks: ['alerts'] },
  up: (knex) => knex.raw('ALTER TABLE alerts ADD COLUMN more text'),
};

it('a contract step waits until no process of an older version is left, and none starts from then on', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  const processes = () => knex('processes').where({ name: 'old' });
  const old = { id: knex.raw('gen_random_uuid()'), kind: 'worker', name: 'old', level: LEVEL - 1 };
  await knex('processes').insert([old, { ...old, name: 'new', level: LEVEL }]);
  const steps = [...migrations, contraction, expansion];
  expect(await migrateSteps(url, steps)).toMatchObject({ applied: [expansion.name], waiting: [contraction.name] });
  await processes().update({ stopped_at: knex.fn.now() });
  expect(await migrateSteps(url, steps)).toMatchObject({ applied: [contraction.name], waiting: [] });
  expect(await knex('floor')).toMatchObject([{ level: LEVEL, lowest: LEVEL }]);
  // Neither orders nor offers need that level.
  await forgetOffers(knex);
  expect(await knex('floor')).toMatchObject([{ level: LEVEL }]);
  await expect(assertUnderstood(knex)).resolves.toBeUndefined();
  await knex.destroy();
});

it("a newer version's database is left unchanged", async () => {
  const { url } = await createTestDatabase();
  await migrateSteps(url, [...migrations, expansion]);
  await expect(migrateDatabase(url)).rejects.toThrow(
    'the database has the schema of a newer version of Carat (9999-expansion), which this version leaves as it is; start its processes without carat migrate',
  );
});

it('a step that waits for a table lets others use it, and is retried', async () => {
  const { url } = await createTestDatabase();
  const [holder, other] = [connect(url, { pool: 1 }), connect(url, { pool: 1 })];
  const trx = await holder.transaction();
  await trx.raw('LOCK TABLE alerts IN ACCESS SHARE MODE');
  const migrating = migrateSteps(url, [...migrations, expansion]);
  const waits = `SELECT 1 FROM pg_locks WHERE relation = 'alerts'::regclass AND NOT granted`;
  await eventually(async () => (await other.raw<{ rows: unknown[] }>(waits)).rows.length > 0);
  // The holder goes on only when another one has read the table.
  await other('alerts').first();
  await trx.commit();
  expect((await migrating).applied).toEqual([expansion.name]);
  await Promise.all([holder.destroy(), other.destroy()]);
});

it('a step holds no table of the step before, so it causes no deadlock', async () => {
  const { url } = await createTestDatabase();
  const [holder, other] = [connect(url, { pool: 1 }), connect(url, { pool: 1 })];
  const next: Migration = {
    name: '9999-next',
    effect: { kind: 'expand', locks: ['processes'] },
    up: (knex) => knex.raw('ALTER TABLE processes ADD COLUMN more text'),
  };
  const trx = await holder.transaction();
  await trx.raw('LOCK TABLE processes IN ACCESS SHARE MODE');
  const migrating = migrateSteps(url, [...migrations, expansion, next]);
  const waits = `SELECT 1 FROM pg_locks WHERE relation = 'processes'::regclass AND NOT granted`;
  await eventually(async () => (await other.raw<{ rows: unknown[] }>(waits)).rows.length > 0);
  await trx.raw('SET LOCAL lock_timeout = 1');
  await trx('alerts').first();
  await trx.commit();
  expect((await migrating).applied).toEqual([expansion.name, next.name]);
  await Promise.all([holder.destroy(), other.destroy()]);
});

it('a killed migration does not prevent the next one', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  await knex('knex_migrations_lock').update({ is_locked: 1 });
  expect((await migrateSteps(url, [...migrations, expansion])).applied).toEqual([expansion.name]);
  await knex.destroy();
});
