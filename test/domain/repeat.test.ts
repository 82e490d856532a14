import { logOutcomes, pause, repeat, startLoop } from '../../domain/tools/repeat.ts';

const FOREVER_MS = 2 ** 31 - 1;

/** A loop whose pauses end at once. It stops after so many of them. */
const pausing = (most: number) => {
  const stopping = new AbortController();
  const pauses: number[] = [];
  const wait = async (ms: number): Promise<void> => {
    if (pauses.push(ms) === most) stopping.abort();
  };
  return { signal: stopping.signal, everyMs: 50, wait, pauses };
};

it('a loop pauses as long as its pass says, and else as long as usual', async () => {
  const loop = pausing(3);
  const says = [0, undefined, 7];
  await repeat(async () => says.shift(), loop);
  expect(loop.pauses).toEqual([0, 50, 7]);
});

it('a failed pass is handled, and followed by the usual pause and the next pass', async () => {
  const loop = pausing(3);
  const outcomes: unknown[] = [];
  const passes = [0, new Error('away'), 0];
  await repeat(
    async () => {
      const next = passes.shift();
      if (next instanceof Error) throw next;
      return next;
    },
    { ...loop, worked: () => outcomes.push('worked'), failed: (error) => outcomes.push(error) },
  );
  expect(outcomes).toEqual(['worked', new Error('away'), 'worked']);
  expect(loop.pauses).toEqual([0, 50, 0]);
});

it('a failure ends a loop that does not handle it, and one whose handler throws', async () => {
  const loop = pausing(3);
  const pass = () => Promise.reject(new Error('away'));
  await expect(repeat(pass, loop)).rejects.toThrow('away');
  const failed = () => {
    throw new Error('over');
  };
  await expect(repeat(pass, { ...loop, failed })).rejects.toThrow('over');
  expect(loop.pauses).toEqual([]);
});

it('an aborted loop begins no pass', async () => {
  let passes = 0;
  await repeat(async () => void (passes += 1), { signal: AbortSignal.abort(), everyMs: 0 });
  expect(passes).toBe(0);
});

it('a loop that is stopped ends its pause, and waits for the pass under way', async () => {
  const resting = startLoop(async () => {}, { everyMs: FOREVER_MS });
  await resting.stop();

  const events: string[] = [];
  const working = startLoop(
    async (signal) => {
      await pause(FOREVER_MS, signal);
      events.push('pass');
    },
    { everyMs: FOREVER_MS },
  );
  await working.stop();
  expect(events).toEqual(['pass']);
});

it('a pause ends by the clock, and at once where the signal has aborted', async () => {
  await expect(pause(1, new AbortController().signal)).resolves.toBeUndefined();
  await expect(pause(FOREVER_MS, AbortSignal.abort())).resolves.toBeUndefined();
});

it('the log has the first of several failures by class and code, and the pass that works again', () => {
  const lines: unknown[] = [];
  const add = (message: string, fields?: object): void => void lines.push([message, fields]);
  const { worked, failed } = logOutcomes(
    { debug: add, info: add, warn: add, error: add },
    { works: 'It works again', fails: 'It fails' },
  );
  worked();
  for (let count = 0; count < 2; count += 1) failed(Object.assign(new Error('secret'), { code: '40001' }));
  for (let count = 0; count < 2; count += 1) worked();
  expect(lines).toEqual([
    ['It fails', { error: 'Error 40001' }],
    ['It works again', undefined],
  ]);
});
