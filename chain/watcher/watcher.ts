import type { NotifiedRun } from '../../domain/ports/chain-run.ts';
import type { Lease } from '../../domain/ports/lease.ts';
import type { BlockHeader, WatchCursor, WatchStore } from '../../domain/ports/watcher.ts';
import { createObserver, logAlerts } from '../../domain/tools/observer.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { raiseAlert } from '../alert.ts';
import { registryAddress } from '../pure/platform.ts';
import { RpcError } from '../rpc/error.ts';
import { backoffAfter, repeatUnderLease } from '../run.ts';
import { createTroubleObserver } from '../network-trouble.ts';
import { blockToJudge, newlyConfirmed, scanBlocks } from './blocks.ts';
import { demoteInventors, isStoredChain } from './fork.ts';
import { agreedDates } from './headers.ts';
import {
  HaltError,
  MAX_HEADERS,
  newWatchMemory,
  noteDisagreement,
  watchTiming,
  type Scan,
  type WatcherDeps,
  type WatchRun,
} from './context.ts';
import { lookAtPause } from './pause.ts';
import { lookPastRestore } from './restore.ts';
import { lookForStrays } from './stray.ts';
import { judgeDue } from './judge.ts';
import { isQuiet, logsRequest, readLogs, type BlockLogs } from './logs.ts';
import { unaskedAlerts } from './unasked.ts';
import { measure } from '../../runtime/measures.ts';

/** Reads the blocks of one network. Carat learns of events on the chain through its watcher alone. */
export interface Watcher {
  /**
   * Takes the lease and works until the deadline, until the signal aborts, or until another run takes the lease.
   * @throws Error of the store; failures of endpoints are retried with backoff
   */
  run(options: NotifiedRun): Promise<void>;
}

/** Creates a watcher. `round` lists the steps of one round, in order. */
export const createWatcher = (deps: WatcherDeps): Watcher => ({
  async run(options) {
    const { network, store, log } = deps;
    const { signal, heartbeat } = options;
    const lease = await store.acquire(network.id);
    const run: WatchRun = {
      ...deps,
      lease,
      memory: newWatchMemory(await lastBlocks(store, lease)),
      observed: createObserver((looked, holding) => store.observe(lease, looked, holding), deps),
      registry: registryAddress(network.platform),
      timing: { ...watchTiming(network.blockTimeMs), ...deps.timing },
      signal,
      heartbeat,
    };
    let failures = 0;
    /** Whether payments may show that the network is unreachable: an earlier run may have shown it. */
    let isShown = true;
    const troubles = createTroubleObserver(run, {
      who: 'Watcher',
      does: 'reading',
      subject: network.id,
      reports: ['network_unreachable', 'endpoint_refuses'],
    });
    let beganAt = 0;
    /** The network has responded, with whatever chain. */
    const isReached = async (): Promise<void> => {
      failures = 0;
      await troubles.responded();
      if (isShown) await store.showUnreachable(lease, false);
      isShown = false;
    };
    const look = async (): Promise<number> => {
      beganAt = steadyClock.now();
      const pause = await round(run);
      await isReached();
      return pause;
    };
    const halt = async (reason: string): Promise<number> => {
      await isReached();
      return haltNetwork(run, reason);
    };
    const recover = async (error: unknown): Promise<number> => {
      if (signal.aborted) return 0;
      // An idle watcher asks again, too: the wait for its next block would count as a success.
      run.memory.lookedAt = -Infinity;
      run.memory.returned = 0;
      if (error instanceof HaltError) return halt(error.message);
      if (!(error instanceof RpcError)) throw error;
      // An endpoint of another chain is demoted by now; only halt when no endpoint is left.
      if (error.kind === 'wrong_chain' && run.rpc.preferred().length === 0)
        return halt(`${network.name}: ${error.message}`);
      failures += 1;
      const trouble = await troubles.failed(error, beganAt);
      // Written each time, because a transition clears the detail of a payment.
      if (trouble === 'network_unreachable') {
        isShown = true;
        await store.showUnreachable(lease, true);
      }
      // A silent endpoint has taken its time already.
      return Math.max(0, backoffAfter(failures, run.timing.tick) - (steadyClock.now() - beganAt));
    };
    const kept = await repeatUnderLease(options, look, recover);
    if (!kept) log.info('Watcher taken over by another run', { network: network.name });
  },
});

const haltNetwork = async (run: WatchRun, reason: string): Promise<number> => {
  const { store, lease, network, timing, log } = run;
  run.memory.halted.begins(() => log.error('Watcher halted', { network: network.name, error: reason }));
  await store.halt(lease, reason);
  await raiseAlert(run, {
    kind: 'network_halted',
    subject: network.id,
    message: reason,
  });
  return timing.halted;
};

