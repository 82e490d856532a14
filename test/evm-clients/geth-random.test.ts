import { setTimeout as delay } from 'node:timers/promises';
import { rpc } from '../../tools/stack/chain.ts';
import { seeded } from '../liars/schedule.ts';
import { startTestGeth, type TestGeth } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { line, missing, problems, type Heard, type Played } from './fault-alerts.ts';
import { approveAll, startLoad, type Load } from './steady-load.ts';

/*
 * geth is stopped, killed and set back at random while payments are created, paid and canceled all the time. Each fault
 * raises its alerts in time, and no alert is without a fault; in the end every payment is where it should be.
 * FAULT_MINUTES and FAULT_SEED choose how long and which (npm run faults).
 */

const minutes = Number(process.env.FAULT_MINUTES ?? 1);
/** A kill, one block back and a long stop are in the first minute of this one. */
const seed = Number(process.env.FAULT_SEED ?? 399);

/** Milliseconds that a long silence lasts, and a short one at most, without the seconds that geth takes to stop and to start. */
const LONG_MS = 50_000;
const SHORT_MS = 5_000;
/** A kill forgets every block since the last clean stop; the product keeps 64 headers to find the way back. */
const MOST_FORGOTTEN = 50;

interface Fault {
  readonly kind: 'stop' | 'kill' | 'set back';
  readonly ms: number;
  readonly blocks: number;
  /** Blocks before it without a fault. */
  readonly calm: number;
}

/** Draws faults: none comes again before all others of the deck have come. */
const randomFaults = (random: () => number): (() => Fault) => {
  const deck: string[] = [];
  return () => {
    if (deck.length === 0) deck.push('stop', 'long stop', 'kill', 'long kill', 'set back', 'set back', 'set back');
    const drawn = deck.splice(Math.floor(random() * deck.length), 1)[0]!;
    const short = Math.floor(random() * SHORT_MS);
    return {
      kind: drawn.replace('long ', '') as Fault['kind'],
      ms: drawn.startsWith('long') ? LONG_MS : short,
      blocks: 1 + Math.floor(random() * 20),
      calm: 3 + Math.floor(random() * 10),
    };
  };
};

let geth: TestGeth;
let product: Product;
let shop: Shop;
let load: Load;
/** Newest block of the preparation, which no fault takes away, and newest one that geth has written for certain. */
let prepared = 0;
let written = 0;

