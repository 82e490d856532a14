import { mock } from 'node:test';
import { connect } from '../../db/connection.ts';
import { LEVEL } from '../../db/level.ts';
import { onMeasure } from '../../runtime/measures.ts';
import { beatMs, giveSignsOfLife } from '../../outbox/sign-of-life.ts';
import { createTemporalClient, TEMPORAL_MS } from '../../outbox/temporal-client.ts';
import { setBack } from '../support/clock.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { testStack } from '../support/stack.ts';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { silent } from '../support/workflow-worker.ts';

const begin = () =>
  giveSignsOfLife({
    kind: 'worker',
    knex,
    client,
    profile: 'test',
    aliveSeconds: 0,
    onBelowFloor: (error) => void ended.push(error),
    log: silent,
  });

/** As SIGSTOP does it: nothing of this process runs, and its clocks go on. */
const freezeMs = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

let proxy: TcpProxy;
let knex: ReturnType<typeof connect>;
let client: ReturnType<typeof createTemporalClient>;
let life: Awaited<ReturnType<typeof giveSignsOfLife>>;
let ended: Error[];
beforeEach(async () => {
  ended = [];
  const { namespace, address } = testStack().temporal;
  proxy = await createTcpProxy();
  knex = connect((await createTestDatabase()).url, { pool: 2 });
  client = createTemporalClient({ address: new URL(proxy.through(`http://${address}`)).host, namespace });
  life = await begin();
});
afterEach(async () => {
  mock.restoreAll();
  await life.stop();
  await client.connection.close();
  await knex.destroy();
  await proxy.close();
});
interface Sign {
  beat_at: Date;
  temporal_at: Date | null;
  stopped_at: Date | null;
}
const sign = () => knex('processes').first<Sign | undefined>();

it.each([0, 600_000])(
  'a thawed process records a sign of life once it knows whether Temporal answers; its clock was set back by %d ms',
  async (ms) => {
    await eventually(async () => (await sign())?.temporal_at);
    // Its connection is gone when it goes on.
    proxy.cut();
    freezeMs(5_000);
    proxy.mend();
    const thawedAt = Date.now();
    setBack(ms);
    const { temporal_at: answeredAt } = await eventually(async () => {
      const now = await sign();
      return now !== undefined && now.beat_at.getTime() > thawedAt && now;
    });
    expect(answeredAt!.getTime()).toBeGreaterThan(thawedAt);
  },
);

it('a Temporal that responds too late is shown as slow as the bound, and one that cannot be reached has no time', async () => {
  const seen: (number | null)[] = [];
  onMeasure('ping', ({ seconds }) => void seen.push(seconds));
  await eventually(() => seen.some((seconds) => seconds !== null && seconds < TEMPORAL_MS / 1_000));
  proxy.freeze();
  await eventually(() => seen.includes(TEMPORAL_MS / 1_000));
  expect(seen).not.toContain(null);
  proxy.cut();
  await eventually(() => seen.includes(null));
});

// A contract step does not wait for a process that could not reach the database for a minute.
it('a process that finds itself below the floor at a sign of life ends, and delays no contract step', async () => {
  expect((await sign())!.stopped_at).toBeNull();
  await knex('floor').update({ level: LEVEL + 1, lowest: LEVEL + 1 });
  await eventually(() => ended.length > 0);
  const { beat_at: last, stopped_at: stoppedAt } = (await sign())!;
  expect(stoppedAt).not.toBeNull();
  expect(ended).toEqual([
    expect.objectContaining({
      message: expect.stringContaining(`floor ${LEVEL + 1}; this version has level ${LEVEL}`),
    }),
  ]);
  await life.stop();
  expect((await sign())!.beat_at).toEqual(last);
});

// A contract step that came between the first look at the floor and the first sign of life has not waited for it.
it('a process that finds itself below the floor at its first sign of life does not start', async () => {
  await life.stop();
  await knex('processes').delete();
  await knex('floor').update({ level: LEVEL + 1, lowest: LEVEL + 1 });
  await expect(begin()).rejects.toThrow(`floor ${LEVEL + 1}; this version has level ${LEVEL}`);
  expect((await sign())!.stopped_at).not.toBeNull();
  expect(ended).toEqual([]);
});

// While Temporal is silent, its pings take longer than the floor.
it('a process that was frozen while the floor rose ends at once, also while Temporal is silent', async () => {
  await eventually(async () => (await sign())?.temporal_at);
  const raising = await knex.transaction();
  await raising('floor').update({ level: LEVEL + 1, lowest: LEVEL + 1 });
  // Between two pings.
  const beat = Promise.withResolvers<number>();
  onMeasure('clock', () => beat.resolve(performance.now()));
  const beatAt = await beat.promise;
  proxy.freeze();
  await raising.commit();
  let pings = 0;
  onMeasure('ping', () => void (ended.length === 0 && (pings += 1)));
  const hasBegun = performance.now() - beatAt >= beatMs.test;
  freezeMs(5_000);
  await eventually(() => ended.length > 0);
  // It has waited for the end of no ping; on a busy machine the next one may have begun already, and ends as it is thawed.
  expect(pings).toBeLessThanOrEqual(hasBegun ? 1 : 0);
});
