import { UnsendableError } from '../../delivery/attempt.ts';
import { createReceiverQueues, PUT_OFF_MS } from '../../delivery/receiver-queues.ts';
import type { DeliveryResult, DueDelivery } from '../../domain/ports/deliveries.ts';

/** Lines whose attempts end when the test says so. */
const createHand = () => {
  const clock = { ms: 0 };
  const underWay = new Set<string>();
  type End = DeliveryResult['outcome'] | 'unsendable' | null;
  const open: { readonly id: string; end(outcome: End): Promise<void> }[] = [];
  let drops = 0;
  const ended: string[] = [];
  const failures: unknown[] = [];
  const lines = createReceiverQueues({
    underWay,
    attempt: ({ id, receiver: { webhookId } }) =>
      new Promise<DeliveryResult | null>((resolve, reject) => {
        const end = async (outcome: End): Promise<void> => {
          open.splice(
            open.findIndex((one) => one.id === id),
            1,
          );
          const place = { host: '', path: '' };
          const attempt = {} as DeliveryResult['attempt'];
          const result = { id, webhookId, isTest: false, counted: 0, pauseMs: null, place, attempt };
          if (outcome === 'unsendable') reject(new UnsendableError('body_unavailable'));
          else resolve(outcome === null ? null : { ...result, outcome });
          await new Promise(setImmediate);
        };
        open.push({ id, end });
      }),
    ended: ({ id }) => void ended.push(id),
    dropped: () => void (drops += 1),
    putOff: () => {},
    failed: (error) => void failures.push(error),
    elapsed: () => clock.ms,
  });
  const due = (webhookId: string, count: number, from = 0): DueDelivery[] =>
    Array.from(
      { length: count },
      (_, index) => ({ id: `${webhookId}-${from + index}`, receiver: { webhookId } }) as unknown as DueDelivery,
    );
  /** Takes as many as there is room for, and begins them. */
  const fill = (webhookId: string, from: number): number => {
    const taken = due(webhookId, lines.room(webhookId), from).filter(lines.take);
    lines.begin(taken);
    return from + taken.length;
  };
  return { clock, lines, underWay, open, ended, drops: () => drops, due, fill };
};

it('a new receiver gets four attempts at once, and no delivery waits for it', () => {
  const { lines, open, fill } = createHand();
  expect(fill('new', 0)).toBe(4);
  expect(open).toHaveLength(4);
  expect(lines.holders()).toEqual([{ webhookId: 'new', held: ['new-0', 'new-1', 'new-2', 'new-3'], room: 0 }]);
});

it('a receiver that accepts its deliveries gets more and more, up to 32 at once and as many waiting', async () => {
  const { lines, open, fill } = createHand();
  let next = fill('good', 0);
  const seen: number[] = [];
  while (open.length < 32) {
    await open[0]!.end('delivered');
    next = fill('good', next);
    seen.push(open.length);
  }
  expect(seen).toEqual(Array.from({ length: 28 }, (_, index) => 5 + index));
  await open[0]!.end('delivered');
  next = fill('good', next);
  expect([open.length, lines.room('good')]).toEqual([32, 0]);
});

it("a receiver's success counts for two seconds, even if it ends before the next query", async () => {
  const { clock, lines, open, fill } = createHand();
  const takeAll = async (from: number): Promise<number> => {
    const next = fill('fast', from);
    while (open.length > 0) await open[0]!.end('delivered');
    for (let index = from; index < next; index += 1) lines.drop(`fast-${index}`, 'fast');
    return next;
  };
  let next = await takeAll(0);
  expect(lines.isIdle()).toBe(true);
  expect(lines.holders()).toEqual([{ webhookId: 'fast', held: [], room: 16 }]);
  clock.ms += 2_000;
  next = await takeAll(next);
  expect(lines.holders()).toEqual([{ webhookId: 'fast', held: [], room: 48 }]);
  clock.ms += 2_001;
  expect([lines.holders(), lines.room('fast')]).toEqual([[], 4]);
  fill('fast', next);
  while (open.length > 0) await open[0]!.end('failed');
  for (let index = next; index < next + 4; index += 1) lines.drop(`fast-${index}`, 'fast');
  expect(lines.holders()).toEqual([]);
});

