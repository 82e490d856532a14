import fs from 'node:fs';
import path from 'node:path';
import { connect } from '../../db/connection.ts';
import { migrateSteps, migrations } from '../../db/migrate.ts';
import { schemaText } from '../../db/schema-text.ts';
import { root } from '../../tools/paths.ts';
import { createTestDatabase } from '../support/database.ts';

/** Roles belong to the whole server, so this one has a name of its own. */
const ROLE = 'carat_app_of_schema';
const file = path.join(root, 'db/schema.sql');
const header = `-- The schema that carat migrate makes, with the privileges of the processes' role. Not run by anything: npm run build:schema
-- writes it, and test/db/schema.test.ts compares it. The steps that make it are in db/migrations, with comments.

`;

it('db/schema.sql shows the schema that carat migrate makes; npm run build:schema writes it anew', async () => {
  const { url } = await createTestDatabase({ isEmpty: true });
  const app = new URL(url);
  app.username = ROLE;
  await migrateSteps(url, migrations, app.href);
  const knex = connect(url, { pool: 1 });
  const made = header + (await schemaText(knex, ROLE)).replaceAll(`TO ${ROLE};`, 'TO carat_app;');
  await knex.destroy();
  if (process.env.CARAT_SCHEMA === '1') fs.writeFileSync(file, made);
  expect(fs.readFileSync(file, 'utf8')).toBe(made);
});
