import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { PaymentPage } from '../../../api/generated/openapi-types.ts';
import { transition } from '../../../db/payments/transition.ts';
import { residentMemory } from '../../process/usage.ts';
import type { TransitionName } from '../../../domain/payment.ts';
import { startChild } from '../child.ts';
import { startHttpStack } from '../http/stack.ts';
import { quantile } from '../interleave.ts';
import { insertPayments } from '../payment-rows.ts';
import type { PagesAnswer, PagesJob } from './client.ts';

/*
 * npm run bench:pages [-- PAGES [ROUNDS]]
 *
 * Open pages of buyers on one api process. Method and figures: tools/bench/README.md.
 */

const [count = 5_000, rounds = 5] = process.argv.slice(2).map(Number);
const stack = await startHttpStack({ CARAT_IP_EVENT_STREAMS: '0', CARAT_EVENT_STREAMS: '7000' });
const { knex, world, api } = stack;
const { ask, stop: stopClient } = startChild<PagesJob, PagesAnswer>(new URL('client.ts', import.meta.url));

/** Every payment with its token, as a merchant lists them. */
const tokensOf = async (): Promise<(readonly [string, string])[]> => {
  const headers = { authorization: `Bearer ${await stack.token()}` };
  const found: (readonly [string, string])[] = [];
  for (let cursor = ''; ;) {
    const query = `node_id=${world.nodeId}&per_page=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await fetch(`${api.url}/api/v1/payments?${query}`, { headers });
    const page = (await answer.json()) as PaymentPage;
    found.push(...page.items.map(({ id, access_token: token }) => [id, token] as const));
    if (page.next_cursor === null) return found;
    cursor = page.next_cursor;
  }
};

const queries = (): number => fs.readFileSync(stack.databaseLog, 'utf8').split('execute widget_payments').length - 1;
const logStatements = async (what: 'all' | 'none'): Promise<void> => {
  await knex.raw(`ALTER SYSTEM SET log_statement = '${what}'`);
  await knex.raw('SELECT pg_reload_conf()');
  await delay(500);
};

const ids = await insertPayments(knex, world, count);
const pages = await tokensOf();
const move = (trx: Knex, name: TransitionName, moved: readonly string[], set?: string): Promise<string[]> =>
  transition(trx, {
    name,
    where: 'p.id = ANY(:ids)',
    bindings: { ids: moved },
    actor: { type: 'chain' },
    ...(set === undefined ? {} : { set }),
  });
let block = 100;
const hash = (): string => `0x${randomBytes(32).toString('hex')}`;
const mine = async (trx: Knex): Promise<void> => {
  block += 1;
  const cursor = { network_id: world.networkId, number: block, hash: hash() };
  await trx('watch_cursors').insert(cursor).onConflict('network_id').merge();
  await trx.raw("SELECT pg_notify('carat_block', ?)", [world.networkId]);
};

const report: Record<string, { latencies: number[]; queries: number[] }> = {};
/** Commits work, and measures the time from the commit to each of the events that follow from it. */
const measure = async (name: string, events: number, work: (trx: Knex) => Promise<unknown>): Promise<void> => {
  const before = queries();
  await knex.transaction(async (trx) => {
    await work(trx);
  });
  const committed = Date.now();
  const arrivals = await ask({ arrivals: events });
  report[name] ??= { latencies: [], queries: [] };
  report[name].latencies.push(...arrivals.map((at) => Math.max(0, at - committed)));
  report[name].queries.push(queries() - before);
};

try {
  await delay(2_000);
  const empty = residentMemory(api.pid);
  const began = performance.now();
  await ask({ open: { url: api.url, pages } });
  console.log(`${count} pages opened in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  // A round of heartbeats.
  await delay(25_000);
  const full = residentMemory(api.pid);
  await logStatements('all');
  const processing = `paid_tx_hash = '${hash()}', paid_block_number = ${block + 1}, paid_block_hash = '${hash()}', paid_at = now(),
    payer_address = '0x${'ab'.repeat(20)}'`;
  const unpaid =
    'paid_tx_hash = NULL, paid_block_number = NULL, paid_block_hash = NULL, paid_at = NULL, payer_address = NULL';
  await knex('networks').where({ id: world.networkId }).update({ confirmations: 1_000, finality: 2_000 });
  await knex.transaction((trx) => move(trx, 'deal_confirmed', ids, 'deal_block_number = 5'));
  await ask({ arrivals: count });
  const [one = ''] = ids;
  for (let round = 0; round < rounds; round += 1) {
    await measure('a transition of one payment', 1, async (trx) => move(trx, 'payment_detected', [one], processing));
    await measure('its way back', 1, (trx) => move(trx, 'payment_reorged', [one], unpaid));
    await measure(`a transition of ${count} payments`, count, async (trx) => {
      await mine(trx);
      await move(trx, 'payment_detected', ids, processing);
    });
    for (let more = 0; more < 3; more += 1) await measure(`a block with ${count} payments`, count, mine);
    await measure('their way back', count, (trx) => move(trx, 'payment_reorged', ids, unpaid));
  }
  const busy = residentMemory(api.pid);
  const perPage = (after: number): string => (((after - empty) * 1_024) / count).toFixed(1);
  console.log(
    `resident memory: ${empty.toFixed(0)} MiB empty, ${full.toFixed(0)} MiB with pages, ${busy.toFixed(0)} MiB at the end`,
  );
  console.log(`a page: ${perPage(full)} kB, at the end ${perPage(busy)} kB`);
  for (const [name, { latencies, queries: made }] of Object.entries(report)) {
    const [p50, p95] = [quantile(latencies, 0.5), quantile(latencies, 0.95)];
    console.log(`${name}: event after ${p50} ms (p50), ${p95} ms (p95); queries ${made.join(' ')}`);
  }
} finally {
  stopClient();
  await stack.stop();
}
