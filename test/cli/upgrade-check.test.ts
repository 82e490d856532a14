import type { Knex } from 'knex';
import { readUpgrade } from '../../cli/upgrade/check.ts';
import { release } from '../../chain/pure/releases.ts';
import { connect } from '../../db/connection.ts';
import { LEVEL } from '../../db/level.ts';
import { migrateSteps } from '../../db/migrate.ts';
import { migrations, type Migration } from '../../db/migration-steps.ts';
import { caratHere } from '../support/carat.ts';
import { createTestDatabase } from '../support/database.ts';
import { createWorld } from '../support/fixtures.ts';

let url: string;
let knex: Knex;

/** A database with the steps before this one. */
const before = async (name: string): Promise<void> => {
  ({ url } = await createTestDatabase({ isEmpty: true }));
  const index = migrations.findIndex((step) => step.name === name);
  await migrateSteps(url, index < 0 ? migrations : migrations.slice(0, index));
  knex = connect(url, { pool: 1 });
};

afterEach(() => knex?.destroy());

const check = async (...args: string[]) => caratHere(['upgrade', 'check', ...args], { CARAT_DATABASE_URL: url });
const live = (level: number | null) =>
  knex('processes').insert({ id: knex.raw('gen_random_uuid()'), kind: 'worker', name: '7@old', level });

it('upgrade check finds nothing to do on a current database', async () => {
  await before('none');
  const { code, out } = await check();
  expect(code).toBe(0);
  expect(out).toContain(
    `This version: schema ${migrations.at(-1)!.name}, level ${LEVEL}, contracts ${release.version}\n`,
  );
  expect(out).toContain('Pending migrations: none\n');
  expect(out).toContain('In the way: nothing; no process has to be stopped\n');
  expect(out).toContain('Going back to the version before: possible, without carat migrate\n');
});

it('upgrade check names the tables that pending migrations lock with their sizes, and older contracts, and changes nothing', async () => {
  await before('0057-orders-by-status');
  await createWorld(knex);
  await knex('diamonds').update({ release: '1.0.0' });
  await live(LEVEL);
  await knex.raw('ANALYZE checkouts');
  const { code, out } = await check();
  expect(code).toBe(0);
  expect(out).toMatch(/^The database: schema 0056-checkouts, floor 1$/m);
  expect(out).toMatch(
    /^ {2}0057-orders-by-status +expand +nobody writes checkouts \(0 rows, 1 MB\) for about 1 s \(an index is built, 200 MB a second\)$/m,
  );
  expect(out).toMatch(/^ {2}0062-audit-chain +expand +nobody writes audit_log \(.*\) for a moment$/m);
  expect(out).toContain(`  worker 7@old (level ${LEVEL})\n`);
  expect(out).toMatch(/^ {2}1 diamond of 1\.0\.0 on .+$/m);
  expect(out).toMatch(/^ {2}a backup of the database, then carat migrate of this version$/m);
  expect(await knex('knex_migrations').where('name', '>=', '0057')).toEqual([]);
  const { out: json } = await check('--json');
  expect(JSON.parse(json)).toMatchObject({ problems: [], forbids_going_back: [], database: { floor: 1 } });
});

it('upgrade check ends with 1 while processes run that a step from before upgrades without a stop does not tolerate', async () => {
  await before('0056-checkouts');
  const { code } = await check();
  expect(code).toBe(0);
  await live(2);
  const { code: later, out } = await check();
  expect(later).toBe(1);
  expect(out).toMatch(
    /^ {2}stop all processes before carat migrate, for 1 step of kind stop: worker 7@old \(level 2\)$/m,
  );
  expect(out).toMatch(/^ {2}0056-checkouts: only the backup leads back$/m);
});

it('upgrade check ends with 1 on a database of a newer version, and with 2 on a wrong argument', async () => {
  await before('none');
  await knex('knex_migrations').insert({ name: '9999-later', batch: 99 });
  const { code, out } = await check();
  expect(code).toBe(1);
  expect(out).toContain('the schema of a newer version (9999-later): run carat upgrade check of that version');
  expect((await check('--all')).code).toBe(2);
});

it('upgrade check names the processes whose end a contract step awaits, and the versions that it keeps from starting', async () => {
  await before('none');
  const contraction: Migration = {
    name: '9999-contraction',
    effect: { kind: 'contract', locks: ['alerts'], level: LEVEL + 1 },
    up: (trx) => trx.raw('ALTER TABLE alerts DROP COLUMN message'),
  };
  await live(LEVEL);
  expect(await readUpgrade(knex as never, [...migrations, contraction])).toMatchObject({
    pending: [{ name: '9999-contraction', kind: 'contract', locks: [{ name: 'alerts' }], level: LEVEL + 1 }],
    problems: [],
    needs: [
      expect.stringContaining('a backup'),
      `9999-contraction waits for the end of worker 7@old (level ${LEVEL}): run carat migrate again then`,
    ],
    forbids_going_back: [`9999-contraction: versions below level ${LEVEL + 1} no longer start`],
  });
});

it('upgrade check names the lowest level that may run after a contract step, and the state that needs a higher one', async () => {
  await before('none');
  const contraction: Migration = {
    name: '9999-contraction',
    effect: { kind: 'contract', locks: ['alerts'], level: LEVEL },
    up: (trx) => trx.raw('ALTER TABLE alerts DROP COLUMN message'),
  };
  const steps = [...migrations, contraction];
  await migrateSteps(url, steps);
  const forbidden = `versions below level ${LEVEL} no longer start: a contract step is applied`;
  expect(await readUpgrade(knex as never, steps)).toMatchObject({
    database: { floor: LEVEL, lowest_floor: LEVEL },
    problems: [],
    forbids_going_back: [forbidden],
  });
  await knex('floor').update({ level: LEVEL + 1 });
  expect(await readUpgrade(knex as never, steps)).toMatchObject({
    problems: [`this version does not start: its level is ${LEVEL}, and the database has the floor ${LEVEL + 1}`],
    forbids_going_back: [
      forbidden,
      `versions below level ${LEVEL + 1} do not start while offers or orders need that level`,
    ],
  });
});

it('upgrade check understands an empty database', async () => {
  ({ url } = await createTestDatabase({ isEmpty: true }));
  const { code, out } = await check();
  expect(code).toBe(0);
  expect(out).toContain('The database: schema none, floor none\n');
});
