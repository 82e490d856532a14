import { setTimeout as delay } from 'node:timers/promises';
import { createBodies, createByteBudget } from '../../delivery/bodies.ts';
import type { Pace } from '../../domain/tools/pace.ts';
import type { DueDelivery, EventBody } from '../../domain/ports/deliveries.ts';
import { createAgents } from '../../delivery/agent.ts';
import { createAttempt, createRenew } from '../../delivery/attempt.ts';
import { createSender } from '../../delivery/sender.ts';
import { checksum } from '../../chain/pure/address.ts';
import { createDeliveryStore } from '../../db/webhooks/delivery-store.ts';
import { move, startDelivering } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld } from '../support/fixtures.ts';
import { startReceiver } from '../support/receiver.ts';
import { createWebhookRow, testEncryption } from '../support/webhooks.ts';
import { silent } from '../support/workflow-worker.ts';

/** A turn of the event loop, after which everything that may begin has begun. */
const settled = () => new Promise(setImmediate);

describe('room for bytes', () => {
  it('has a bound for each owner and for all together', async () => {
    const room = createByteBudget({ inAll: 40, ofOne: 20 });
    const begun: string[] = [];
    const take = (owner: string, bytes: number) => void room.take(owner, bytes).then(() => begun.push(owner));
    take('a', 10);
    take('a', 10);
    take('a', 5);
    take('b', 10);
    take('b', 10);
    await settled();
    expect(begun).toEqual(['a', 'a', 'b']);
    room.giveBack('a', 10);
    await settled();
    // Both have as much in hand now, and the one of them that asked first is served.
    expect(begun).toEqual(['a', 'a', 'b', 'a']);
    room.giveBack('a', 10);
    await settled();
    expect(begun).toEqual(['a', 'a', 'b', 'a', 'b']);
  });

  it('goes first to the owner with the least in hand', async () => {
    const room = createByteBudget({ inAll: 40, ofOne: 40 });
    const begun: string[] = [];
    const take = (owner: string, bytes: number) => void room.take(owner, bytes).then(() => begun.push(owner));
    for (let i = 0; i < 10; i += 1) take('thief', 5);
    await settled();
    take('victim', 25);
    room.giveBack('thief', 5);
    await settled();
    expect(begun).toEqual(['thief', 'thief', 'thief', 'thief', 'victim']);
  });

  it('is left for another owner, however many hold much', async () => {
    const room = createByteBudget({ inAll: 40, ofOne: 10 });
    const begun: string[] = [];
    const take = (owner: string) => void room.take(owner, 5).then(() => begun.push(owner));
    for (const thief of ['a', 'b', 'c', 'd']) for (let i = 0; i < 10; i += 1) take(thief);
    await settled();
    take('victim');
    await settled();
    expect(begun.at(-1)).toBe('victim');
    expect(begun).toHaveLength(8);
  });

  it("takes a body above an owner's bound once that owner has nothing else in hand", async () => {
    const room = createByteBudget({ inAll: 30, ofOne: 20 });
    let isBegun = false;
    await room.take('a', 1);
    void room.take('a', 100).then(() => (isBegun = true));
    await settled();
    expect(isBegun).toBe(false);
    room.giveBack('a', 1);
    await settled();
    expect(isBegun).toBe(true);
    room.giveBack('a', 100);
    await room.take('b', 20);
  });
});

