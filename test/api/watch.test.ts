import { keepWatch } from '../../api/service/watch.ts';
import { connect } from '../../db/connection.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { silent } from '../support/workflow-worker.ts';

const knex = connect((await createTestDatabase()).url, { pool: 4 });
afterAll(() => knex.destroy());
beforeEach(() => knex('alerts').delete());

it.each([
  ['tells that no worker lives', null, ['workers_gone']],
  [
    'tells that as well while it cannot move stored times, and that it cannot',
    'offer_looks',
    ['chore_failing', 'workers_gone'],
  ],
  ['tells that it fails at each round', 'network_looks', ['chore_failing']],
])('the watch of an api over workers %s', async (_, broken, expected) => {
  if (broken !== null) await knex.raw('ALTER TABLE :table: RENAME TO gone', { table: broken });
  const watch = keepWatch({ knex, silenceSeconds: 1, name: '1@here', profile: 'test', log: silent });
  try {
    await eventually(async () => {
      const kinds = await knex('alerts').pluck('kind');
      return expected.every((kind) => kinds.includes(kind));
    });
  } finally {
    await watch.stop();
    if (broken !== null) await knex.raw('ALTER TABLE gone RENAME TO :table:', { table: broken });
  }
});
