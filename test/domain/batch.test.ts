import { createBatch } from '../../domain/tools/batch.ts';

/** A batch whose runs end when the test says so. The result of an item is its double. */
const createRuns = (options: { maxItems: number; patienceMs?: number; maxBatches?: number }) => {
  const runs: { items: readonly number[]; succeed: () => void; fail: (error: Error) => void }[] = [];
  const ask = createBatch<number, number>({
    ...options,
    run: (items) =>
      new Promise((resolve, reject) =>
        runs.push({ items, succeed: () => resolve(items.map((item) => item * 2)), fail: reject }),
      ),
  });
  return { ask, runs, items: () => runs.map((run) => run.items) };
};

const turn = () => new Promise(setImmediate);

describe('a batch', () => {
  it('runs the requests of one turn together, up to its size, and gives each its own answer', async () => {
    const { ask, runs, items } = createRuns({ maxItems: 2 });
    const answers = [ask(1), ask(2), ask(3)];
    await turn();
    expect(items()).toEqual([[1, 2], [3]]);
    for (const run of runs) run.succeed();
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
  });

  it('gathers the requests that arrive during a run for the next one, which begins before the first is answered', async () => {
    const { ask, runs, items } = createRuns({ maxItems: 8, patienceMs: 60_000 });
    const first = ask(1).then(items);
    await turn();
    const later = [ask(2), ask(3)];
    await turn();
    expect(items()).toEqual([[1]]);
    runs[0]!.succeed();
    expect(await first).toEqual([[1], [2, 3]]);
    runs[1]!.succeed();
    expect(await Promise.all(later)).toEqual([4, 6]);
  });

  it('waits for a slow run no longer than its patience, and keeps within its number of runs', async () => {
    const { ask, runs, items } = createRuns({ maxItems: 1, patienceMs: 1, maxBatches: 2 });
    const answers = [ask(1), ask(2), ask(3)];
    while (runs.length < 2) await turn();
    expect(items()).toEqual([[1], [2]]);
    runs[1]!.succeed();
    await answers[1];
    expect(items()).toEqual([[1], [2], [3]]);
    for (const run of runs) run.succeed();
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
  });

  it('that fails fails its own requests, and the next goes on', async () => {
    const { ask, runs } = createRuns({ maxItems: 8, patienceMs: 60_000 });
    const failed = Promise.allSettled([ask(1), ask(2)]);
    await turn();
    const next = ask(3);
    runs[0]!.fail(new Error('refused'));
    expect(await failed).toMatchObject([{ reason: { message: 'refused' } }, { reason: { message: 'refused' } }]);
    runs[1]!.succeed();
    expect(await next).toBe(6);
  });
});
