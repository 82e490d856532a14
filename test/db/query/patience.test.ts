import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { createPatience } from '../../../db/query/errors.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

let url: string;
let proxy: TcpProxy;

beforeAll(async () => {
  [{ url }, proxy] = await Promise.all([createTestDatabase(), createTcpProxy()]);
});

afterAll(() => proxy.close());

const logWith = (warn: () => void) => ({ info: () => {}, warn, error: () => {}, debug: () => {} });

it('PostgreSQL ends a transaction in which a worker is idle for five seconds, and one of the API after ten', async () => {
  const limitOf = async (role: 'api' | 'worker'): Promise<string> => {
    const knex = connect(url, { pool: 1, role });
    const { rows } = await knex.raw<{ rows: [{ idle: string }] }>(
      "SELECT current_setting('idle_in_transaction_session_timeout') AS idle",
    );
    await knex.destroy();
    return rows[0].idle;
  };
  expect(await Promise.all([limitOf('worker'), limitOf('api')])).toEqual(['5s', '10s']);
});

it('a step of a start that gets no connection in time is retried', async () => {
  const knex = connect(proxy.through(url), { pool: 1, role: 'api' });
  let warnings = 0;
  const patiently = createPatience(
    logWith(() => {
      warnings += 1;
      proxy.cut();
      proxy.mend();
    }),
  );
  proxy.freeze();
  const { rows } = await patiently(() => knex.raw<{ rows: unknown[] }>('SELECT 1 AS one'));
  expect(rows).toEqual([{ one: 1 }]);
  expect(warnings).toBe(1);
  await knex.destroy();
});

it('a step of a start that finds all connections of the server in use is retried', async () => {
  const owner = connect(url, { pool: 1 });
  const role = `one_only_${randomUUID().slice(0, 8)}`;
  await owner.raw(`CREATE ROLE ${role} LOGIN PASSWORD 'p' CONNECTION LIMIT 1`);
  const own = new URL(url);
  [own.username, own.password] = [role, 'p'];
  const [first, second] = [1, 2].map(() => connect(own.href, { pool: 1, role: 'api' })) as [Knex, Knex];
  try {
    await first.raw('SELECT 1');
    let warnings = 0;
    const freed: Promise<void>[] = [];
    const patiently = createPatience(
      logWith(() => {
        warnings += 1;
        freed.push(first.destroy());
      }),
    );
    const { rows } = await patiently(() => second.raw<{ rows: unknown[] }>('SELECT 1 AS one'));
    expect(rows).toEqual([{ one: 1 }]);
    expect(warnings).toBeGreaterThan(0);
    await Promise.all(freed);
  } finally {
    await Promise.all([first.destroy(), second.destroy()]);
    await owner.raw(`DROP ROLE ${role}`);
    await owner.destroy();
  }
});

it('any other failure ends the start at once', async () => {
  const knex = connect(url, { pool: 1, role: 'api' });
  let warnings = 0;
  const patiently = createPatience(logWith(() => void (warnings += 1)));
  await expect(patiently(() => knex.raw('SELECT absent'))).rejects.toThrow('absent');
  expect(warnings).toBe(0);
  await knex.destroy();
});

it('a step beside a loop that uses the pool is retried, too', async () => {
  const knex = connect(proxy.through(url), { pool: 10, role: 'worker' });
  let warnings = 0;
  const patiently = createPatience(
    logWith(() => {
      warnings += 1;
      proxy.cut();
      proxy.mend();
    }),
  );
  proxy.freeze();
  const looping = knex.raw('SELECT 1').catch((error: Error) => error.name);
  // Its connection fails before that of the step does, and the pool gives the failure to the step.
  await delay(2_000);
  const { rows } = await patiently(() => knex.raw<{ rows: unknown[] }>('SELECT 1 AS one'));
  expect(rows).toEqual([{ one: 1 }]);
  expect(await looping).toBe('KnexTimeoutError');
  expect(warnings).toBe(1);
  await knex.destroy();
});
