/**
 * A lane sends everything that one signer sends on one network. Each tick reads the account, its open slots and its
 * queue from the database, and the nonce and receipts from the chain.
 *
 * A run also keeps a memory (`memory.ts`), which is lost when the run ends.
 */
import type { NetworkTrouble } from '../../domain/payment.ts';
import type { NotifiedRun } from '../../domain/ports/chain-run.ts';
import type { LaneAccount, Slot } from '../../domain/ports/lane.ts';
import { createObserver } from '../../domain/tools/observer.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { batchersOf, registryAddress } from '../pure/platform.ts';
import { RpcError } from '../rpc/error.ts';
import { backoffAfter, repeatUnderLease } from '../run.ts';
import { asRefusal, createTroubleObserver } from '../network-trouble.ts';
import { laneTiming, type LaneDeps, type LaneRun } from './context.ts';
import { newLaneMemory } from './memory.ts';
import { marketFees } from '../signing/fees.ts';
import { raiseFees } from './replacement.ts';
import { fill, queueLimit } from './fill.ts';
import { pauseIfForeign } from './nonces/foreign.ts';
import { watchFunds } from './funds.ts';
import { recordOutcomes } from './observe.ts';
import { searchFailing } from './planning/search.ts';
import { settleRestored } from './restored/settle.ts';
import { dueForSending, signAttempts, transmit } from './send.ts';
import { actionOf, statesOf, type ChainView, type LaneState, type States, type WorkState } from './state.ts';
import { raiseDropped, raiseUnmined, showStuck } from './stuck.ts';
import { observeUncounted, observeUnknownOutcomes } from './nonces/unknown-outcomes.ts';
import { settleUsedNonces } from './nonces/used-nonces.ts';
import { createTurn } from './turn.ts';
import { asideOf, recordAllWaiting } from './waiting.ts';
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
      observed: createObserver((looked, holding) => store.observe(lease, looked, holding), deps),
      role: (await store.account(lease)).role,
      registry: registryAddress(network.platform),
      batcher: batchersOf(network.platform)[0],
      timing: { ...laneTiming(network.blockTimeMs), ...deps.timing },
      memory: newLaneMemory(),
      turn: createTurn(),
      signal,
      heartbeat,
    };
    let failures = 0;
    // The network's watcher raises the alert of an unreachable network.
    const troubles = createTroubleObserver(run, {
      who: 'Lane',
      does: 'sending',
      subject: accountId,
      reports: ['endpoint_refuses'],
    });
    let askedAt = 0;
    const look = async (): Promise<number> => {
      askedAt = steadyClock.now();
      const pause = await tick(run);
      failures = 0;
      await troubles.responded();
      return pause;
    };
    const recover = async (error: unknown): Promise<number> => {
      if (!(error instanceof RpcError)) throw error;
      if (signal.aborted) return 0;
      failures += 1;
      const trouble = await troubles.failed(error, askedAt);
      if (trouble !== null) await reportUnreachable(run, trouble, error);
      return backoffAfter(failures, run.timing.tick);
    };
    const lane = { network: network.name, role: run.role, address: run.signer.address };
    const kept = await repeatUnderLease(options, look, recover).finally(() => measure('laneEnd', lane));
    if (!kept) log.info('Lane taken over by another run', { network: network.name, account: accountId });
  },
});

/**
 * One tick: idle, or with work. It acts on the state that it reads here, and on a memory that may be lost (see the header).
 * @returns the pause after it, in milliseconds
 */
const tick = async (run: LaneRun): Promise<number> => {
  try {
    return await act(run);
  } catch (error) {
    run.turn.askAnother();
    throw error;
  } finally {
    run.turn.endTick();
  }
};

