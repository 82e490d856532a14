import type { Knex } from 'knex';
import { connect } from '../../db/connection.ts';
import { migrateSteps, migrations } from '../../db/migrate.ts';
import { createTestDatabase } from '../support/database.ts';
import { contractions, lockedTables, readSchema, readStorage, workOf } from './contractions.ts';

/*
 * Each migration declares its effect on processes of the version before. Here the catalogue of PostgreSQL
 * shows whether the declaration is true.
 */

let knex: Knex;
let url: string;

beforeAll(async () => {
  ({ url } = await createTestDatabase({ isEmpty: true }));
  knex = connect(url, { pool: 1 });
});

afterAll(() => knex?.destroy());

/** What the work contracts and locks; it is undone. */
const effectOf = async (work: (trx: Knex.Transaction) => Promise<unknown> | Knex.Raw) => {
  const trx = await knex.transaction();
  try {
    const before = await readSchema(trx);
    const stored = await readStorage(trx);
    await work(trx);
    return {
      contracts: contractions(before, await readSchema(trx)),
      locks: await lockedTables(trx, before),
      work: workOf(stored, await readStorage(trx)),
    };
  } finally {
    await trx.rollback();
  }
};

// Its transaction holds the first while it waits for the second, which others may take in the other order.
it('no step locks two tables', () => {
  expect(migrations.filter(({ effect }) => effect.locks.length > 1)).toEqual([]);
});

// In their order: each finds the schema of those before it.
it.each(migrations.map((step, index) => [step.name, step, index] as const))(
  '%s has its declared effect',
  async (_, { up, effect, config }, index) => {
    const steps = migrations.slice(0, index + 1);
    if (config === undefined) {
      const { contracts, locks, work } = await effectOf(up);
      if (effect.kind === 'contract') expect(contracts).not.toEqual([]);
      else if (effect.although === undefined) expect(contracts).toEqual([]);
      expect(locks).toEqual([...effect.locks].toSorted());
      expect(work).toEqual(effect.work ?? []);
    } else {
      const before = await readSchema(knex);
      await migrateSteps(url, steps);
      expect(contractions(before, await readSchema(knex))).toEqual([]);
      expect(effect).toMatchObject({ kind: 'expand', locks: [] });
    }
    await migrateSteps(url, steps);
  },
);

it.each([
  ['DROP TABLE alerts', 'alerts.id is gone'],
  ['ALTER TABLE alerts RENAME TO warnings', 'alerts.id is gone'],
  ['ALTER TABLE alerts DROP COLUMN message', 'alerts.message is gone'],
  ['ALTER TABLE alerts RENAME COLUMN message TO text', 'alerts.message is gone'],
  ['ALTER TABLE alerts ALTER COLUMN message TYPE varchar(10)', 'alerts.message has another type'],
  ['ALTER TABLE processes ALTER COLUMN level SET NOT NULL', 'processes.level can no longer be null'],
  ['ALTER TABLE processes ALTER COLUMN beat_at DROP DEFAULT', 'processes.beat_at has lost its default'],
  ['ALTER TABLE processes ADD COLUMN host text NOT NULL', 'processes.host is new, and needs a value'],
  ['ALTER TABLE processes ADD CONSTRAINT named CHECK (name <> kind)', 'processes.named is a new rule: CHECK'],
  ['CREATE UNIQUE INDEX once ON processes (name)', 'processes.once is a new rule: CREATE UNIQUE INDEX'],
  ['ALTER TABLE processes ADD FOREIGN KEY (id) REFERENCES nodes (id)', 'is a new rule: FOREIGN KEY'],
  ['ALTER TABLE processes DROP CONSTRAINT processes_pkey', 'processes.processes_pkey is gone'],
  [
    `CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER never BEFORE INSERT ON processes FOR EACH ROW EXECUTE FUNCTION no()`,
    'the trigger processes.never is new',
  ],
])('%s contracts the schema', async (sql, said) => {
  const { contracts } = await effectOf((trx) => trx.raw(sql));
  expect(contracts.join('\n')).toContain(said);
});

it.each([
  ['CREATE TABLE more (id uuid PRIMARY KEY, alert_id uuid REFERENCES alerts (id))', ['alerts'], []],
  ['ALTER TABLE processes ADD COLUMN host text', ['processes'], []],
  [`ALTER TABLE processes ADD COLUMN host text NOT NULL DEFAULT ''`, ['processes'], []],
  [`ALTER TABLE processes ADD COLUMN host text NOT NULL DEFAULT '' CHECK (length(host) < 80)`, ['processes'], ['read']],
  ['ALTER TABLE processes ALTER COLUMN name DROP NOT NULL', ['processes'], []],
  ['CREATE INDEX by_name ON processes (name)', ['processes'], ['index']],
  ['CREATE INDEX a ON processes (name); CREATE INDEX b ON processes (kind)', ['processes'], ['index', 'index']],
  ['ALTER TABLE processes ADD COLUMN host uuid DEFAULT gen_random_uuid()', ['processes'], ['rewrite']],
  ['UPDATE processes SET level = 1', [], []],
])('%s expands it', async (sql, locks, work) => {
  expect(await effectOf((trx) => trx.raw(sql))).toEqual({ contracts: [], locks, work });
});
