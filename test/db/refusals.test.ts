import { connect } from '../../db/connection.ts';
import { createFigures } from '../../db/figures/figures.ts';
import { onMeasure } from '../../runtime/measures.ts';
import { createTestDatabase } from '../support/database.ts';

const { url } = await createTestDatabase();
const owner = connect(url, { pool: 2 });

afterAll(() => owner.destroy());

it('a server that refuses statements or connections for a reason of its own is reported at each place', async () => {
  const reasons: string[] = [];
  onMeasure('refusal', ({ reason }) => void reasons.push(reason));
  const reader = connect(url, { pool: 1, role: 'reader' });
  await expect(reader.raw('CREATE TABLE none ()')).rejects.toMatchObject({ code: '25006' });
  await expect(reader.transaction((trx) => trx.raw('CREATE TABLE none ()'))).rejects.toMatchObject({ code: '25006' });
  await expect(reader.raw('SELECT none')).rejects.toMatchObject({ code: '42703' });
  await reader.destroy();
  expect(reasons).toEqual(['read_only', 'read_only']);

  const role = `crowded_${Date.now()}`;
  await owner.raw(`CREATE ROLE ${role} LOGIN PASSWORD 'a-password' CONNECTION LIMIT 0`);
  const crowded = new URL(url);
  [crowded.username, crowded.password] = [role, 'a-password'];
  const knex = connect(crowded.href, { pool: 1 });
  await expect(knex.raw('SELECT 1')).rejects.toMatchObject({ code: '53300' });
  await knex.destroy();
  await owner.raw(`DROP ROLE ${role}`);
  expect(new Set(reasons.slice(2))).toEqual(new Set(['too_many_connections']));
});

it('a process is missing when it ended without a record and none has started since, while others live', async () => {
  const figures = createFigures(url);
  const missing = async () => Object.fromEntries((await figures.missing()).map(({ name, count }) => [name, count]));
  const insert = (kind: string, startedAgo: number, beatAgo: number, isStopped = false) =>
    owner.raw(
      `INSERT INTO processes (id, kind, name, level, started_at, beat_at, stopped_at)
       SELECT gen_random_uuid(), ?, 'one', 1, now() - make_interval(secs => ?), now() - make_interval(secs => ?),
         CASE WHEN ? THEN now() END`,
      [kind, startedAgo, beatAgo, isStopped],
    );
  await insert('worker', 600, 120);
  await insert('worker', 600, 90);
  // No process can record signs of life.
  expect(await missing()).toEqual({});
  await insert('api', 600, 1);
  expect(await missing()).toEqual({ api: 0, worker: 2 });
  await insert('worker', 500, 1);
  await insert('worker', 500, 80, true);
  expect(await missing()).toEqual({ api: 0, worker: 2 });
  await insert('worker', 60, 1);
  expect(await missing()).toEqual({ api: 0, worker: 1 });
  await insert('worker', 50, 1);
  await insert('worker', 40, 1);
  expect(await missing()).toEqual({ api: 0, worker: 0 });
  await figures.close();
});
