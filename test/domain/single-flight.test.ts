import { createSingleFlight, type LateCallers } from '../../domain/tools/single-flight.ts';

/** A flight whose runs end when the test says so. */
const createDeliveriesInHand = (late: LateCallers) => {
  const runs: { key: string; succeed: (value: number) => void; fail: (error: Error) => void }[] = [];
  const fly = createSingleFlight(
    (key: string) => new Promise<number>((succeed, fail) => runs.push({ key, succeed, fail })),
    { late },
  );
  return { fly, runs };
};

const turn = () => new Promise(setImmediate);

describe('a single flight', () => {
  it('lets late callers share the run under way, each key for itself, and begins anew after it', async () => {
    const { fly, runs } = createDeliveriesInHand('join');
    const [first, other] = [fly('a'), fly('b')];
    await turn();
    const late = fly('a');
    runs[0]!.succeed(1);
    runs[1]!.succeed(2);
    expect(await Promise.all([first, late, other])).toEqual([1, 1, 2]);
    void fly('a');
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b', 'a']);
  });

  it('lets late callers share the next run, which begins after their calls and after the present run', async () => {
    const { fly, runs } = createDeliveriesInHand('next');
    const together = [fly('a'), fly('a')];
    await turn();
    const late = [fly('a'), fly('a')];
    await turn();
    expect(runs).toHaveLength(1);
    runs[0]!.succeed(1);
    expect(await Promise.all(together)).toEqual([1, 1]);
    await turn();
    runs[1]!.succeed(2);
    expect(await Promise.all(late)).toEqual([2, 2]);
    expect(runs).toHaveLength(2);
  });

  it.each(['join', 'next'] as const)('gives a failure to the callers that share it, and goes on (%s)', async (late) => {
    const { fly, runs } = createDeliveriesInHand(late);
    const failing = [fly('a'), fly('a')];
    await turn();
    runs[0]!.fail(new Error('no luck'));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = fly('a');
    await turn();
    runs[1]!.succeed(3);
    expect(await again).toBe(3);
  });
});
