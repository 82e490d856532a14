import { connect } from '../../db/connection.ts';
import { migrateSteps } from '../../db/migrate.ts';
import { migrations } from '../../db/migration-steps.ts';
import { baseline } from '../../db/migrations/0068-baseline.ts';
import { schemaText } from '../../db/schema-text.ts';
import { createTestDatabase } from '../support/database.ts';

/** The order in which foreign keys and indexes were made: PostgreSQL checks and prefers them in it. */
const ORDER = `
  SELECT 'key of ' || conrelid::regclass AS of, conname AS name, oid FROM pg_constraint WHERE contype = 'f'
  UNION ALL SELECT 'index of ' || indrelid::regclass, indexrelid::regclass::text, indexrelid FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relname NOT LIKE 'knex%' ORDER BY 1, 3`;

const made = async (steps: typeof migrations) => {
  const { url } = await createTestDatabase({ isEmpty: true });
  const app = new URL(url);
  app.username = 'carat_app_of_baseline';
  await migrateSteps(url, steps, app.href);
  const knex = connect(url, { pool: 1 });
  const text = await schemaText(knex, app.username);
  const { rows } = await knex.raw<{ rows: { of: string; name: string }[] }>(ORDER);
  const stored: unknown[] = [];
  for (const [, table = ''] of text.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)) {
    // The minute of the migration.
    stored.push(
      table,
      (await knex(table)).map((row: object) => ({ ...row, ...('closed' in row && { closed: 0 }) })),
    );
  }
  await knex.destroy();
  return { text, order: rows.map(({ of, name }) => `${of} ${name}`), stored };
};

it('the baseline makes the schema, the privileges and the rows that the steps before it made', async () => {
  const former = await made(migrations);
  expect(await made([baseline])).toEqual(former);
  expect(former.text.length).toBeGreaterThan(50_000);
});