it('a receiver that fails gets four at once again, and its waiting deliveries are dropped', async () => {
  const { lines, underWay, open, ended, fill } = createHand();
  let next = fill('good', 0);
  for (let index = 0; index < 6; index += 1) {
    await open[0]!.end('delivered');
    next = fill('good', next);
  }
  const waiting = next - 6 - open.length;
  expect(waiting).toBeGreaterThan(0);
  const before = open.length;
  await open[0]!.end('failed');
  expect(open).toHaveLength(before - 1);
  // Dropped deliveries may be taken by others; ended ones are in hand until they are recorded.
  expect(underWay.size).toBe(open.length + ended.length);
  expect(lines.room('good')).toBe(4 - open.length);
  for (const id of ended) lines.drop(id, 'good');
  expect(underWay.size).toBe(open.length);
});

it('a delivery that is no longer to be sent is dropped with those that wait behind it, without counting as a failure', async () => {
  const { lines, underWay, open, ended, drops, fill } = createHand();
  let next = fill('good', 0);
  for (let index = 0; index < 6; index += 1) {
    await open[0]!.end('delivered');
    next = fill('good', next);
  }
  for (const id of ended) lines.drop(id, 'good');
  const before = open.length;
  expect(underWay.size).toBeGreaterThan(before);
  await open[0]!.end(null);
  expect([drops(), ended.length, open.length, underWay.size]).toEqual([1, 6, before - 1, before - 1]);
  expect(lines.room('good')).toBe(2 * (4 + 6) - (before - 1));
  while (open.length > 0) await open[0]!.end(null);
  expect([underWay.size, lines.isIdle()]).toEqual([0, true]);
});

it('a delivery that Carat cannot send stays in hand for a minute, and the others of its receiver go on', async () => {
  const { clock, lines, underWay, open, ended, fill } = createHand();
  let next = fill('good', 0);
  await open[0]!.end('unsendable');
  next = fill('good', next);
  expect([open.length, next, lines.putOff().length > 0]).toEqual([4, 5, true]);
  while (open.length > 0) await open[0]!.end('delivered');
  for (const id of ended) lines.drop(id, 'good');
  expect([lines.isIdle(), underWay.has('good-0'), lines.room('good')]).toEqual([true, true, 16]);
  clock.ms += PUT_OFF_MS - 1;
  expect(lines.holders()).toMatchObject([{ held: ['good-0'] }]);
  clock.ms += 1;
  lines.holders();
  expect([lines.putOff(), underWay.size]).toEqual([[], 0]);
});

it('a delivery that was put off is taken again by a loop that asks for no holders', async () => {
  const { clock, lines, open, due, fill } = createHand();
  fill('good', 0);
  await open[0]!.end('unsendable');
  const [first] = due('good', 1);
  clock.ms += PUT_OFF_MS - 1;
  lines.resume();
  expect(lines.take(first!)).toBe(false);
  clock.ms += 1;
  lines.resume();
  expect(lines.take(first!)).toBe(true);
});

it('a receiver with many deliveries that Carat cannot send holds 64 of them at most', async () => {
  const { lines, open, fill } = createHand();
  let next = 0;
  for (let before = -1; before < next;) {
    before = next;
    next = fill('spoilt', next);
    while (open.length > 0) await open[0]!.end('unsendable');
  }
  expect([next, lines.room('spoilt')]).toEqual([64, 0]);
});

it('a delivery is taken once until it is dropped', () => {
  const { lines, due, fill } = createHand();
  fill('one', 0);
  expect(due('one', 4).filter(lines.take)).toEqual([]);
  lines.close();
  expect(due('one', 4).filter(lines.take)).toHaveLength(4);
});
