import { setImmediate as turn } from 'node:timers/promises';
import type { InspectedDiamond } from '../../../domain/version-check.ts';
import { withQuery } from '../../interface/contract.ts';
import { eventually } from '../../support/eventually.ts';
import { codeOf } from '../support/answers.ts';
import { startApi, type Answer } from '../support/api-under-test.ts';

/*
 * Version checks and dry runs that are not answered, or that take long.
 */

/** Checks that wait for an answer. */
const waiting: ((answer: InspectedDiamond | null) => void)[] = [];
const api = await startApi({ inspect: () => new Promise((resolve) => waiting.push(resolve)) });
const [shop, rival] = await Promise.all([api.actor('shop'), api.actor('rival')]);
const [wallet, theirs] = await Promise.all([api.wallet(shop), api.wallet(rival)]);
await api.activate(wallet, 'A');
const network_id = api.ids.networks.A!;
const path = `/api/v1/wallets/${wallet.id}`;
const place = { node_id: shop.nodeId, network_id };

const check = ({ token } = shop, { id, node_id } = wallet): Promise<Answer> =>
  api.call('GET', withQuery(`/api/v1/wallets/${id}/deploy/version-check`, { node_id, network_id }), { token });

it.each([
  ['a version check', () => check()],
  ['a dry run', () => api.call('POST', `${path}/update?dry_run=true`, { token: shop.token, json: place })],
])('%s without an answer is 503 with Retry-After, and no fault', async (_, send) => {
  const answer = send();
  (await eventually(() => waiting.shift()))(null);
  expect(codeOf(await answer)).toEqual([503, 'unavailable']);
  expect((await answer).headers.get('retry-after')).toBe('5');
});

it.each([
  ['checks', () => check()],
  ['dry runs', () => api.call('POST', `${path}/update?dry_run=true`, { token: shop.token, json: place })],
])('%s that wait delay nothing else of their node, and no other node', async (_, send) => {
  const checks = Array.from({ length: 30 }, send);
  await eventually(() => waiting.length === 4);
  const other = check(rival, theirs);
  await eventually(() => waiting.length === 5);
  const reads = await Promise.all(Array.from({ length: 20 }, () => api.call('GET', path, { token: shop.token })));
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  expect(waiting).toHaveLength(5);

  let isOver = false;
  const all = Promise.all([other, ...checks]).finally(() => (isOver = true));
  let most = 0;
  while (!isOver) {
    most = Math.max(most, waiting.length);
    waiting.shift()?.(null);
    await turn();
  }
  expect(new Set((await all).map(({ status }) => status))).toEqual(new Set([503]));
  expect(most).toBe(5);
});

it('checks whose clients break off keep their turns until they end, so that no caller has more in flight', async () => {
  const url = `${api.url}${withQuery(`${path}/deploy/version-check`, place)}`;
  const headers = { authorization: `Bearer ${shop.token}` };
  const breakOff = new AbortController();
  const gone = Array.from({ length: 8 }, () => fetch(url, { headers, signal: breakOff.signal }));
  await eventually(() => waiting.length === 4);
  const seen = api.lines.length;
  breakOff.abort();
  await Promise.allSettled(gone);
  await eventually(() => api.lines.slice(seen).filter((line) => line.includes('checkVersion')).length === 8);
  const last = check();
  expect((await api.call('GET', path, { token: shop.token })).status).toBe(200);
  expect(waiting).toHaveLength(4);
  for (const answer of waiting.splice(0)) answer(null);
  (await eventually(() => waiting.shift()))(null);
  expect((await last).status).toBe(503);
  expect(waiting).toEqual([]);
});

it("an update's answer under an Idempotency-Key is never the answer of a dry run", async () => {
  const headers = { 'idempotency-key': 'update-1' };
  const update = (query: string) =>
    api.call('POST', `${path}/update${query}`, { token: shop.token, json: place, headers });
  const started = update('');
  (await eventually(() => waiting.shift()))(null);
  expect((await started).status).toBe(201);
  expect(await update('')).toMatchObject({ status: 201, body: (await started).body });
  const dry = update('?dry_run=true');
  (await eventually(() => waiting.shift()))(null);
  expect(codeOf(await dry)).toEqual([409, 'idempotency_key_reused']);
});
