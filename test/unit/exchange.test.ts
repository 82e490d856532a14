import { mock } from 'node:test';
import { createBudget, createExchange } from '../../chain/rpc/exchange.ts';

/* However a request ends, its callers continue then. */

afterEach(() => mock.restoreAll());

const never = (): Promise<Response> => new Promise(() => {});
const endless = (): Promise<Response> => Promise.resolve(new Response(new ReadableStream({ start: () => {} })));

it.each([
  ['answers nothing', never],
  ['begins an answer and says no more', endless],
])('an exchange ends at its timeout, and when its caller aborts it, though fetch %s', async (_, fetch) => {
  mock.method(globalThis, 'fetch', fetch);
  const exchange = createExchange('http://127.0.0.1:1');
  await expect(exchange({}, 20, createBudget())).rejects.toMatchObject({ kind: 'timeout' });
  const controller = new AbortController();
  const given = exchange({}, 60_000, createBudget(), controller.signal);
  controller.abort();
  await expect(given).rejects.toMatchObject({ kind: 'aborted' });
  await expect(exchange({}, 60_000, createBudget(), controller.signal)).rejects.toMatchObject({ kind: 'aborted' });
});