const tip = async (): Promise<number> => Number(await rpc(geth.url, 'eth_blockNumber'));
const rises = async (blocks: number): Promise<void> => {
  const from = await tip();
  await eventually(async () => (await tip()) >= from + blocks, 60_000, 200);
};
const hashOf = async (number: number): Promise<string | null> => {
  const block = await rpc(geth.url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
  return (block as { hash: string } | null)?.hash ?? null;
};

interface Block {
  readonly number: number;
  readonly hash: string | null;
}

/** The newest blocks of the chain, the newest one first. */
const history = async (): Promise<Block[]> => {
  const newest = await tip();
  const numbers = Array.from({ length: Math.min(80, newest) }, (_, back) => newest - back);
  return Promise.all(numbers.map(async (number) => ({ number, hash: await hashOf(number) })));
};

/** The newest of these blocks that is on the chain. A geth that was killed still answers with blocks above its newest one that it has lost. */
const newestOnChain = async (blocks: readonly Block[]): Promise<number> => {
  const newest = await tip();
  for (const { number, hash } of blocks) if (number <= newest && (await hashOf(number)) === hash) return number;
  throw new Error('none of the blocks is on the chain any more');
};

interface Cursor extends Block {
  readonly confirmed: number;
}

const cursorOf = async (): Promise<Cursor> => {
  const { number, hash, confirmed_number: confirmed } = await product.knex('watch_cursors').first();
  return { number: Number(number), hash, confirmed: Number(confirmed) };
};

const completed = async (): Promise<Played['completed']> => {
  const rows = await product.knex('payments').where({ status: 'completed', reversed_at: null });
  return rows.map((row) => ({ id: row.id as string, block: Number(row.paid_block_number) }));
};

/** Sets the chain back to a block; answers which one was the newest just before. */
const setBack = async (to: number): Promise<number> => {
  const calls = [
    { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
    { jsonrpc: '2.0', id: 2, method: 'debug_setHead', params: [`0x${to.toString(16)}`] },
  ];
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(geth.url, { method: 'POST', headers, body: JSON.stringify(calls) });
  const [newest, done] = (await response.json()) as { result?: string; error?: { message: string } }[];
  if (done!.error) throw new Error(`debug_setHead: ${done!.error.message}`);
  return Number(newest!.result);
};

/** Sets the chain back, while the node answers. */
const playSetBack = async ({ blocks }: Fault): Promise<Played> => {
  const before = await history();
  const [cursor, done] = await Promise.all([cursorOf(), completed()]);
  const to = Math.max(prepared, before[0]!.number - blocks);
  const at = Date.now();
  const most = await setBack(to);
  written = Math.min(written, to);
  // A block that was under way when the chain was set back may still come.
  await rises(2);
  const ancestor = await newestOnChain(before);
  return {
    what: `set back by ${most - to}`,
    at,
    mendedAt: Date.now(),
    silentMs: 0,
    ancestor,
    completed: done,
    cursor: { ...cursor, most },
  };
};

/** Ends the node and starts it again. */
const playEnd = async ({ kind, ms }: Fault): Promise<Played> => {
  const before = await history();
  const newest = before[0]!.number;
  const isKill = kind === 'kill' && newest - written <= MOST_FORGOTTEN;
  let [cursor, done] = [await cursorOf(), await completed()];
  const at = Date.now();
  await geth.restart(isKill ? 'SIGKILL' : 'SIGTERM', async () => {
    await delay(ms);
    // Nothing changes, because there is no chain.
    [cursor, done] = [await cursorOf(), await completed()];
  });
  const mendedAt = Date.now();
  await rises(2);
  const ancestor = await newestOnChain(cursor.number > newest ? [cursor, ...before] : before);
  if (!isKill) written = ancestor;
  return {
    what: `${isKill ? 'killed' : 'stopped'} for ${(ms / 1_000).toFixed(1)} s`,
    at,
    mendedAt,
    silentMs: mendedAt - at,
    ancestor,
    completed: done,
    cursor: { ...cursor, most: Math.max(newest + 1, cursor.number) },
  };
};

/** Whether the product has read the chain as it is now. */
const isCaughtUp = async (ancestor: number): Promise<boolean> => {
  const { number, hash } = await cursorOf();
  return number > ancestor + 2 && (await hashOf(number)) === hash;
};

/** Ids of the alerts that were judged. */
const judged: string[] = [];
const newAlerts = (): Promise<(Heard & { id: string })[]> =>
  product.knex('alerts').whereNotIn('id', judged).orderBy('created_at');

beforeAll(async () => {
  product = await createProduct({
    networks: [{ name: 'alpha', eip155: 31_337, blockTime: 1, confirmations: 2, finality: 64 }],
    startChain: async ({ eip155 }) => (geth = await startTestGeth(eip155, 'osaka')),
  });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  await approveAll(product, shop.wallet.address!);
  await rises(3);
  // The preparation is on the disk: no kill removes it.
  await geth.restart('SIGTERM');
  prepared = await tip();
  written = prepared;
});

afterAll(async () => {
  await load?.stop().catch(() => {});
  shop?.close();
  await product?.stop();
});

it(`each fault of ${minutes} min (seed ${seed}) raises its alerts and no others, and every payment ends as it should`, async () => {
  const startedAt = Date.now();
  const expiresAt = new Date(startedAt + (minutes + 60) * 60_000);
  load = startLoad(product, shop, seeded(seed + 1), expiresAt);
  const nextFault = randomFaults(seeded(seed));
  const [lines, found]: [string[], string[]] = [[], []];
  found.push(...(await newAlerts()).map(({ kind }) => `${kind} before all faults`));
  while (Date.now() - startedAt < minutes * 60_000) {
    const fault = nextFault();
    await rises(fault.calm);
    const played = await (fault.kind === 'set back' ? playSetBack(fault) : playEnd(fault));
    const isOver = async (): Promise<boolean> =>
      (await isCaughtUp(played.ancestor)) && missing(played, await newAlerts()).length === 0;
    // Missing alerts are reported below.
    await eventually(isOver, 120_000, 250).catch(() => {});
    const alerts = await newAlerts();
    lines.push(line(played, alerts, startedAt));
    found.push(...problems(played, alerts));
    judged.push(...alerts.map(({ id }) => id));
  }
  const ends = await load.finish().catch((error: unknown) => void found.push(String(error)));
  console.log([`seed ${seed}, ${minutes} min: ${JSON.stringify(ends)}`, ...lines].join('\n'));
  expect([...found, ...(await newAlerts()).map(({ kind }) => `${kind} after all faults`)]).toEqual([]);
  await expectExactlyOnce(product);
  expect(await product.knex('alerts').where({ is_condition: true, closed_at: null })).toEqual([]);
});
