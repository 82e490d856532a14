/**
 * A lane sends everything that one signer sends on one network. Each tick reads the account, its open slots and its
 * queue from the database, and the nonce and receipts from the chain.
 *
 * A run also keeps a memory (`LaneMemory`), which is lost when the run ends. The memory decides when and how the lane
 * acts; no fact depends on it. A new run recovers each part:
 *
 * | memory | decides | recovered from |
 * | --- | --- | --- |
 * | `told`, `unknownTold`, `unknownShownAt`, `stuck`, `stuckTold`, `stuckToldAt`, `notTaken` | whether the same thing is written or logged again | the database: a repeated write changes nothing |
 * | `parked` | which diamonds' deals are left out, and which intent is the probe | the chain: the simulation fails again |
 * | `headSince` | when the fees of the oldest transaction are raised | the chain: it is still pending, and the time counts anew |
 * | `missing` | when a transaction that the pool lacks is reported | the chain: the pool still lacks it, and the time counts anew |
 * | `refused` | which slots need more fees or gas at once | the chain: endpoints refuse the same bytes again |
 * | `used`, `unknown` | when a nonce that was used elsewhere pauses the lane | the chain: the nonce is still used, and the time counts anew |
 * | `restored` | how far the blocks were searched for lost transactions | the chain: they are searched again |
 * | `gas`, `marginUntil`, `measuring`, `mostGas`, `dear`, `dataFee`, `tip` | gas limits, needed funds and fees | the chain: estimates, measures and tips |
 * | `batcherUntil` | when the choice of the batcher is checked again | the chain: codes and roles |
 * | `lastFillAt`, `turn` | how long small slots wait for company; which endpoint is asked first | nothing is lost |
 * | `blindSince`, `shownAt`, `isLow`, `fundsAskedAt`, `isShort` | when low funds and an unreachable network are reported | the chain; open alerts are in the database |
 */
import type { NetworkTrouble } from '../../domain/payment.ts';
import type { NotifiedRun } from '../../domain/ports/chain-run.ts';
import type { LaneAccount, Slot } from '../../domain/ports/lane.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { batchersOf, registryAddress } from '../pure/platform.ts';
import { RpcError, type RpcErrorKind } from '../rpc/error.ts';
import { pauseAfter, repeatUnderLease } from '../run.ts';
import { createSilence } from '../silence.ts';
import { laneTiming, newMemory, type LaneDeps, type LaneMemory, type LaneRun, type LaneState } from './context.ts';
import { marketFees } from '../signing/fees.ts';
import { raiseFees } from './replacement.ts';
import { fill, queueLimit } from './fill.ts';
import { pauseIfForeign } from './nonces/foreign.ts';
import { watchFunds } from './funds.ts';
import { recordOutcomes } from './observe.ts';
import { searchFailing } from './planning/search.ts';
import { settleRestored } from './restored/settle.ts';
import { dueForSending, signAttempts, transmit } from './send.ts';
import { tellDropped, tellStuck } from './stuck.ts';
import { tellUncounted, tellUnknown } from './nonces/unknown-outcomes.ts';
import { settleUsedNonces } from './nonces/used.ts';
import { asideOf, tellAllWaiting } from './waiting.ts';
import { measure } from '../../runtime/measures.ts';

export interface LaneRunOptions extends NotifiedRun {
  readonly accountId: string;
}

/** One signer on one network. */
export interface Lane {
  /**
   * Takes the lease and works until the deadline, until the signal aborts, or until another run takes the lease.
   * @throws Error of the store; failures of endpoints are retried with backoff
   */
  run(options: LaneRunOptions): Promise<void>;
}

/** Creates a lane. `work` lists the steps of a tick, in order. */
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
    // The network's watcher raises the alert of an unreachable network.
    const silence = createSilence(run, {
      who: 'Lane',
      does: 'sending',
      subject: accountId,
      reports: ['endpoint_refuses'],
    });
    let askedAt = 0;
    const look = async (): Promise<number> => {
      askedAt = steadyClock.now();
      const pause = await turnOnce(run.memory, () => tick(run));
      failures = 0;
      await silence.ends();
      return pause;
    };
    const recover = async (error: unknown): Promise<number> => {
      if (!(error instanceof RpcError)) throw error;
      if (signal.aborted) return 0;
      failures += 1;
      const trouble = await silence.lasts(error, askedAt);
      if (trouble !== null) await tellUnreachable(run, trouble, error);
      return pauseAfter(failures, run.timing.tick);
    };
    const lane = { network: network.name, role: run.role, address: run.signer.address };
    const kept = await repeatUnderLease(options, look, recover).finally(() => measure('laneEnd', lane));
    if (!kept) log.info('Lane taken over by another run', { network: network.name, account: accountId });
  },
});

/**
 * Moves the turn by at most one, however many steps of a tick want another endpoint, and whether or not the tick fails:
 * more turns could lead back to the same endpoint.
 */
const turnOnce = async <Result>(memory: LaneMemory, work: () => Promise<Result>): Promise<Result> => {
  const { turn } = memory;
  try {
    return await work();
  } catch (error) {
    memory.turn += 1;
    throw error;
  } finally {
    memory.turn = Math.min(memory.turn, turn + 1);
  }
};

/**
 * One tick: idle, or with work. It acts on the state that it reads here, and on a memory that may be lost (see the header).
 * @returns the pause after it, in milliseconds
 */
const tick = async (run: LaneRun): Promise<number> => {
  const { store, lease } = run;
  const account = await store.account(lease);
  if (!account.isWatched) return waitForWatcher(run);
  run.memory.blindSince = null;
  // Every block wakes an idle lane, which then reads nothing else.
  if (!account.hasWork && !account.isRestored) return idle(run, account);
  const stored = await store.openSlots(lease);
  if (account.isRestored) return holdRestored(run, account, stored);
  if (stored.length === 0 && (await store.queued(lease, 1)).length === 0) return idle(run, account);
  return work(run, account, stored);
};

