import { createSender } from '../../delivery/sender.ts';
import type { AttemptDelivery } from '../../delivery/attempt.ts';
import type { DeliveryResult, DueDelivery, Holder } from '../../domain/ports/deliveries.ts';
import type { DeliveryStore } from '../../db/webhooks/delivery-store.ts';

const due = (count: number): DueDelivery[] =>
  Array.from(
    { length: count },
    (_, index) => ({ id: `d${index}`, event: null, receiver: { webhookId: 'w' } }) as unknown as DueDelivery,
  );

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** Attempts that end when the test says so. */
const createAttempts = (): { readonly ends: (() => void)[]; readonly attempt: AttemptDelivery } => {
  const ends: (() => void)[] = [];
  const attempt: AttemptDelivery = ({ id, receiver: { webhookId } }) =>
    new Promise((resolve) => {
      const result = { id, webhookId, outcome: 'delivered', pauseMs: null, attempt: {} } as unknown as DeliveryResult;
      ends.push(() => resolve(result));
    });
  return { ends, attempt };
};

it('a run queries again when there is room, even if the room came during the query', async () => {
  const { ends, attempt } = createAttempts();
  const run = new AbortController();
  const rooms: (number | undefined)[] = [];
  const dueFirsts = async (holders: readonly Holder[]) => {
    rooms.push(holders[0]?.room);
    if (rooms.length === 1) return { due: due(4), failing: [] };
    if (rooms.length === 2) ends[0]!();
    else run.abort();
    await new Promise(setImmediate);
    return { due: [], failing: [] };
  };
  const store = {
    dueFirsts,
    tidy: async () => [],
    record: async () => ({ turned: [], disabled: [], left: [] }),
    wakeRetries: async () => {},
  } as unknown as DeliveryStore;
  const send = createSender({ store, attempt, underWay: new Set(), log, tidyMs: 60_000 });

  // No notification comes, and no time passes: only the end of an attempt lets it query again.
  const wait = (_ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  const notified = { wait, close() {} };
  const sending = send({ signal: run.signal, heartbeat() {}, deadlineMs: Infinity, notified } as never);
  run.signal.addEventListener('abort', () => {
    for (const end of ends) end();
  });
  await sending;
  expect(rooms.slice(0, 2)).toEqual([undefined, 0]);
  expect(rooms).toHaveLength(3);
});

it('a run records the deliveries in flight at its end, because another process may have the next turn', async () => {
  const { ends, attempt } = createAttempts();
  const underWay = new Set<string>();
  let recorded = (_results: readonly DeliveryResult[]): void => undefined;
  const results = new Promise<readonly DeliveryResult[]>((resolve) => {
    recorded = resolve;
  });
  const store = {
    dueFirsts: async () => ({ due: underWay.size === 0 ? due(1) : [], failing: [] }),
    tidy: async () => [],
    record: async (said: readonly DeliveryResult[]) => {
      recorded(said);
      return { turned: [], disabled: [], left: [] };
    },
    wakeRetries: async () => {},
  } as unknown as DeliveryStore;
  const send = createSender({ store, attempt, underWay, log, tidyMs: 60_000 });
  const notified = { wait: () => new Promise(setImmediate), close() {} };
  const { signal } = new AbortController();
  await send({ signal, heartbeat() {}, deadlineMs: performance.now() + 50, notified } as never);
  expect([...underWay]).toEqual(['d0']);
  ends[0]!();
  expect((await results).map(({ id }) => id)).toEqual(['d0']);
  await new Promise(setImmediate);
  expect(underWay.size).toBe(0);
});
