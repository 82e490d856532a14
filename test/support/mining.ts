import { setInterval } from 'node:timers/promises';
import { rpc } from '../../tools/stack/chain.ts';

/** Mines a chain that no longer mines by itself. */
export interface Mining {
  /** Exchanges the newest blocks for as many empty ones. anvil forgets the transactions of the lost blocks. */
  reorganise(depth: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Mines a test chain from here on, one call at a time. anvil leaves holes in its chain when it mines by itself during a
 * reorganisation: `eth_getBlockByNumber` then answers null for blocks below the newest one, for good, and no watcher gets past them.
 * @param url of an anvil
 * @param blockTime in seconds
 * @param mined called after each block that was mined, before the next call
 */
export const mineInTurn = async (
  url: string,
  blockTime: number,
  mined?: (reorganise: Mining['reorganise']) => Promise<void>,
): Promise<Mining> => {
  await rpc(url, 'evm_setIntervalMining', [0]);
  const reorganiseNow = async (depth: number): Promise<void> => void (await rpc(url, 'anvil_reorg', [depth, []]));
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  const mineOne = async (): Promise<void> => {
    await rpc(url, 'evm_mine');
    await mined?.(reorganiseNow);
  };
  const stopped = new AbortController();
  const mining = (async () => {
    for await (const _ of setInterval(blockTime * 1_000, null, stopped)) await inTurn(mineOne);
  })().catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });
  return {
    reorganise: (depth) => inTurn(() => reorganiseNow(depth)),
    stop: () => {
      stopped.abort();
      return mining;
    },
  };
};
