import type { DealIntent, LaneLimits, Slot } from '../../../domain/ports/lane.ts';
import { steadyClock } from '../../../domain/tools/clock.ts';
import { contracts } from '../../pure/contracts.ts';
import { batchersOf, diamondAddress, uuidBytes } from '../../pure/platform.ts';
import { max } from '../../signing/fees.ts';
import type { LaneRun } from '../context.ts';
import type { SendClass } from '../../rpc/send-errors.ts';
import type { Rejection } from '../memory.ts';
import { dealsOf } from '../restored/own-calls.ts';
import { bytesOf, bytesOfDeals, encodeDeals } from './drafts.ts';
import { countDiamonds, least, limitFor, limitOfDeals, PART_FACTOR } from './gas.ts';
import { gasOf } from './measure.ts';

/** A call in place of the one of a slot: fewer of its deals, or a filler without any effect. */
export interface SmallerCall {
  readonly to: string;
  readonly data: string;
  readonly gasLimit: bigint;
}

/** A slot whose transaction no endpoint takes, or no block includes, because it is too large. */
export interface TooLarge {
  readonly slot: Slot;
  /** Undefined when endpoints accept it, although blocks have less gas, or take it for another reason not. */
  readonly rejection: Rejection | undefined;
}

/**
 * Rejections that a smaller transaction may end, though they name no limit of its size: words that nobody understands, and a limit of its
 * fee. Without a rejection, the guess is that blocks have no room for it.
 */
const guesses: ReadonlySet<SendClass> = new Set(['possibly_sent', 'fee_cap']);

/** Bytes by which the envelope of a transaction may grow with its fees. */
const GROWTH = 16n;

/**
 * A limit for the call data or the gas of a slot, below its own: the named one, else the half. One that many deals exceed does not
 * keep a single one away.
 */
const limitOf = (
  { memory }: LaneRun,
  { slot, rejection }: TooLarge,
  { block, isSingle }: { readonly block: bigint; readonly isSingle: boolean },
): LaneLimits => {
  const { measure } = memory.gas;
  const one = { data: bytesOfDeals(1, 1), gas: limitOfDeals(1, 1, measure, true) };
  // A block takes whole transactions only, and others fill it too.
  if (rejection === undefined) return { gas: least([max(least([block, slot.gasLimit]) / 2n, one.gas), block]) };
  const { as } = rejection;
  const limit = guesses.has(as) ? null : rejection.limit;
  const below = (own: bigint, named: bigint | null, floor: bigint): bigint =>
    isSingle ? least([named ?? own - 1n, own - 1n]) : least([max(named ?? own / 2n, floor), own - 1n]);
  if (as !== 'too_much_data') return { gas: below(slot.gasLimit, limit, one.gas) };
  const data = bytesOf(slot.data);
  // It may be a limit for the whole transaction.
  const envelope = bytesOf(slot.attempts.at(-1)!.raw) - data + GROWTH;
  return { data: below(data, limit === null ? null : limit - envelope, one.data) };
};

/** The deals that a slot calls for; null for the call of a deployment. */
const intentsOf = ({ network }: LaneRun, slot: Slot): DealIntent[] | null => {
  const call = dealsOf(network.platform, slot);
  if (call === null) return null;
  const purpose = call.name === 'createDeals' ? 'create_deal' : 'cancel_deal';
  return call.deals.map((deal) => ({
    ...deal,
    termsHash: deal.termsHash ?? '',
    kind: 'deal',
    purpose,
    id: '',
    paymentId: '',
    isHeld: false,
  }));
};

/** The call of a slot with its first deals only, as many as fit within these limits; none of them when not even one does. */
const fewerDeals = (run: LaneRun, slot: Slot, deals: readonly DealIntent[], { data, gas }: LaneLimits): SmallerCall => {
  const { network, memory } = run;
  const { measure, dear } = memory.gas;
  const batcher = batchersOf(network.platform).find(({ address }) => address === slot.to)!;
  const isAlone = countDiamonds(deals) === 1 && dear.has(deals[0]!.diamond);
  const limitFirst = (count: number): bigint =>
    limitOfDeals(count, countDiamonds(deals.slice(0, count)), measure, isAlone);
  const fits = (count: number): boolean =>
    (gas === undefined || limitFirst(count) <= gas) &&
    (data === undefined || bytesOfDeals(count, countDiamonds(deals.slice(0, count))) <= data);
  let count = deals.length - 1;
  while (count > 0 && !fits(count)) count -= 1;
  const factor = isAlone ? PART_FACTOR.alone : PART_FACTOR.together;
  const kept = deals.slice(0, count);
  return {
    to: slot.to,
    data: encodeDeals(deals[0]!.purpose, kept, batcher, { measure, factor }),
    gasLimit: limitFirst(count),
  };
};

