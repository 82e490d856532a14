import type { Knex } from 'knex';
import { linesOf, readUpgrade } from '../../cli/migrate.ts';
import { release } from '../../chain/pure/releases.ts';
import { connect } from '../../db/connection.ts';
import { BASELINE_LEVEL, LEVEL } from '../../db/level.ts';
import { migrateSteps, migrations, type Migration } from '../../db/migrate.ts';
import { caratHere } from '../support/carat.ts';
import { createTestDatabase } from '../support/database.ts';
import { createWorld } from '../support/fixtures.ts';

let url: string;
let knex: Knex;

/** A database with all steps, or with none. */
const connectTo = async (options = {}): Promise<void> => {
  ({ url } = await createTestDatabase(options));
  knex = connect(url, { pool: 1 });
};

afterEach(() => knex?.destroy());

const check = async (...args: string[]) => caratHere(['upgrade', 'check', ...args], { CARAT_DATABASE_URL: url });
const live = (level: number | null) =>
  knex('processes').insert({ id: knex.raw('gen_random_uuid()'), kind: 'worker', name: '7@old', level });

it('upgrade check finds nothing to do on a current database', async () => {
  await connectTo();
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
  await connectTo();
  await createWorld(knex);
  await knex('diamonds').update({ release: '1.0.0' });
  await live(LEVEL);
  await knex.raw('ANALYZE checkouts');
  const expand = { kind: 'expand' } as const;
  const indexes: Migration = {
    name: '9998-indexes',
    effect: { ...expand, locks: ['checkouts'], work: ['index'] },
    up: (trx) => trx.raw('CREATE INDEX more ON checkouts (id)'),
  };
  const adds: Migration = {
    name: '9999-adds',
    effect: { ...expand, locks: ['audit_log'] },
    up: (trx) => trx.raw('ALTER TABLE audit_log ADD COLUMN more text'),
  };
  const upgrade = await readUpgrade(knex as never, [...migrations, indexes, adds]);
  expect(upgrade).toMatchObject({
    database: { schema: migrations.at(-1)!.name, floor: 1 },
    pending: [
      { name: '9998-indexes', kind: 'expand', locks: [{ name: 'checkouts', rows: 0 }], work: ['index'], seconds: 1 },
      { name: '9999-adds', kind: 'expand', locks: [{ name: 'audit_log' }], work: [], seconds: 0 },
    ],
    needs: [expect.stringContaining('a backup of the database, then carat migrate'), expect.any(String)],
    problems: [],
    forbids_going_back: [],
  });
  const out = linesOf(upgrade).join('\n');
  expect(out).toMatch(
    /^ {2}9998-indexes +expand +nobody writes checkouts \(0 rows, 1 MB\) for about 1 s \(an index is built, 200 MB a second\)$/m,
  );
  expect(out).toMatch(/^ {2}9999-adds +expand +nobody writes audit_log \(.*\) for a moment$/m);
  expect(out).toContain(`  worker 7@old (level ${LEVEL})\n`);
  expect(out).toMatch(/^ {2}1 diamond of 1\.0\.0 on .+$/m);
  expect(out).toMatch(/^ {2}a backup of the database, then carat migrate of this version$/m);
  expect(await knex('knex_migrations').where('name', '>=', '9998')).toEqual([]);
  const { out: json } = await check('--json');
  expect(JSON.parse(json)).toMatchObject({ problems: [], forbids_going_back: [], database: { floor: 1 } });
});

it('upgrade check says that a database has a schema from before the baseline, and what keeps the version before from starting', async () => {
  await connectTo();
  await knex('knex_migrations').update({ name: '0001-tenancy' });
  const { code, out } = await check();
  expect(code).toBe(1);
  expect(out).toContain('The database: schema 0001-tenancy, floor none\n');
  expect(out).toContain(`  the database has the schema of an unreleased version of Carat, which is not that of`);
  await knex('knex_migrations').insert(migrations.map(({ name }) => ({ name, batch: 2 })));
  expect(await readUpgrade(knex as never)).toMatchObject({
    problems: [],
    forbids_going_back: [
      `versions below level ${BASELINE_LEVEL} no longer start once carat migrate has found none that runs`,
    ],
  });
});

it('upgrade check ends with 1 on a database of a newer version, and with 2 on a wrong argument', async () => {
  await connectTo();
  await knex('knex_migrations').insert({ name: '9999-later', batch: 99 });
  const { code, out } = await check();
  expect(code).toBe(1);
  expect(out).toContain('the schema of a newer version (9999-later): run carat upgrade check of that version');
  expect((await check('--all')).code).toBe(2);
});

it('upgrade check names the processes whose end a contract step awaits, and the versions that it keeps from starting', async () => {
  await connectTo();
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
  await connectTo();
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
  await connectTo({ isEmpty: true });
  const { code, out } = await check();
  expect(code).toBe(0);
  expect(out).toContain('The database: schema none, floor none\n');
});
