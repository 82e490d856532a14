import { connect } from '../../db/connection.ts';
import { LEVEL, assertUnderstood } from '../../db/level.ts';
import { assertMigrated, migrate, migrateSteps } from '../../db/migrate.ts';
import { migrations, type Migration } from '../../db/migration-steps.ts';
import { forgetOffers } from '../../db/offers/forget.ts';
import { createDeploymentStore } from '../../db/wallets/deployment-store.ts';
import { requestDeployment } from '../../db/wallets/request-deployment.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createWorld, hex } from '../support/fixtures.ts';

/** A database as it was before chains had a platform. */
const databaseOfBefore = async (chains: readonly string[]): Promise<string> => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  await knex.raw(`
    ALTER TABLE chains DROP COLUMN first_root, DROP COLUMN platform_id, DROP COLUMN approval_delay;
    ALTER TABLE networks DROP COLUMN root, DROP COLUMN guardian;
    ALTER TABLE signer_accounts DROP COLUMN dismissed_at;
    DELETE FROM knex_migrations WHERE name = '0012-platform'`);
  for (const name of chains) await knex.raw('INSERT INTO chains (id, name) VALUES (gen_random_uuid(), ?)', [name]);
  await knex.destroy();
  return url;
};

it('a database with former contracts is refused with the way to start anew', async () => {
  const url = await databaseOfBefore(['Main']);
  await expect(migrate(url)).rejects.toThrow(/start anew with an empty database \(the local stack: npm run reset\)/);
  await expect(migrate(url)).rejects.toThrow('npm run reset');
});

it('a database without a chain is migrated', async () => {
  const url = await databaseOfBefore([]);
  expect(await migrate(url)).toContain('0012-platform');
  const knex = connect(url, { pool: 1 });
  const chain = { first_root: hex(20), platform_id: hex(32), approval_delay: 2_592_000 };
  const insert = (name: string, more: object = {}) =>
    knex('chains').insert({ id: knex.raw('gen_random_uuid()'), name, ...chain, ...more });
  await insert('A');
  await expect(insert('B')).rejects.toThrow('chains_platform');
  await expect(insert('C', { approval_delay: 2_592_001 })).rejects.toThrow('approval_delay');
  await knex.destroy();
});

it('a deployment under way when updates are introduced goes on', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 2 });
  await knex.raw(`
    DROP INDEX deployments_unfinished, deployments_list;
    ALTER TABLE diamonds DROP COLUMN updating;
    DELETE FROM knex_migrations WHERE name = '0021-updates'`);
  const world = await createWorld(knex, { diamondStatus: null });
  await requestDeployment(knex, { ...world, integrationId: null });
  const store = createDeploymentStore(knex);
  const next = () => store.nextStep(world.walletId, world.networkId);
  await store.completeStep((await next())!);

  expect(await migrate(url)).toEqual(['0021-updates']);
  expect(await next()).toMatchObject({ key: 'deploy_facets', kind: 'deploy' });
  for (let step = await next(); step !== null; step = await next()) {
    await (step.key === 'activate' ? store.activateDiamond(step, '1.0.0') : store.completeStep(step));
  }
  expect(await knex('diamonds')).toMatchObject([{ status: 'active', updating: false, release: '1.0.0' }]);
  await knex.destroy();
});

it('encrypted values are read by the new names of their columns', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  await knex.raw(`
    ALTER TABLE token_keys RENAME COLUMN encrypted_secret TO sealed_secret;
    ALTER TABLE webhook_configurations RENAME COLUMN encrypted_credentials TO sealed_credentials;
    ALTER TABLE webhook_configurations RENAME COLUMN encrypted_signing_secret TO sealed_signing_secret;
    ALTER TABLE webhook_configurations RENAME COLUMN previous_encrypted_signing_secret TO previous_sealed_signing_secret;
    ALTER TABLE idempotency_keys RENAME COLUMN encrypted_answer TO sealed_answer;
    INSERT INTO token_keys (kid, purpose, sealed_secret) VALUES ('a', 'widget', 'secret');
    DELETE FROM knex_migrations WHERE name = '0044-encrypted-columns'`);
  expect(await migrate(url)).toEqual(['0044-encrypted-columns']);
  expect(await knex('token_keys').where({ kid: 'a' })).toMatchObject([{ encrypted_secret: Buffer.from('secret') }]);
  await knex.destroy();
});

it('processes refuse a database without their migrations, and accept a newer one', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  await expect(assertMigrated(knex)).resolves.toBeUndefined();
  await knex.raw(`INSERT INTO knex_migrations (name, batch) VALUES ('9999-of-a-later-version', 99)`);
  await expect(assertMigrated(knex)).resolves.toBeUndefined();
  await knex.raw(`DELETE FROM knex_migrations WHERE name = '0044-encrypted-columns'`);
  await expect(assertMigrated(knex)).rejects.toThrow(
    'the database lacks the migration 0044-encrypted-columns; run "carat migrate" first',
  );
  await knex.raw('DROP TABLE knex_migrations');
  await expect(assertMigrated(knex)).rejects.toThrow('the database lacks the migration 0001-tenancy');
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
  await expect(migrate(url)).rejects.toThrow(
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