/** Gas for the creation of a diamond that exists, until it is estimated. */
const FILLER_GAS = 100_000n;

/** The creation of a diamond that exists, which does nothing; null while there is none. */
const repeatedCreation = async ({ store, lease, network, registry }: LaneRun): Promise<SmallerCall | null> => {
  const made = await store.created(lease);
  const one = made.find(
    ({ nodeId, walletId, address }) => diamondAddress(network.platform, nodeId, walletId) === address,
  );
  if (one === undefined) return null;
  const ids = [uuidBytes(one.nodeId), uuidBytes(one.walletId)];
  const data = contracts.registry.interface.encodeFunctionData('createDiamond', ids);
  return { to: registry, data, gasLimit: FILLER_GAS };
};

/** True while a single intent must not give way to a filler. After a guess it would come back, and be too large again. */
const mustKeep = ({ timing }: LaneRun, { rejection }: TooLarge, isGuess: boolean): boolean => {
  if (rejection === undefined) return isGuess;
  const patience = rejection.limit === null ? timing.foreign : timing.unreachable;
  return isGuess || steadyClock.now() - rejection.since < patience;
};

/**
 * Finds a smaller call for slots that are too large, and keeps the limit. Not all intents of the slot are in that call: those that are
 * not stay with the slot until a transaction with its nonce is confirmed, because an earlier attempt may still be mined. A single intent
 * gives way to a filler, once that has lasted: shorter where the endpoints name their limit.
 * @param block the gas of a block
 * @returns the calls by slot; slots without one wait
 */
export const smallerCalls = async (
  run: LaneRun,
  slots: readonly TooLarge[],
  block: bigint,
): Promise<Map<string, SmallerCall>> => {
  const { store, lease, memory } = run;
  const calls = new Map<string, SmallerCall>();
  for (const large of slots) {
    const { slot, rejection } = large;
    const deals = intentsOf(run, slot);
    const isSingle = deals === null || deals.length === 1;
    const isGuess = rejection === undefined ? slot.gasLimit <= block : guesses.has(rejection.as);
    if (deals?.length === 0 || (isSingle && mustKeep(run, large, isGuess))) continue;
    const limit = limitOf(run, large, { block, isSingle });
    const limits = { ...memory.limits, ...limit };
    const call = deals === null ? await repeatedCreation(run) : fewerDeals(run, slot, deals, limits);
    if (call === null || call.data === slot.data) continue;
    calls.set(slot.id, call);
    if (rejection === undefined && !isGuess) continue;
    await store.learn(lease, limit, isSingle || isGuess ? 'guessed' : 'shown');
    memory.limits = limits;
  }
  return withEstimates(run, calls);
};

/** The same calls with the gas that the quorum estimates, where that is more. */
const withEstimates = async (run: LaneRun, calls: Map<string, SmallerCall>): Promise<Map<string, SmallerCall>> => {
  if (calls.size === 0) return calls;
  const { rpc, signer, network, memory, signal } = run;
  const requests = [...calls.values()].map(({ to, data }) => ({
    method: 'eth_estimateGas',
    params: [{ from: signer.address, to, data }, 'latest'],
  }));
  const responses = await rpc.everyone(requests, { fewest: network.quorum, signal });
  return new Map(
    [...calls].map(([id, call], index) => {
      const gas = responses.flatMap(({ outcomes }) => gasOf(outcomes[index]) ?? []).sort((a, b) => Number(b - a));
      const need = gas[Math.min(network.quorum, gas.length) - 1];
      return [
        id,
        need === undefined ? call : { ...call, gasLimit: max(call.gasLimit, limitFor(need, memory.gas.measure)) },
      ];
    }),
  );
};