const act = async (run: LaneRun): Promise<number> => {
  const { store, lease } = run;
  const account = await store.account(lease);
  if (!account.isWatched) return waitForWatcher(run);
  run.memory.unwatchedSince = null;
  run.memory.limits = account.limits;
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
  const { slots, view, refused } = await recordOutcomes(run, stored);
  const { transactions, dropped, stuck } = findStates(run, slots, view);
  const seen: WorkState = { account, view, slots, transactions };
  const paused = (await settleUsedNonces(run, seen)) || (await pauseIfForeign(run, seen));
  await observeUnknownOutcomes(run);
  const state: WorkState = paused ? { ...seen, account: { ...account, status: 'paused' } } : seen;

  const queued = await store.queued(lease, queueLimit(run, state), asideOf(run.memory.queue));
  // The watcher may have halted since this tick began. Intents queued after that must not go to another chain.
  if (!(await store.isWatched(lease))) return timing.idle;
  reportProgress(run, state, queued.length);
  await watchFunds(run, state);
  const { unsigned: raised, tooDear } = await raiseFees(run, state);
  const fees = marketFees(view, run.network.maxFeePerGas);
  const left = transactions.flatMap(({ slot, state }) => (actionOf[state.is] === 'sign' ? [{ slot, fees }] : []));
  const renewed = await signAttempts(run, [...left, ...raised]);
  const again = dueForSending(transactions).filter(({ slot }) => !renewed.some((one) => one.slot.id === slot.id));
  // An endpoint with stale nonces would hide that these are used.
  if (again.length > 0) run.turn.askAnother();
  await transmit(run, state, [...again, ...renewed]);
  await showStuck(run, { state, tooDear });
  await raiseDropped(run, dropped);
  await raiseUnmined(run, stuck, view);
  // New slots come after everything under way, because endpoints may refuse to simulate new transactions.
  const filling = await fill(run, state, queued).catch((error: unknown) => {
    // Endpoints that responded to reads in this tick and then fail a simulation refuse it.
    throw asRefusal(error, 'eth_call or eth_estimateGas');
  });
  const signed = await signAttempts(run, filling.unsigned);
  await transmit(run, state, signed);
  await searchFailing(run, filling.suspected);
  // Told once everything else is done: without its receipt nobody knows what a nonce did.
  if (refused !== undefined) throw refused;

  const busy =
    filling.suspected.length > 0 ||
    signed.length > 0 ||
    renewed.length > 0 ||
    again.length > 0 ||
    filling.more ||
    slots.some((slot) => slot.state === 'signed');
  return busy ? timing.tick : timing.idle;
};

/** Finds the states of transactions, and remembers since when they hold. */
const findStates = (run: LaneRun, slots: readonly Slot[], view: ChainView): States => {
  const { memory, timing, network } = run;
  const known = { view, memory: memory.transactions, timing, blockTimeMs: network.blockTimeMs, now: steadyClock.now() };
  const states = statesOf(slots, known);
  const { oldest, unseen, unmined } = states;
  Object.assign(memory.transactions, { oldest, unseen, unmined });
  // The tip of this endpoint may stand still.
  if (states.standsStill) run.turn.askAnother();
  return states;
};

/** Sends nothing before the nonces that a restored database does not know are judged. Its payments show that they wait. */
const holdRestored = async (run: LaneRun, account: LaneAccount, stored: readonly Slot[]): Promise<number> => {
  await run.rpc.compare(Math.max(run.network.blockTimeMs, 500), run.signal);
  const state: LaneState = { account, ...(await recordOutcomes(run, stored)) };
  await settleRestored(run, state);
  const queued = await run.store.queued(run.lease, 1_000);
  await recordAllWaiting(run, queued, 'lane_paused');
  reportProgress(run, state, queued.length);
  return run.timing.tick;
};

/**
 * Nothing to do. The first tick of a run still checks the funds, and later ticks do: often until the funds are known to
 * suffice, then seldom.
 */
const idle = async (run: LaneRun, account: LaneAccount): Promise<number> => {
  const { memory, timing } = run;
  // The tick that found the last transaction mined may have ended there.
  await showStuck(run, null);
  run.heartbeat({ next_nonce: account.nextNonce, lane: account.status, under_way: 0, queued: 0 });
  const again = memory.funds.isLow === false ? timing.funds : timing.unreachable;
  if (steadyClock.now() - memory.funds.lookedAt < again) return timing.idle;
  memory.funds.lookedAt = steadyClock.now();
  const { view } = await recordOutcomes(run, []);
  const state = { account, view, slots: [] };
  reportProgress(run, state, 0);
  await watchFunds(run, state);
  return timing.idle;
};

/** Reports the lane's place in the heartbeat. `queued` counts the intents that were read. */
const reportProgress = ({ heartbeat }: LaneRun, { account, slots, view }: LaneState, queued: number): void =>
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
  run.memory.unwatchedSince ??= steadyClock.now();
  if (steadyClock.now() - run.memory.unwatchedSince >= run.timing.unreachable)
    await reportUnreachable(run, 'network_unreachable');
  return run.timing.idle;
};

/**
 * Shows the trouble on all waiting payments. Only the lane knows that endpoints disagree, so it raises that alert
 * itself.
 */
const reportUnreachable = async (run: LaneRun, trouble: NetworkTrouble, error?: RpcError): Promise<void> => {
  if (error?.kind === 'inconsistent') await observeUncounted(run, error.message);
  const queued = await run.store.queued(run.lease, 1_000);
  await recordAllWaiting(run, queued, trouble);
};
