import { createPace } from '../../domain/tools/pace.ts';

describe('the pace of a node', () => {
  const create = () => {
    let now = 0;
    const waits: number[] = [];
    const clock = { now: () => now, wait: async (ms: number) => void waits.push(ms) };
    const pace = createPace({ bytesPerSecond: 1_000, burst: 500, ofEach: 100, tickMs: 100 }, clock);
    return { pace, waits, pass: (ms: number) => void (now += ms) };
  };

  it('lets the node send a number of bytes a second after a burst, and counts each turn', async () => {
    const { pace, waits, pass } = create();
    await pace.turn('node', 400);
    expect(waits).toEqual([]);
    await pace.turn('node', 400);
    await pace.turn('node', 0);
    expect(waits).toEqual([500, 600]);
    pass(1_100);
    await pace.turn('node', 400);
    expect(waits).toEqual([500, 600]);
  });

  it('lets waiting requests go on together, at the next tenth of a second', async () => {
    const { pace, waits, pass } = create();
    await pace.turn('node', 400);
    await pace.turn('node', 33);
    await pace.turn('node', 20);
    pass(50);
    await pace.turn('node', 0);
    expect(waits).toEqual([200, 300, 350]);
  });

  it('does not make another node wait', async () => {
    const { pace, waits } = create();
    for (let i = 0; i < 10; i += 1) await pace.turn('thief', 1_000);
    const before = waits.length;
    await pace.turn('victim', 400);
    expect(waits).toHaveLength(before);
  });

  it('counts bytes that were unknown when their turn came', async () => {
    const { pace, waits } = create();
    await pace.turn('node', 0);
    pace.count('node', 700);
    expect(waits).toEqual([]);
    await pace.turn('node', 0);
    expect(waits).toEqual([400]);
  });

  it('is kept for no more nodes than ask at once', async () => {
    const { pace, waits, pass } = create();
    await pace.turn('node', 1_000);
    for (let i = 0; i < 2_000; i += 1) await pace.turn(`other ${i}`, 0);
    // One that has not rested is not forgotten.
    await pace.turn('node', 0);
    expect(waits).toEqual([600, 700]);
    pass(10_000);
    await pace.turn('node', 400);
    expect(waits).toHaveLength(2);
  });
});
