import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { createNotifications, type Notifications } from '../../../db/outbox/notifications.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { silent } from '../../support/workflow-worker.ts';

let knex: Knex;
let hub: Notifications;
const never = new AbortController().signal;
/** Longer than any test. */
const LONG_MS = 3_600_000;

const notify = (channel: string, payload = ''): Promise<unknown> =>
  knex.raw('SELECT pg_notify(?, ?)', [channel, payload]);
const isListening = () =>
  eventually(async () => {
    const { rows } = await knex.raw<{ rows: unknown[] }>(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'carat-notifications'
       AND query LIKE 'LISTEN%' AND state = 'idle'`,
    );
    return rows.length > 0;
  });

/** Milliseconds that a wait took. */
const waited = async (wait: Promise<void>): Promise<number> => {
  const before = performance.now();
  await wait;
  return performance.now() - before;
};

beforeAll(async () => {
  const { url } = await createTestDatabase();
  knex = connect(url, { pool: 5 });
  hub = createNotifications({ url, log: silent });
  await isListening();
});

afterAll(async () => {
  await hub.stop();
  await knex.destroy();
});

it('a notification wakes the callers that wait for its channel and payload, and no others', async () => {
  const mine = hub.source({ carat_lane: 'a', carat_block: 'net' });
  const other = hub.source({ carat_lane: 'b' });
  const any = hub.source({ carat_lane: null });
  await Promise.all([mine, other, any].map((source) => source.wait(300, never)));
  const woken = [mine, any].map((source) => source.wait(LONG_MS, never));
  const left = waited(other.wait(1_500, never));
  await notify('carat_lane', 'a');
  await Promise.all(woken);
  expect(await left).toBeGreaterThan(1_400);
  const block = mine.wait(LONG_MS, never);
  await notify('carat_block', 'net');
  await block;
});

it('a wait does not miss a notification since the wait before', async () => {
  const source = hub.source({ carat_outbox: null });
  const other = hub.source({ carat_outbox: null });
  await source.wait(200, never);
  await other.wait(200, never);
  await notify('carat_outbox');
  await other.wait(LONG_MS, never);
  await source.wait(LONG_MS, never);
  expect(await waited(source.wait(200, never))).toBeGreaterThan(150);
});

it('a wait ends with its timeout or its signal', async () => {
  const source = hub.source({});
  await source.wait(0, never);
  expect(await waited(source.wait(100, never))).toBeGreaterThan(80);
  const stop = new AbortController();
  const wait = source.wait(LONG_MS, stop.signal);
  stop.abort();
  await wait;
  await source.wait(LONG_MS, stop.signal);
});

it('the listener comes back after its connection was cut, and wakes all callers then', async () => {
  const source = hub.source({ carat_outbox: null });
  await source.wait(200, never);
  const wait = source.wait(LONG_MS, never);
  await knex.raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'carat-notifications'`);
  await expect(wait).resolves.toBeUndefined();
  await isListening();
  await source.wait(200, never);
  const next = source.wait(LONG_MS, never);
  await notify('carat_outbox');
  await expect(next).resolves.toBeUndefined();
});

it('a subscriber gets every payload, and the listener notices a connection that died silently', async () => {
  const { client } = knex;
  const { connectionString } = (client as { connectionSettings: { connectionString: string } }).connectionSettings;
  const proxy = await createTcpProxy();
  const hears = createNotifications({ url: proxy.through(connectionString), channels: ['carat_pages'], log: silent });
  const notified: string[] = [];
  let times = 0;
  hears.listen({
    notified: (channel, payload) => void notified.push(`${channel} ${payload}`),
    mayHaveMissed: () => void (times += 1),
  });
  await eventually(() => times === 1);
  await notify('carat_pages', 'a,b');
  await notify('carat_lane', 'c');
  await notify('carat_pages', 'd');
  await eventually(() => notified.length === 2);
  expect(notified).toEqual(['carat_pages a,b', 'carat_pages d']);
  proxy.strand();
  await eventually(() => times === 2, 30_000);
  await notify('carat_pages', 'e');
  await eventually(() => notified.at(-1) === 'carat_pages e');
  await hears.stop();
  await proxy.close();
});