/**
 * One round: looks whether a halted network is back, or follows the chain.
 * @returns the pause after it, in milliseconds
 */
const round = async (run: WatchRun): Promise<number> => {
  const cursor = await run.store.cursor(run.lease);
  return cursor?.isHalted === true ? lookAgain(run, cursor) : follow(run, cursor);
};

/** Stores the blocks beyond the cursor in one transaction, then judges payments in others. */
const follow = async (run: WatchRun, cursor: WatchCursor | null): Promise<number> => {
  const { memory, timing } = run;
  const isIdle = cursor?.isIdle ?? false;
  if (isIdle && isEarly(run)) return pauseAt(run, isIdle);
  memory.lookedAt = steadyClock.now();
  await compareTips(run, isIdle);
  const asked = isIdle ? memory.unread.filter(({ number }) => number > memory.readTo) : [];
  const scan = await scanBlocks(run, cursor, asked.map(logsRequest));
  if (scan.rewindTo !== null && cursor !== null) await logReorganisation(run, cursor, scan.rewindTo);
  // A reorganisation may have removed the event of a pause or of its end, and the block that the quorum lacked.
  if (scan.rewindTo !== null) [memory.isPauseKnown, memory.lacked] = [false, null];
  const logs = await logsOf(run, scan, isIdle, asked).catch((error: unknown) => demoteAndThrow(run, scan, error));
  memory.span = Math.min(2 * memory.span, MAX_HEADERS);
  const confirmed = await newlyConfirmed(run, cursor, scan);
  await commit(run, scan, logs, confirmed);
  reportProgress(run, scan, cursor, confirmed);
  await lookPastRestore(run, cursor, scan, confirmed);
  if (scan.headers.length > 0) memory.risen = steadyClock.now();
  const judged = await blockToJudge(run, cursor, scan, confirmed);
  // While the watcher catches up, endpoints may have pruned the state of the confirmed block. Logs wait for their
  // judgement.
  if (judged !== null && !scan.more) await judgeDue(run, judged, isIdle);
  if (scan.isBehind) noteDisagreement(run, 'every endpoint is below the blocks that were read last');
  if (!scan.more) {
    await lookAtPause(run);
    await lookForStrays(run);
    return isNothing(logs) ? pauseAt(run, isIdle) : timing.tick;
  }
  memory.lookedAt = -Infinity;
  return 0;
};

/** So many looks in a row must find a halted network back before its halt ends, because an endpoint may serve two chains in turn. */
const LOOKS = 3;

/**
 * Looks whether a halted network is back, and ends the halt. It does not wait for a new block: some chains make none before a
 * transaction, and lanes send none before the halt ends.
 * @returns the pause after it, in milliseconds
 */
const lookAgain = async (run: WatchRun, cursor: WatchCursor): Promise<number> => {
  const { store, lease, memory, timing, network, log } = run;
  memory.returned = (await isStoredChain(run, cursor)) ? memory.returned + 1 : 0;
  if (memory.returned < LOOKS) return timing.halted;
  await store.commit(lease, { rewindTo: null, headers: [], events: [], alerts: [], confirmedNumber: null });
  // Another run may have seen its beginning.
  memory.halted.ends(() => {});
  log.info('Watcher goes on', { network: network.name });
  return 0;
};

/** Where no endpoint has the logs of a new block, one may have invented it; or they are too many blocks at once. */
const demoteAndThrow = async (run: WatchRun, { headers }: Scan, error: unknown): Promise<never> => {
  const newest = headers.at(-1);
  run.memory.span = Math.ceil(run.memory.span / 2);
  if (error instanceof RpcError && newest !== undefined) await demoteInventors(run, newest);
  throw error;
};

/** Longest pause of an idle watcher in milliseconds, so that it notices soon what is under way. */
const LONGEST_PAUSE = 250;

/** True before an idle watcher asks for the next block. */
const isEarly = ({ memory, timing }: WatchRun): boolean => steadyClock.now() - memory.lookedAt < timing.idle;

/** The pause after a round. An idle watcher sleeps until it asks for the next block, but not for long. */
const pauseAt = ({ memory, timing }: WatchRun, isIdle: boolean): number => {
  const left = isIdle ? memory.lookedAt + timing.idle - steadyClock.now() : 0;
  return Math.max(timing.tick, Math.min(left, LONGEST_PAUSE));
};

const isNothing = (logs: BlockLogs): boolean => logs.deals.length + logs.registry.length + logs.cuts.length === 0;

const reportProgress = (
  { heartbeat }: WatchRun,
  { headers, more, isBehind = false }: Scan,
  cursor: WatchCursor | null,
  confirmed: BlockHeader | null,
): void =>
  heartbeat({
    last_block: headers.at(-1)?.number ?? cursor?.number ?? null,
    confirmed_block: confirmed?.number ?? cursor?.confirmedNumber ?? null,
    place: more || isBehind ? 'behind' : 'head',
  });

