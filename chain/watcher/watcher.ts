import { LeaseLostError } from '../../domain/lease.ts';
import type { NotificationSource } from '../../domain/notifications.ts';
import { RpcError } from '../rpc/error.ts';
import { scanBlocks } from './blocks.ts';
import { newlyConfirmed } from './confirmed.ts';
import { HaltError, type WatcherDeps, type WatchRun, type WatchTiming } from './context.ts';
import { expireDue } from './expiry.ts';
import { readEvents } from './logs.ts';

export interface WatcherRunOptions {
  readonly signal: AbortSignal;
  readonly heartbeat: (details?: unknown) => void;
  readonly notified: NotificationSource;
  /** When to return, in milliseconds since the epoch. */
  readonly deadlineMs: number;
}

/** Reads one network's blocks; what happened on the chain becomes known through it alone. */
export interface Watcher {
  /**
   * Takes the lease and works until the deadline, until it is aborted, or until another run takes the lease over.
   * @throws Error of the store; RPC trouble is waited out
   */
  run(options: WatcherRunOptions): Promise<void>;
}

/** Longest pause after failures, in milliseconds. */
const LONGEST_PAUSE_MS = 5_000;

const defaultTiming = (blockTimeMs: number): WatchTiming => ({
  tick: Math.min(Math.max(blockTimeMs / 4, 25), 1_000),
  halted: 5_000,
});

/** Creates a watcher; see the files `watch-*` for the parts of a round. */
export const createWatcher = (deps: WatcherDeps): Watcher => ({
  async run({ signal, heartbeat, notified, deadlineMs }) {
    const { network, store, log } = deps;
    const run: WatchRun = {
      ...deps,
      lease: await store.acquire(network.id),
      timing: { ...defaultTiming(network.blockTimeMs), ...deps.timing },
      signal,
    };
    let failures = 0;
    let genesisChecked = false;
    try {
      while (!signal.aborted && Date.now() < deadlineMs) {
        heartbeat();
        let pause = 0;
        try {
          if (!genesisChecked) await requireGenesis(run);
          genesisChecked = true;
          if (!(await round(run))) pause = run.timing.tick;
          failures = 0;
        } catch (error) {
          // After any trouble it may be another chain that answers.
          genesisChecked = false;
          if (signal.aborted) break;
          if (error instanceof HaltError) pause = await halt(run, error);
          else if (error instanceof RpcError) {
            failures += 1;
            pause = Math.min(run.timing.tick * 2 ** failures, LONGEST_PAUSE_MS);
            log.warn('Watcher waits for its network', { network: network.name, error: error.message });
          } else throw error;
        }
        await notified.wait(Math.max(0, Math.min(pause, deadlineMs - Date.now())), signal);
      }
    } catch (error) {
      // Whoever holds the lease now goes on; this run has nothing left to do.
      if (!(error instanceof LeaseLostError)) throw error;
      log.info('Watcher taken over by another run', { network: network.name });
    }
  },
});

const requireGenesis = async ({ rpc, network, signal }: WatchRun): Promise<void> => {
  if (network.genesisHash === null) return;
  const genesis = (await rpc.call('eth_getBlockByNumber', ['0x0', false], { signal })) as { hash: string } | null;
  if (genesis?.hash.toLowerCase() !== network.genesisHash) {
    throw new HaltError(`${network.name} has another genesis block than the stored one: it is not the same chain`);
  }
};

const halt = async ({ store, lease, network, timing, log }: WatchRun, error: HaltError): Promise<number> => {
  log.error('Watcher halted', { network: network.name, error: error.message });
  await store.halt(lease, error.message);
  await store.alert(lease, {
    // Once an hour, as long as it lasts.
    key: `halted:${network.id}:${new Date().toISOString().slice(0, 13)}`,
    kind: 'network_halted',
    message: error.message,
  });
  return timing.halted;
};

/** One round: what is beyond the cursor, in one transaction; then what has expired. True when there is more to read. */
const round = async (run: WatchRun): Promise<boolean> => {
  const { store, lease, network, log } = run;
  const cursor = await store.cursor(lease);
  const scan = await scanBlocks(run, cursor);
  if (scan.rewindTo !== null && cursor !== null) {
    const depth = cursor.number - scan.rewindTo;
    log.warn('Blocks were reorganised away', { network: network.name, depth, ancestor: scan.rewindTo });
    if (depth >= network.confirmations && cursor.confirmedNumber !== null && scan.rewindTo < cursor.confirmedNumber) {
      await store.alert(lease, {
        key: `deep_reorganisation:${network.id}:${scan.rewindTo}:${cursor.hash}`,
        kind: 'deep_reorganisation',
        message: `${network.name} was reorganised ${depth} blocks deep, more than its ${network.confirmations} confirmations`,
        data: { depth, ancestor: scan.rewindTo },
      });
    }
  }
  const events = await readEvents(run, scan);
  const confirmed = await newlyConfirmed(run, cursor, scan);
  if (scan.headers.length === 0 && confirmed === null) return scan.more;
  run.failpoint('runWatcher:before_commit');
  await store.commit(lease, {
    rewindTo: scan.rewindTo,
    headers: scan.headers,
    events,
    confirmedNumber: confirmed?.number ?? null,
  });
  run.failpoint('runWatcher:after_commit');
  if (confirmed !== null) await expireDue(run, confirmed);
  return scan.more;
};
