import { watchTiming } from '../../../chain/watcher/context.ts';

it('an idle network is looked at once a block, and at least every 12 seconds', () => {
  const idle = [250, 1_000, 2_000, 12_000, 60_000].map((blockTimeMs) => watchTiming(blockTimeMs).idle);
  expect(idle).toEqual([250, 1_000, 2_000, 12_000, 12_000]);
});