/** Compares endpoints often while something is under way, while the tip stands still, and while one of them is in doubt. */
const compareTips = async ({ rpc, network, memory, timing, signal }: WatchRun, isIdle: boolean): Promise<void> => {
  const isStill = steadyClock.now() - memory.risen > 2 * network.blockTimeMs + 1_000;
  await rpc.compare(isIdle && !isStill && rpc.isCleared() ? timing.comparedIdle : timing.compared, signal);
};

/** Dates the blocks of buyers' payments by the quorum, where it has them, because merchants read these dates. */
const dated = async (run: WatchRun, headers: readonly BlockHeader[], { deals }: BlockLogs): Promise<BlockHeader[]> => {
  const paid = new Set(deals.flatMap(({ kind, blockHash }) => (kind === 'paid' ? [blockHash] : [])));
  const blocks = headers.filter(({ hash }) => paid.has(hash));
  if (run.network.quorum < 2 || blocks.length === 0) return [...headers];
  const dates = await agreedDates(run, blocks);
  return headers.map((header) => ({ ...header, timestamp: dates[blocks.indexOf(header)] ?? header.timestamp }));
};

const commit = async (
  run: WatchRun,
  { rewindTo, headers }: Scan,
  logs: BlockLogs,
  confirmed: BlockHeader | null,
): Promise<void> => {
  if (headers.length === 0 && confirmed === null && isNothing(logs)) return;
  const alerts = await unaskedAlerts(run, logs);
  // Only the quorum says that a pause is over.
  if (logs.registry.some(({ name }) => name === 'PausedSet')) run.memory.isPauseKnown = false;
  run.failpoint('runWatcher:before_commit');
  const confirmedNumber = confirmed?.number ?? null;
  const round = { rewindTo, headers: await dated(run, headers, logs), events: logs.deals, alerts, confirmedNumber };
  logAlerts(run, await run.store.commit(run.lease, round));
  // A network without a cursor has been halted by the chain id alone.
  run.memory.halted.ends(() => run.log.info('Watcher goes on', { network: run.network.name }));
  run.failpoint('runWatcher:after_commit');
};

/**
 * Returns the logs of new blocks. While something is under way, it reads them at once. Otherwise the next round
 * requests them from one endpoint, and at intervals from several.
 */
const logsOf = async (
  run: WatchRun,
  { headers, rewindTo, responses }: Scan,
  isIdle: boolean,
  asked: readonly BlockHeader[],
): Promise<BlockLogs> => {
  const { memory, timing } = run;
  const unread = memory.unread.filter(({ number }) => rewindTo === null || number <= rewindTo);
  const isDue = !isIdle || steadyClock.now() - memory.readAt >= timing.logsIdle;
  if (isDue || !isQuiet(asked, responses) || headers.length > FRESH || unread.length + headers.length > MAX_UNREAD) {
    const logs = await readLogs(run, [...unread, ...headers]);
    [memory.unread, memory.readTo, memory.readAt] = [[], headers.at(-1)?.number ?? memory.readTo, steadyClock.now()];
    return logs;
  }
  memory.unread = [...unread, ...headers];
  memory.readTo = Math.min(asked.at(-1)?.number ?? memory.readTo, unread.at(-1)?.number ?? memory.readTo);
  return readLogs(run, []);
};

/** Most blocks of which only one endpoint was asked. */
const MAX_UNREAD = 128;
/** Most blocks of which no endpoint was asked. */
const FRESH = 8;

/** The newest stored blocks, because an earlier run may have left their logs to its next round. */
const lastBlocks = async (store: WatchStore, lease: Lease): Promise<BlockHeader[]> => {
  const cursor = await store.cursor(lease);
  return cursor === null ? [] : (await store.headers(lease, cursor.number - FRESH + 1, cursor.number)).reverse();
};

const logReorganisation = async (run: WatchRun, cursor: WatchCursor, ancestor: number): Promise<void> => {
  const { network, log } = run;
  const depth = cursor.number - ancestor;
  log.warn('Blocks were reorganised away', { network: network.name, depth, ancestor });
  measure('reorganisation', { network: network.name, depth });
  if (depth < network.confirmations || cursor.confirmedNumber === null || ancestor >= cursor.confirmedNumber) return;
  await raiseAlert(run, {
    kind: 'deep_reorganisation',
    subject: `${network.id}:${ancestor}:${cursor.hash}`,
    message: `${network.name} was reorganised ${depth} blocks deep, more than its ${network.confirmations} confirmations`,
    data: { depth, ancestor },
  });
};
