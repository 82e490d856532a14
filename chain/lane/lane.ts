import type { NetworkTrouble } from '../../domain/payment.ts';
import type { NotifiedRun } from '../../domain/ports/chain-run.ts';
import type { LaneAccount } from '../../domain/ports/lane.ts';
import { batchersOf, registryAddress } from '../pure/platform.ts';
import { RpcError } from '../rpc/error.ts';
import { pauseAfter, repeatUnderLease } from '../run.ts';
import { createSilence } from '../silence.ts';
import { laneTiming, newMemory, type LaneDeps, type LaneRun, type LaneState } from './context.ts';
import { marketFees } from '../signing/fees.ts';
import { raiseFees } from './fees.ts';
import { fill, queueLimit } from './fill.ts';
import { pauseIfForeign } from './foreign.ts';
import { watchFunds } from './funds.ts';
import { recordOutcomes } from './observe.ts';
import { searchFailing } from './planning/search.ts';
import { dueForSending, signAttempts, transmit } from './send.ts';
import { tellUncounted, tellUnknown } from './unknown.ts';
import { settleUsedNonces } from './used.ts';
import { asideOf, tellAllWaiting } from './waiting.ts';

/** What one run of a lane is given. */
export interface LaneRunOptions extends NotifiedRun {
  readonly accountId: string;
}

/** One signer on one network: everything it sends goes through here. */
export interface Lane {
  /**
   * Takes the lease and works until the deadline, until it is aborted, or until another run takes the lease over.
   * @throws Error of the store; RPC trouble is waited out
   */
  run(options: LaneRunOptions): Promise<void>;
}

/** Creates a lane; `tick` tells what one look does, in order. */
export const createLane = (deps: LaneDeps): Lane => ({
  async run({ accountId, ...options }) {
    const { store, log, network } = deps;
    const { signal, heartbeat } = options;
    const lease = await store.acquire(accountId);
    const run: LaneRun = {
      ...deps,
      lease,
      role: (await store.account(lease)).role,
      registry: registryAddress(network.platform),
      batcher: batchersOf(network.platform)[0],
      timing: { ...laneTiming(network.blockTimeMs), ...deps.timing },
      memory: newMemory(),
      signal,
      heartbeat,
    };
    let failures = 0;
    // That nobody answers is told by the network's watcher.
    const keys = { endpoint_refuses: `endpoint_refuses:${accountId}` };
    const silence = createSilence(run, { who: 'Lane', does: 'sending', keys });
    const look = async (): Promise<number> => {
      const pause = await tick(run);
      failures = 0;
      await silence.ends();
      return pause;
    };
    const recover = async (error: unknown): Promise<number> => {
      if (!(error instanceof RpcError)) throw error;
      if (signal.aborted) return 0;
      failures += 1;
      run.memory.turn += 1;
      const trouble = await silence.lasts(error);
      if (trouble !== null) await tellUnreachable(run, trouble, error);
      return pauseAfter(failures, run.timing.tick);
    };
    const kept = await repeatUnderLease(options, look, recover);
    if (!kept) log.info('Lane taken over by another run', { network: network.name, account: accountId });
  },
});

/**
 * One look: record what became of everything under way, then send again, raise fees, and send what is new. All that it
 * acts on is read here: no step depends on what another tick remembered.
 * @returns the pause after it
 */
const tick = async (run: LaneRun): Promise<number> => {
  const { store, lease, timing } = run;
  const [account, isWatched, stored] = await Promise.all([
    store.account(lease),
    store.isWatched(lease),
    store.openSlots(lease),
  ]);
  if (!isWatched) return waitForWatcher(run);
  run.memory.blindSince = null;
  if (stored.length === 0 && (await store.queued(lease, 1)).length === 0) return rest(run, account);

  await run.rpc.compare(Math.max(run.network.blockTimeMs, 500), run.signal);
  const { slots, view } = await recordOutcomes(run, stored);
  const seen: LaneState = { account, view, slots };
  const paused = (await settleUsedNonces(run, seen)) || (await pauseIfForeign(run, seen));
  await tellUnknown(run);
  const state: LaneState = paused ? { ...seen, account: { ...account, status: 'paused' } } : seen;

  const queued = await store.queued(lease, queueLimit(run, state), asideOf(run.memory));
  // The watcher may have halted since this look began. What was queued after that must not go to another chain.
  if (!(await store.isWatched(lease))) return timing.idle;
  tellWhereItIs(run, state, queued.length);
  await watchFunds(run, state);
  const raised = await raiseFees(run, state);
  const filling = await fill(run, state, queued);
  // Slots that got a nonce from a run that died before it had signed.
  const fees = marketFees(view, run.network.maxFeePerGas);
  const left = slots.filter((slot) => slot.state === 'assigned').map((slot) => ({ slot, fees }));
  const signed = await signAttempts(run, [...left, ...raised, ...filling.unsigned]);
  const replaced = new Set(signed.map(({ slot }) => slot.id));
  const again = dueForSending(run, state).filter(({ slot }) => !replaced.has(slot.id));
  // An endpoint that tells of old nonces would hide that these are used.
  if (again.length > 0) run.memory.turn += 1;
  await transmit(run, state, [...again, ...signed]);
  await searchFailing(run, filling.suspected);

  const busy =
    filling.suspected.length > 0 ||
    signed.length > 0 ||
    again.length > 0 ||
    filling.more ||
    slots.some((slot) => slot.state === 'signed');
  return busy ? timing.tick : timing.idle;
};

/** There is nothing to do. The first look of a run shows the funds all the same; until they are known to suffice, so do more. */
const rest = async (run: LaneRun, account: LaneAccount): Promise<number> => {
  const { memory, timing } = run;
  run.heartbeat({ next_nonce: account.nextNonce, lane: account.status, under_way: 0, queued: 0 });
  const again = memory.isLow === false ? Infinity : timing.unreachable;
  if (memory.shownAt > 0 && Date.now() - memory.shownAt < again) return timing.idle;
  memory.shownAt = Date.now();
  const { view } = await recordOutcomes(run, []);
  const state = { account, view, slots: [] };
  tellWhereItIs(run, state, 0);
  await watchFunds(run, state);
  return timing.idle;
};

/** What is queued counts as far as it was read. */
const tellWhereItIs = ({ heartbeat }: LaneRun, { account, slots, view }: LaneState, queued: number): void =>
  heartbeat({
    next_nonce: account.nextNonce,
    lane: account.status,
    under_way: slots.length,
    queued,
    balance_wei: view.balance.toString(),
    last_block: view.tip,
  });

/** Without a watcher no run would see what becomes of a transaction: nothing is sent. */
const waitForWatcher = async (run: LaneRun): Promise<number> => {
  run.memory.blindSince ??= Date.now();
  if (Date.now() - run.memory.blindSince >= run.timing.unreachable) await tellUnreachable(run, 'network_unreachable');
  return run.timing.idle;
};

/** Where every endpoint is silent, the network is unreachable, which its watcher tells; where they differ, only the lane knows it. */
const tellUnreachable = async (run: LaneRun, trouble: NetworkTrouble, error?: RpcError): Promise<void> => {
  if (error?.kind === 'inconsistent') await tellUncounted(run, error.message);
  const queued = await run.store.queued(run.lease, 1_000);
  await tellAllWaiting(run, queued, trouble);
};
