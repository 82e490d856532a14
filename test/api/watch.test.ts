import { keepCertificates } from '../../api/service/certificates.ts';
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

it('of a certificate that ends soon and one that has ended, one alert is open, whichever came first', async () => {
  const dayMs = 86_400_000;
  let until = 0;
  const source = {
    of: 'public_url' as const,
    name: 'CARAT_PUBLIC_URL (pay.example)',
    read: () => Promise.resolve({ from: until - 90 * dayMs, until }),
  };
  const open = () => knex('alerts').whereNull('closed_at').pluck('dedupe_key');
  const keeping = keepCertificates({ knex, sources: [source], profile: 'test', log: silent });
  try {
    for (const [left, grade] of [
      [dayMs, 'soon'],
      [-dayMs, 'ended'],
      [dayMs, 'soon'],
    ] as const) {
      until = Date.now() + left;
      const key = `certificate_ends:public_url:${grade}`;
      await eventually(async () => (await open()).includes(key));
      expect(await open()).toEqual([key]);
    }
    until = Date.now() + 60 * dayMs;
    await eventually(async () => (await open()).length === 0);
  } finally {
    await keeping.stop();
  }
});