/**
 * Records the outcomes of everything under way, raises fees and sends again, then fills new slots and sends them.
 * @returns the pause after it, in milliseconds
 */
const work = async (run: LaneRun, account: LaneAccount, stored: readonly Slot[]): Promise<number> => {
  const { store, lease, timing } = run;
  await run.rpc.compare(Math.max(run.network.blockTimeMs, 500), run.signal);
  const { slots, view } = await recordOutcomes(run, stored);
  const seen: LaneState = { account, view, slots };
  const paused = (await settleUsedNonces(run, seen)) || (await pauseIfForeign(run, seen));
  await tellUnknown(run);
  const state: LaneState = paused ? { ...seen, account: { ...account, status: 'paused' } } : seen;

  const queued = await store.queued(lease, queueLimit(run, state), asideOf(run.memory));
  // The watcher may have halted since this tick began. Intents queued after that must not go to another chain.
  if (!(await store.isWatched(lease))) return timing.idle;
  tellWhereItIs(run, state, queued.length);
  await watchFunds(run, state);
  const { unsigned: raised, tooDear } = await raiseFees(run, state);
  // Slots whose run died after it took the nonce and before it signed.
  const fees = marketFees(view, run.network.maxFeePerGas);
  const left = slots.filter((slot) => slot.state === 'assigned').map((slot) => ({ slot, fees }));
  const renewed = await signAttempts(run, [...left, ...raised]);
  const again = dueForSending(run, state).filter(({ slot }) => !renewed.some((one) => one.slot.id === slot.id));
  // An endpoint with stale nonces would hide that these are used.
  if (again.length > 0) run.memory.turn += 1;
  await transmit(run, state, [...again, ...renewed]);
  await tellStuck(run, { state, tooDear });
  await tellDropped(run, state);
  // New slots come after everything under way, because endpoints may refuse to simulate new transactions.
  const filling = await fill(run, state, queued).catch(asRefusal);
  const signed = await signAttempts(run, filling.unsigned);
  await transmit(run, state, signed);
  await searchFailing(run, filling.suspected);

  const busy =
    filling.suspected.length > 0 ||
    signed.length > 0 ||
    renewed.length > 0 ||
    again.length > 0 ||
    filling.more ||
    slots.some((slot) => slot.state === 'signed');
  return busy ? timing.tick : timing.idle;
};

/** Sends nothing before the nonces that a restored database does not know are judged. Its payments show that they wait. */
const holdRestored = async (run: LaneRun, account: LaneAccount, stored: readonly Slot[]): Promise<number> => {
  await run.rpc.compare(Math.max(run.network.blockTimeMs, 500), run.signal);
  const state: LaneState = { account, ...(await recordOutcomes(run, stored)) };
  await settleRestored(run, state);
  const queued = await run.store.queued(run.lease, 1_000);
  await tellAllWaiting(run, queued, 'lane_paused');
  tellWhereItIs(run, state, queued.length);
  return run.timing.tick;
};

const unspecific: ReadonlySet<RpcErrorKind> = new Set(['denied', 'timeout', 'unreachable', 'overloaded', 'malformed']);

/**
 * Endpoints that responded to reads in this tick and then fail a simulation count as refusing it, with any error:
 * the network is reachable.
 */
const asRefusal = (error: unknown): never => {
  if (!(error instanceof RpcError) || !unspecific.has(error.kind)) throw error;
  throw new RpcError('rejected', error.message, { method: error.method ?? 'eth_call or eth_estimateGas' });
};

/**
 * Nothing to do. The first tick of a run still checks the funds, and later ticks do: often until the funds are known to
 * suffice, then seldom.
 */
const idle = async (run: LaneRun, account: LaneAccount): Promise<number> => {
  const { memory, timing } = run;
  // The tick that found the last transaction mined may have ended there.
  await tellStuck(run, null);
  run.heartbeat({ next_nonce: account.nextNonce, lane: account.status, under_way: 0, queued: 0 });
  const again = memory.isLow === false ? timing.funds : timing.unreachable;
  if (steadyClock.now() - memory.shownAt < again) return timing.idle;
  memory.shownAt = steadyClock.now();
  const { view } = await recordOutcomes(run, []);
  const state = { account, view, slots: [] };
  tellWhereItIs(run, state, 0);
  await watchFunds(run, state);
  return timing.idle;
};

/** Reports the lane's place in the heartbeat. `queued` counts the intents that were read. */
const tellWhereItIs = ({ heartbeat }: LaneRun, { account, slots, view }: LaneState, queued: number): void =>
  heartbeat({
    next_nonce: account.nextNonce,
    lane: account.status,
    under_way: slots.length,
    queued,
    balance_wei: view.balance.toString(),
    last_block: view.tip,
  });

/** Sends nothing while no watcher reads the network, because nobody would see the outcome of a transaction. */
const waitForWatcher = async (run: LaneRun): Promise<number> => {
  run.memory.blindSince ??= steadyClock.now();
  if (steadyClock.now() - run.memory.blindSince >= run.timing.unreachable)
    await tellUnreachable(run, 'network_unreachable');
  return run.timing.idle;
};

/**
 * Shows the trouble on all waiting payments. Only the lane knows that endpoints disagree, so it raises that alert
 * itself.
 */
const tellUnreachable = async (run: LaneRun, trouble: NetworkTrouble, error?: RpcError): Promise<void> => {
  if (error?.kind === 'inconsistent') await tellUncounted(run, error.message);
  const queued = await run.store.queued(run.lease, 1_000);
  await tellAllWaiting(run, queued, trouble);
};
