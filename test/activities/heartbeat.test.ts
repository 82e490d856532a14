import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat } from '../../activities/heartbeat.ts';
import { eventually } from '../support/eventually.ts';

it('tells that the process lives while the work waits, with the latest details', async () => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 200 });
  const beats: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => beats.push(details));
  const result = await environment.run(() =>
    withHeartbeat(async ({ heartbeat }) => {
      heartbeat({ block: 7 });
      await eventually(() => beats.length >= 4);
      return 'done';
    }),
  );
  expect(result).toBe('done');
  expect(beats.at(-1)).toEqual({ block: 7 });
  const afterwards = beats.length;
  await eventually(() => performance.now() > 0);
  expect(beats).toHaveLength(afterwards);
});

it('says when the run is not wanted any more', async () => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 200 });
  const run = environment.run(() =>
    withHeartbeat(
      ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'), { once: true })),
    ),
  );
  environment.cancel();
  expect(await run).toBe('aborted');
});
