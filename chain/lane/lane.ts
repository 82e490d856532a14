import type { QueuedIntent } from '../../domain/lane.ts';
import { LeaseLostError } from '../../domain/lease.ts';
import type { NotificationSource } from '../../domain/notifications.ts';
import { bumps } from './bump.ts';
import { confirm } from './confirm.ts';
import { newMemory, type LaneDeps, type LaneRun, type LaneState } from './context.ts';
import { fill, queueLimit } from './fill.ts';
import { pauseIfForeign, settleForeign } from './foreign.ts';
import { WrongGenesisError } from './observe.ts';
import { signAttempts, transmit } from './outgoing.ts';
import { dueForSending } from './rebroadcast.ts';
import { settle } from './outcome.ts';
import { laneTiming } from './timing.ts';
import { tellAllWaiting } from './waiting.ts';
import { marketFees } from './fees.ts';
import { batcherAddress, registryAddress } from '../pure/addresses.ts';
import { RpcError } from '../rpc/error.ts';

export interface LaneRunOptions {
  readonly accountId: string;
  readonly signal: AbortSignal;
  readonly heartbeat: (details?: unknown) => void;
  readonly notified: NotificationSource;
  /** When to return, in milliseconds since the epoch. */
  readonly deadlineMs: number;
}

/** One signer on one network: everything it sends goes through here. */
export interface Lane {
  /**
   * Takes the lease and works until the deadline, until it is aborted, or until another run takes the lease over.
   * @throws Error of the store; RPC trouble is waited out
   */
  run(options: LaneRunOptions): Promise<void>;
}

/** Longest pause after failures, in milliseconds. */
const LONGEST_PAUSE_MS = 5_000;

/** Creates a lane; see the files `lane-*` for what one look does, in the order of `tick`. */
export const createLane = (deps: LaneDeps): Lane => ({
  async run({ accountId, signal, heartbeat, notified, deadlineMs }) {
    const { store, log, network, platform } = deps;
    const lease = await store.acquire(accountId);
    const run: LaneRun = {
      ...deps,
      lease,
      registry: registryAddress(platform),
      batcher: batcherAddress(platform),
      timing: { ...laneTiming(network.blockTimeMs), ...deps.timing },
      memory: newMemory(),
      signal,
    };
    let silentSince: number | null = null;
    let failures = 0;
    try {
      while (!signal.aborted && Date.now() < deadlineMs) {
        heartbeat();
        let pause: number;
        try {
          pause = await tick(run);
          silentSince = null;
          failures = 0;
        } catch (error) {
          if (!(error instanceof RpcError) && !(error instanceof WrongGenesisError)) throw error;
          if (signal.aborted) break;
          silentSince ??= Date.now();
          failures += 1;
          pause = Math.min(run.timing.tick * 2 ** failures, LONGEST_PAUSE_MS);
          // After an outage it may be another chain that answers.
          run.memory.genesisChecked = false;
          log.warn('Lane waits for its network', { network: network.name, error: error.message });
          if (Date.now() - silentSince >= run.timing.unreachable) await tellUnreachable(run);
        }
        await notified.wait(Math.max(0, Math.min(pause, deadlineMs - Date.now())), signal);
      }
    } catch (error) {
      // Whoever holds the lease now goes on; this run has nothing left to do.
      if (!(error instanceof LeaseLostError)) throw error;
      log.info('Lane taken over by another run', { network: network.name, account: accountId });
    }
  },
});

/** One look: settle what is under way, then send again, raise fees, and send what is new. Returns the pause after it. */
const tick = async (run: LaneRun): Promise<number> => {
  const { store, lease, timing } = run;
  // Everything read here may be read again by the next run: no step depends on what another tick remembered.
  const [account, watched, stored] = await Promise.all([
    store.account(lease),
    store.watched(lease),
    store.openSlots(lease),
  ]);
  // Without a watcher nobody would see what becomes of a transaction.
  if (watched === null) {
    run.memory.blindSince ??= Date.now();
    if (Date.now() - run.memory.blindSince >= timing.unreachable) await tellUnreachable(run);
    return timing.idle;
  }
  run.memory.blindSince = null;
  if (stored.length === 0 && (await store.queued(lease, 1)).length === 0) return timing.idle;

  const { slots, view } = await settle(run, stored);
  const seen: LaneState = { account, watched, view, slots };
  await settleForeign(run, seen);
  await confirm(run, seen);
  const paused = await pauseIfForeign(run, seen);
  const state: LaneState = paused ? { ...seen, account: { ...account, status: 'paused' } } : seen;

  const queued: readonly QueuedIntent[] = await store.queued(lease, queueLimit(run, state));
  // The watcher may have halted since this look began. What was queued after that must not go to another chain.
  if ((await store.watched(lease)) === null) return timing.idle;
  const raised = await bumps(run, state);
  const filling = await fill(run, state, queued);
  // Slots that got a nonce from a run that died before it had signed.
  const fees = marketFees(view, run.network.maxFeePerGas);
  const left = state.slots.filter((slot) => slot.state === 'assigned').map((slot) => ({ slot, fees }));
  const signed = await signAttempts(run, [...left, ...raised, ...filling.unsigned]);
  const replaced = new Set(signed.map(({ slot }) => slot.id));
  const again = dueForSending(run, state).filter(({ slot }) => !replaced.has(slot.id));
  await transmit(run, [...again, ...signed]);

  const busy = signed.length > 0 || again.length > 0 || filling.more || slots.some((slot) => slot.state === 'signed');
  return busy ? timing.tick : timing.idle;
};

const tellUnreachable = async (run: LaneRun): Promise<void> => {
  const queued = await run.store.queued(run.lease, 1_000);
  await tellAllWaiting(run, queued, 'network_unreachable');
};
