import { startHttpStack } from './stack.ts';
import { quantile } from '../interleave.ts';
import { fillPayments } from '../payment-rows.ts';

/*
 * npm run bench:growth [-- PAYMENTS...]
 *
 * Lists, files and single payments of one merchant who has ever more payments. Method and figures: tools/bench/README.md.
 */

const sizes = process.argv.slice(2).map(Number);
const steps = sizes.length > 0 ? sizes : [1_000_000];
/** Nodes below the merchant's, which have a fifth of the payments. */
const BRANCHES = 10;
/** Timed requests of each kind. */
const TIMES = 7;

const stack = await startHttpStack();
const { knex, world } = stack;
const nodes = [world.nodeId];
for (let branch = 0; branch < BRANCHES; branch += 1) {
  const { rows } = await knex.raw<{ rows: [{ id: string }] }>(
    `INSERT INTO nodes (id, name, parent_id, path) VALUES (gen_random_uuid(), :name, :parent, ARRAY[]::uuid[]) RETURNING id`,
    { name: `branch ${branch}`, parent: world.nodeId },
  );
  nodes.push(rows[0].id);
}

const day = 86_400_000;
const at = (daysAgo: number): string => encodeURIComponent(new Date(Date.now() - daysAgo * day).toISOString());
const list = `/api/v1/payments?node_id=${world.nodeId}`;

/** Requests by name. A path that needs an id gets one of a payment. */
const kinds: Readonly<Record<string, (id: string) => string>> = {
  'one payment': (id) => `/api/v1/payments/${id}`,
  'first page, 100': () => `${list}&per_page=100`,
  'first page, 100, with branches': () => `${list}&per_page=100&include_descendants=true`,
  'first page, 100, open': () => `${list}&per_page=100&status=awaiting_payment`,
  'first page, 100, open, with branches': () => `${list}&per_page=100&status=awaiting_payment&include_descendants=true`,
  'first page, 100, expired': () => `${list}&per_page=100&status=expired`,
  'first page, 100, failed, none': () => `${list}&per_page=100&status=failed`,
  'first page, 100, completed': () => `${list}&per_page=100&status=completed`,
  'first page, 100, completed, with branches': () => `${list}&per_page=100&status=completed&include_descendants=true`,
  'first page, 100, completed on one day': () => `${list}&per_page=100&completed_from=${at(31)}&completed_to=${at(30)}`,
  'first page, 100, created in one month': () => `${list}&per_page=100&created_from=${at(60)}&created_to=${at(30)}`,
  'first page, 100, changed today': () => `${list}&per_page=100&updated_from=${at(1)}`,
  'by external_id': () => `${list}&external_id=order-7`,
  'page 1,000 of 100': () => `${list}&per_page=100&page=1000`,
};

const timed = async (path: string, headers: Record<string, string>): Promise<{ ms: number; bytes: number }> => {
  const started = performance.now();
  const answer = await fetch(stack.api.url + path, { headers });
  const bytes = (await answer.arrayBuffer()).byteLength;
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  return { ms: performance.now() - started, bytes };
};

/** Milliseconds: the median and the largest of the timed requests; the first one warms up. */
const measure = async (path: string, headers: Record<string, string>): Promise<string> => {
  await timed(path, headers);
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) times.push((await timed(path, headers)).ms);
  return `${quantile(times, 0.5).toFixed(1)} (${Math.max(...times).toFixed(1)})`;
};

const table = new Map<string, string[]>();
const note = (name: string, figure: string): void => {
  console.log(`${name}: ${figure}`);
  table.set(name, [...(table.get(name) ?? []), figure]);
};

for (const total of steps) {
  await fillPayments(knex, world, { nodes, total });
  const headers = { authorization: `Bearer ${await stack.token()}` };
  const { id } = await knex('payments').where({ node_id: world.nodeId }).first('id');
  for (const [name, path] of Object.entries(kinds)) note(`${name}, ms`, await measure(path(id as string), headers));
  const month = `${list}&completed_from=${at(60)}&completed_to=${at(30)}`;
  const { ms, bytes } = await timed(month, { ...headers, accept: 'text/csv' });
  note('a month as CSV, s', `${(ms / 1_000).toFixed(1)} for ${(bytes / 2 ** 20).toFixed(0)} MiB`);
  const { rows } = await knex.raw<{ rows: [{ bytes: string }] }>(`SELECT pg_total_relation_size('payments') AS bytes`);
  note('bytes per payment, with indexes', String(Math.round(Number(rows[0].bytes) / total)));
}
console.log(`\n| payments | ${steps.map((size) => size.toLocaleString('en')).join(' | ')} |`);
console.log(`|---|${steps.map(() => '---|').join('')}`);
for (const [name, figures] of table) console.log(`| ${name} | ${figures.join(' | ')} |`);
await stack.stop();
