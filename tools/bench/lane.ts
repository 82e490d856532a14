import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ethers } from 'ethers';
import { createLane } from '../../chain/lane/lane.ts';
import { batcherAddress } from '../../chain/pure/platform.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { createWatcher } from '../../chain/watcher/watcher.ts';
import { insertDealIntents } from '../../db/intents/deals.ts';
import { createLaneStore } from '../../db/lane/store.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createNotifications } from '../../db/outbox/notifications.ts';
import { createWatchStore } from '../../db/watcher/store.ts';
import { devMnemonic } from '../stack/chain.ts';
import { devPlatform } from '../stack/accounts.ts';
import type { Log } from '../../domain/ports/log.ts';
import { chainFlags, startChainStack, type ChainStack } from './chain-stack.ts';
import { presigned } from './deal-senders.ts';
import { interleave, printResults, ratioOf, type Variant } from './interleave.ts';
import { insertPayments } from './payment-rows.ts';

/*
 * npm run bench:lane [-- ROUNDS [--client anvil|geth]]
 *
 * Durable, confirmed deals per second of a lane with its watcher, against the maximum of the same node. Method and figures:
 * tools/bench/README.md.
 */

const {
  positionals: [rounds = '10'],
  values: { client },
} = parseArgs({ allowPositionals: true, options: { client: { type: 'string', default: 'anvil' } } });
if (client !== 'anvil' && client !== 'geth') throw new RangeError('--client: anvil or geth');
/**
 * Deals per slot of a lane, and of single-deal transactions: several blocks of the client, within its pool's limit per
 * account.
 */
const counts = { anvil: { durable: 3_000, single: 3_000 }, geth: { durable: 12_000, single: 4_000 } }[client];

// Deals of the other senders belong to no payments here, and each raises an alert.
const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };
const keys = [10, 11, 12].map(
  (index) => ethers.HDNodeWallet.fromPhrase(devMnemonic, undefined, `m/44'/60'/0'/0/${index}`).privateKey,
);

/** Number of endpoints, all of them the one node, and the quorum. */
interface Endpoints {
  readonly count: number;
  readonly quorum: number;
}

/** Runs lane and watcher of one network until the signal. */
const runEngines = async (stack: ChainStack, { count, quorum }: Endpoints, signal: AbortSignal): Promise<void> => {
  const { knex, world, chain } = stack;
  const network = { ...stack.network, quorum };
  const urls = Array.from({ length: count }, () => chain.url);
  const rpc = createRpc({ urls, eip155: network.eip155, blockTimeMs: network.blockTimeMs });
  const hub = createNotifications({ url: stack.databaseUrl, log: quiet });
  const common = { network, rpc, log: quiet, failpoint: () => {} };
  const run = { signal, heartbeat: () => {}, deadlineMs: Number.MAX_SAFE_INTEGER };
  const signer = createKeySigner(keys[0]!);
  const lane = createLane({ ...common, signer, store: createLaneStore(knex), lowFunds: 0 });
  const watcher = createWatcher({ ...common, store: createWatchStore(knex) });
  const laneNotified = hub.source({ carat_lane: world.operatorAccountId, carat_block: network.id });
  const watcherNotified = hub.source({});
  try {
    await Promise.all([
      lane.run({ accountId: world.operatorAccountId, notified: laneNotified, ...run }),
      watcher.run({ notified: watcherNotified, ...run }),
    ]);
  } finally {
    await hub.stop();
  }
};

/** Runs lane and watcher with replaceable endpoints. */
const createEngines = (stack: ChainStack) => {
  let stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  return {
    stop,
    /** Restarts them; resolves when they have finished their initial reads and gone on. */
    use: async (endpoints: Endpoints): Promise<void> => {
      await stop();
      const tip = Number(await stack.rpc.call('eth_blockNumber', []));
      stopping = new AbortController();
      running = runEngines(stack, endpoints, stopping.signal);
      const isRead = () =>
        stack
          .knex('watch_cursors')
          .where('number', '>', tip + 1)
          .first();
      while (!(await isRead())) await delay(20);
    },
  };
};

/** Measures from inserted intents to deals that are confirmed and recorded: `awaiting_payment`. */
const durableLane = (
  name: string,
  { knex, world }: ChainStack,
  engines: ReturnType<typeof createEngines>,
  endpoints: Endpoints,
): Variant => {
  let ids: string[] = [];
  const pending = async (some: readonly string[]): Promise<number> => {
    const { rows } = await knex.raw<{ rows: { open: string }[] }>(
      `SELECT count(*) AS open FROM payments WHERE id = ANY(:ids) AND status = 'pending'`,
      { ids: some },
    );
    return Number(rows[0]!.open);
  };
  return {
    name,
    unit: 'deals',
    prepare: async () => {
      await engines.use(endpoints);
      ids = await insertPayments(knex, world, counts.durable);
    },
    slot: async () => {
      const started = performance.now();
      for (let i = 0; i < ids.length; i += 50) await insertDealIntents(knex, ids.slice(i, i + 50));
      // The lane keeps the queue's order, so the last intent is polled first, then all of them.
      while ((await pending(ids.slice(-1))) > 0) await delay(5);
      while ((await pending(ids)) > 0) await delay(5);
      return { count: ids.length, ms: performance.now() - started };
    },
  };
};

const stack = await startChainStack(keys.map(createKeySigner), client);
const engines = createEngines(stack);
try {
  const target = {
    url: stack.chain.url,
    eip155: chainFlags.chainId,
    diamond: stack.world.diamondAddress,
    batcher: batcherAddress(devPlatform),
  };
  const variants = [
    durableLane('lane', stack, engines, { count: 1, quorum: 1 }),
    durableLane('lane, quorum 2 of 3', stack, engines, { count: 3, quorum: 2 }),
    presigned('pre-signed, one deal each', target, keys[1]!, counts.single, 1),
    presigned('pre-signed, 200 deals each', target, keys[2]!, 6_000, 200),
  ];
  const rates = await interleave(variants, Number(rounds));
  const [lane, quorum, one, many] = variants.map(({ name }) => name) as [string, string, string, string];
  printResults(variants, rates, [
    [`${quorum} / ${lane}`, ratioOf(rates, quorum, lane)],
    [`${lane} / ${one}`, ratioOf(rates, lane, one)],
    [`${lane} / ${many}`, ratioOf(rates, lane, many)],
  ]);
} finally {
  await engines.stop();
  await stack.stop();
}
