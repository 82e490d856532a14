import { MockActivityEnvironment } from '@temporalio/testing';
import { HungError, withHeartbeat } from '../../activities/failures.ts';
import { eventually } from '../support/eventually.ts';

it('the heartbeat goes on as long as steps follow each other, however long the work takes', async () => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 40 });
  let beats = 0;
  let seen: unknown;
  environment.on('heartbeat', (details: unknown) => {
    beats += 1;
    seen = details;
  });
  const result = await environment.run(() =>
    withHeartbeat(async ({ heartbeat }) => {
      heartbeat({ next_nonce: 6, last_block: 1 });
      heartbeat({ last_block: 2 });
      // Longer than one step may take: a beat each ten milliseconds.
      await eventually(() => {
        heartbeat();
        return beats >= 400;
      });
      return 'done';
    }, 3_000),
  );
  expect(result).toBe('done');
  expect(seen).toEqual({ next_nonce: 6, last_block: 2 });
  expect(beats).toBeGreaterThanOrEqual(400);
});

it('a run that hangs in a live process fails, and its pending calls are aborted', async () => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 40 });
  let aborted = false;
  const run = environment.run(() =>
    withHeartbeat(({ signal }) => {
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise(() => {});
    }, 1_000),
  );
  await expect(run).rejects.toBeInstanceOf(HungError);
  expect(aborted).toBe(true);
});

it('a run that is cancelled has its signal aborted', async () => {
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
