import { startHttpStack } from './stack.ts';
import { quantile } from '../interleave.ts';

/*
 * npm run bench:growth [-- PAYMENTS...]
 *
 * Lists, files and single payments of one merchant who has ever more payments. Method and figures: bench/README.md.
 */

const sizes = process.argv.slice(2).map(Number);
const steps = sizes.length > 0 ? sizes : [1_000_000];
/** Payments per statement of the filling. */
const PART = 100_000;
/** Days that the payments cover, the newest now. */
const DAYS = 300;
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

/** Nine of ten are completed, one of a hundred is open, the rest has expired. Triggers and foreign keys are off meanwhile. */
const insertPart = `
INSERT INTO payments (id, node_id, external_id, chain_id, network_id, wallet_id, currency_id, decimals, price_units, paid_price_units,
  payment_method, payment_group, payment_address, expires_at, expires_unix, status, sequence, deal_id, diamond_address,
  token_address, terms_hash, deal_tx_hash, deal_block_number, deal_block_hash, paid_tx_hash, paid_block_number,
  paid_block_hash, payer_address, paid_at, terminal_at, created_at, updated_at)
SELECT uuidv7(at - clock_timestamp()), (:nodes::uuid[])[CASE WHEN g % 5 = 0 THEN 2 + g / 5 % :branches ELSE 1 END], 'order-' || g, :chain, :network,
  :wallet, :currency, 6, 1500000, 1500000, 'web3', 'product', '0x' || repeat('ab', 20), at + interval '1 hour',
  extract(epoch FROM at)::bigint + 3600, status, 3, g, :diamond, :token, '0x' || md5('a' || g) || md5('b' || g),
  '0x' || md5('c' || g) || md5('d' || g), g, '0x' || md5('e' || g) || md5('f' || g),
  CASE WHEN status = 'completed' THEN '0x' || md5('g' || g) || md5('h' || g) END,
  CASE WHEN status = 'completed' THEN g END,
  CASE WHEN status = 'completed' THEN '0x' || md5('i' || g) || md5('j' || g) END,
  CASE WHEN status = 'completed' THEN '0x' || repeat('cd', 20) END,
  CASE WHEN status = 'completed' THEN at + interval '1 minute' END,
  CASE WHEN status <> 'awaiting_payment' THEN at + interval '2 minutes' END, at, at + interval '2 minutes'
FROM (SELECT g, now() - :days * interval '1 day' * (1 - g::float8 / :total) AS at,
    CASE WHEN g / 50 % 100 = 0 THEN 'awaiting_payment' WHEN g / 50 % 10 = 0 THEN 'expired' ELSE 'completed' END AS status
  FROM generate_series(:first::bigint, :last::bigint) g) made`;

const fill = async (total: number): Promise<void> => {
  await knex.raw('TRUNCATE payments CASCADE');
  for (let first = 1; first <= total; first += PART) {
    const last = Math.min(total, first + PART - 1);
    await knex.transaction(async (trx) => {
      await trx.raw(`SET LOCAL session_replication_role = replica; SET LOCAL synchronous_commit = off`);
      await trx.raw(insertPart, {
        nodes,
        branches: BRANCHES,
        chain: world.chainId,
        network: world.networkId,
        wallet: world.walletId,
        currency: world.currencyId,
        diamond: world.diamondAddress.toLowerCase(),
        token: world.tokenAddress.toLowerCase(),
        days: DAYS,
        total,
        first,
        last,
      });
    });
    console.log(`filled ${last} of ${total}`);
  }
  // VACUUM marks nothing as visible to all whose commit is not on the disk yet.
  await knex.raw('CHECKPOINT');
  await knex.raw('VACUUM ANALYZE payments');
};

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
  await fill(total);
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