describe('the bodies of events', () => {
  const due = (eventId: string, bodyBytes: number | null): DueDelivery =>
    ({ eventId, bodyBytes, receiver: { ownerId: 'node' } }) as DueDelivery;
  const create = (bodies: Record<string, string>, pace: Pace = { turn: () => Promise.resolve(), count: () => {} }) => {
    const reads: string[] = [];
    const store = {
      readBodies: async (ids: readonly string[]): Promise<readonly EventBody[]> => {
        reads.push(...ids);
        return ids.map((id) => ({ id, body: bodies[id] ?? null, readEvent: null }));
      },
      keepBodies: async () => new Map<string, string>(),
    };
    const limits = { inAll: 40_000, ofOne: 30_000 };
    return { reads, bodies: createBodies({ store, checksum: String, log: silent, limits, pace }) };
  };

  it('are shared by all deliveries of an event, and read again only when no delivery holds them', async () => {
    const { reads, bodies } = create({ one: 'x'.repeat(100) });
    const [first, second] = await Promise.all([bodies.take(due('one', 100)), bodies.take(due('one', 100))]);
    expect(first.body).toBe(second.body);
    first.free();
    expect((await bodies.take(due('one', 100))).body).toBe(second.body);
    expect(reads).toEqual(['one']);
  });

  it('wait for room before Carat reads them', async () => {
    const { reads, bodies } = create({ one: 'x'.repeat(20_000), two: 'x'.repeat(20_000) });
    const first = await bodies.take(due('one', 20_000));
    const second = bodies.take(due('two', 20_000));
    await delay(20);
    expect(reads).toEqual(['one']);
    first.free();
    expect((await second).body).toHaveLength(20_000);
  });

  it('wait for the pace of their node before Carat reads them', async () => {
    let go = (): void => {};
    const asked: unknown[] = [];
    const turn = (...what: unknown[]): Promise<void> => {
      asked.push(what);
      return new Promise((resolve) => (go = resolve));
    };
    const pace = { turn, count: (...what: unknown[]) => void asked.push(['made', ...what]) };
    const { reads, bodies } = create({ one: 'x'.repeat(100), new: 'x'.repeat(25_000) }, pace);
    const taken = bodies.take(due('one', 100));
    await settled();
    expect([reads, asked]).toEqual([[], [['node', 100]]]);
    go();
    expect((await taken).body).toHaveLength(100);
    // An event without a rendered body counts once, with its bytes, when they are known.
    const made = bodies.take(due('new', null));
    go();
    expect((await made).body).toHaveLength(25_000);
    expect(asked.slice(1)).toEqual([
      ['node', 0],
      ['made', 'node', 25_000],
    ]);
  });

  it('larger than expected give their room back and are read again whole', async () => {
    const { reads, bodies } = create({ one: 'x'.repeat(20_000), new: 'x'.repeat(25_000) });
    const first = await bodies.take(due('one', 10_000));
    expect(first.body).toHaveLength(20_000);
    const second = bodies.take(due('new', null));
    first.free();
    expect((await second).body).toHaveLength(25_000);
    expect(reads.filter((id) => id === 'new').length).toBeGreaterThan(1);
  });

  it("that cannot be read are not the receiver's fault", async () => {
    const { bodies } = create({});
    expect((await bodies.take(due('gone', null))).body).toBeNull();
  });
});

const { knex } = await startDelivering();

it("60 slow receivers of large events hold no more bytes than a node's bound", async () => {
  const world = await createWorld(knex);
  const slow = await startReceiver({ answer: (_request, response) => void setTimeout(() => response.end(), 300) });
  const COUNT = 60;
  for (let i = 0; i < COUNT; i += 1)
    await createWebhookRow(knex, world, slow.origin.replace('127.0.0.1', `w${i}.localhost`));
  const { id } = await createPaymentRow(knex, world);
  await knex('payments')
    .where({ id })
    .update({ metadata: 'm'.repeat(8_000) });
  await move(knex, id);
  const store = createDeliveryStore(knex);
  const agents = createAgents({ hosts: 'loopback' });
  const bodies = createBodies({ store, checksum, log: silent, limits: { inAll: 200_000, ofOne: 100_000 } });
  let [inHand, most] = [0, 0];
  const counted = {
    take: async (wanted: DueDelivery) => {
      const taken = await bodies.take(wanted);
      inHand += taken.body!.length;
      most = Math.max(most, inHand);
      const free = (): void => {
        inHand -= taken.body!.length;
        taken.free();
      };
      return { ...taken, free };
    },
  };
  const stop = new AbortController();
  const running = createSender({
    store,
    underWay: new Set<string>(),
    log: silent,
    tidyMs: 60_000,
    attempt: createAttempt({
      agents,
      bodies: counted,
      renew: createRenew(store),
      encryption: testEncryption,
      profile: 'test',
    }),
  })({
    signal: stop.signal,
    heartbeat: () => {},
    deadlineMs: performance.now() + 60_000,
    notified: { wait: (ms) => delay(Math.min(ms, 20)) },
  });
  await eventually(async () => slow.received.length === COUNT, 40_000);
  stop.abort();
  await running;
  agents.close();
  await slow.close();
  expect(most).toBeLessThanOrEqual(100_000);
  expect(most).toBeGreaterThan(50_000);
});
