import type { WaitingDetail } from '../../../domain/payment.ts';
import type { DealIntent, LaneLimits, QueuedIntent, SlotPlan } from '../../../domain/ports/lane.ts';
import { contracts } from '../../pure/contracts.ts';
import { roleIds } from '../../pure/roles.ts';
import { waitingDetailOf, type RevertReason } from '../../pure/revert-reason.ts';
import { fewestOf, middle, quantity, viewRequest } from '../../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../../rpc/requests.ts';
import type { LaneRun } from '../context.ts';
import {
  bytesOf,
  draftSlots,
  encodeDraft,
  gasLimitOf,
  type CallDraft,
  type DealDraft,
  type SlotDraft,
} from './drafts.ts';
import { capped, countDiamonds, gasOfDeals, least, limitFor, slotGasCap, type GasMeasure } from './gas.ts';
import { gasOf, measureDataFee, measureGas } from './measure.ts';
import { beyond, makeRoom, outcomeOf, revertOf, tooMuchGas, type Refused, type GasShortage } from './shortage.ts';

/** An intent that cannot be sent now. */
export interface RefusedIntent {
  readonly intent: QueuedIntent;
  readonly reason: RevertReason;
  /** Null when the reason is not known to be temporary. */
  readonly waiting: WaitingDetail | null;
  /** Deals of its diamond that failed together, one of which may be at fault; empty when the reason concerns all. */
  readonly suspects: readonly DealIntent[];
}

/** Slots that can be sent, and intents that cannot. */
interface Planning {
  readonly plans: readonly SlotPlan[];
  readonly refusals: readonly RefusedIntent[];
}

/** The chain's responses about drafts. Each list of outcomes has the order of its drafts. */
interface Responses {
  readonly roles: readonly RpcOutcome[];
  readonly deals: readonly DealDraft[];
  readonly calls: readonly CallDraft[];
  /** The batches that are estimated for all. */
  readonly samples: readonly DealDraft[];
  readonly sampleRequests: readonly RpcRequest[];
  readonly simulations: readonly RpcOutcome[];
  readonly sampleGas: readonly RpcOutcome[];
  readonly callGas: readonly RpcOutcome[];
  /** The measure of the drafts. */
  readonly measure: GasMeasure;
  /** The call data and the gas limit of a draft as it will be signed. */
  readonly sizeOf: (draft: SlotDraft) => { readonly data: bigint; readonly gas: bigint };
}

/** Lowest gas limit in percent of the estimate. */
const ENOUGH = 110n;
/** How often a plan is repeated for too little gas; batches that are still short then are refused. */
const MOST_SHORTAGES = 12;

/**
 * Plans slots for queued intents and simulates them on the newest state before any nonce is taken. Every batch is
 * simulated with the call data and the gas limit that will be signed. Failing intents are left out, too little gas
 * leads to a new measure and new batches, and then everything is simulated again. So every slot was simulated as it is
 * sent, and an estimate covers it. Usually one exchange suffices.
 * @param room most slots
 * @param maxInflight most slots in flight
 * @throws RpcError when no endpoint responds
 */
export const planSlots = async (
  run: LaneRun,
  queued: readonly QueuedIntent[],
  room: number,
  maxInflight: number,
): Promise<Planning> => {
  const refusals: RefusedIntent[] = [];
  let wanted = queued;
  const leaveOut = (refused: Refused): void => {
    for (const [intent, why] of refused) refusals.push({ intent, ...why, waiting: waitingDetailOf(why.reason) });
    wanted = wanted.filter((intent) => !refused.has(intent));
  };
  await measureGas(run, wanted, 'due');
  for (let shortages = 0; wanted.length > 0;) {
    const responses = await ask(run, draftsOf(run, wanted, room, maxInflight));
    const { refused, short: tried } = findUnsendable(responses, wanted, run.memory.limits);
    if (refused.size > 0) {
      leaveOut(refused);
      continue;
    }
    const short = [...tried, ...(await shortByEstimate(run, responses))];
    if (short.length === 0) return { plans: plansOf(run, responses), refusals };
    shortages += 1;
    if (shortages === 1) await measureGas(run, wanted, 'now');
    else leaveOut(await makeRoom(run, short, responses.measure, shortages < MOST_SHORTAGES));
  }
  return { plans: [], refusals };
};

const draftsOf = (
  { memory }: LaneRun,
  wanted: readonly QueuedIntent[],
  room: number,
  maxInflight: number,
): SlotDraft[] =>
  draftSlots(wanted, {
    room,
    cap: least([memory.gas.most, memory.limits.gas ?? memory.gas.most, slotGasCap(memory.gas.measure, maxInflight)]),
    data: memory.limits.data,
    measure: memory.gas.measure,
    apart: { diamonds: memory.gas.dear, intents: new Set(memory.queue.parked.keys()) },
  });

const ask = async (run: LaneRun, drafts: readonly SlotDraft[]): Promise<Responses> => {
  const { rpc, registry, batcher, signer, signal, memory } = run;
  const { measure } = memory.gas;
  const deals = drafts.filter((draft): draft is DealDraft => draft.kind === 'deals');
  const calls = drafts.filter((draft): draft is CallDraft => draft.kind === 'call');
  const encoded = new Map(drafts.map((draft) => [draft, encodeDraft(draft, batcher, measure)]));
  const dataOf = (draft: SlotDraft): string => encoded.get(draft)!;
  const samples = samplesOf(deals, dataOf, measure);
  const abi = contracts.registry.interface;
  const request = (method: string, draft: SlotDraft, more = {}): RpcRequest => {
    const to = draft.kind === 'call' ? draft.intents[0].to : batcher.address;
    return { method, params: [{ from: signer.address, to, data: dataOf(draft), ...more }, 'latest'] };
  };
  const estimated = [...samples, ...calls];
  const estimates = estimated.map((draft) => request('eth_estimateGas', draft));
  const measuring = measureDataFee(run, estimated.map(dataOf));
  const asking = rpc.batch(
    [
      ...[batcher.address, signer.address].map((account) =>
        viewRequest({ to: registry, interface: abi, name: 'roleState', args: [roleIds.operator, account] }),
      ),
      ...deals.map((draft) => request('eth_call', draft, { gas: quantity(signedLimit(draft, measure)) })),
      ...estimates,
    ],
    {
      turn: run.turn.now,
      signal,
      accept: ([batcherState, signerState]) => [batcherState, signerState].forEach(requireState),
    },
  );
  const [{ outcomes }] = await Promise.all([asking, measuring]);
  const rest = [...outcomes];
  const next = (count: number): RpcOutcome[] => rest.splice(0, count);
  const callGas = (draft: CallDraft): bigint => {
    const gas = gasOf(responses.callGas[calls.indexOf(draft)]);
    return gas === undefined ? 0n : limitFor(gas, measure);
  };
  const responses = {
    measure,
    sizeOf: (draft: SlotDraft) => ({
      data: bytesOf(dataOf(draft)),
      gas: draft.kind === 'call' ? callGas(draft) : signedLimit(draft, measure),
    }),
    deals,
    calls,
    samples,
    sampleRequests: estimates.slice(0, samples.length),
    roles: next(2),
    simulations: next(deals.length),
    sampleGas: next(samples.length),
    callGas: next(calls.length),
  };
  return responses;
};

const signedLimit = (draft: DealDraft, measure: GasMeasure): bigint => capped(gasLimitOf(draft, measure));

/**
 * The batches to estimate: the one with the most data for its gas, and the largest. On a chain that charges for data,
 * one of these two exceeds the formula the most.
 */
const samplesOf = (
  deals: readonly DealDraft[],
  dataOf: (draft: SlotDraft) => string,
  measure: GasMeasure,
): DealDraft[] => {
  const most = (measure: (draft: DealDraft) => number): DealDraft =>
    deals.reduce((a, b) => (measure(b) > measure(a) ? b : a));
  if (deals.length === 0) return [];
  const densest = most(
    (draft) => dataOf(draft).length / Number(gasOfDeals(draft.intents.length, countDiamonds(draft.intents), measure)),
  );
  return [...new Set([densest, most(({ intents }) => intents.length)])];
};

/**
 * Finds the intents that cannot be sent now, because their purpose is blocked, their diamond's part fails, or they
 * cannot be estimated; and the batches that ran out of gas.
 */
const findUnsendable = (
  responses: Responses,
  wanted: readonly QueuedIntent[],
  limits: LaneLimits,
): { readonly refused: Refused; readonly short: readonly GasShortage[] } => {
  const refused: Refused = new Map();
  const shortages: GasShortage[] = [];
  const refuse = (reason: RevertReason, intents: readonly QueuedIntent[], suspects: readonly DealIntent[] = []): void =>
    intents.forEach((intent) => refused.set(intent, { reason, suspects }));
  responses.deals.forEach((draft, index) => {
    const ofPurpose = () => wanted.filter((intent) => intent.kind === 'deal' && intent.purpose === draft.purpose);
    const blocked = blockOf(draft, responses.roles);
    if (blocked) return refuse(blocked, ofPurpose());
    const { short, reverted, parts } = outcomeOf(draft.intents, responses.simulations[index]);
    if (short) shortages.push({ draft, ...short, gas: null });
    if (reverted) return refuse(reverted, draft.intents);
    for (const [diamond, reason] of parts) {
      const own = draft.intents.filter((intent) => intent.diamond === diamond);
      // A single deal may be one that failed before and is simulated alone; it says nothing about the others.
      const isOne = own.length === 1;
      const others = () => ofPurpose().filter((intent) => intent.kind === 'deal' && intent.diamond === diamond);
      const isOfAll = waitingDetailOf(reason) !== null;
      refuse(reason, isOne && !isOfAll ? own : others(), isOfAll ? [] : own);
    }
  });
  // A single intent that works in a simulation but cannot be estimated is not sent either.
  const estimates = [...responses.sampleGas, ...responses.callGas];
  [...responses.samples, ...responses.calls].forEach((draft, index) => {
    const reason =
      draft.intents.length === 1 && (tooMuchGas(estimates[index], responses.measure) ?? revertOf(estimates[index]));
    if (reason) refuse(reason, draft.intents);
  });
  for (const draft of [...responses.deals, ...responses.calls]) {
    const reason = draft.intents.length === 1 && beyond(limits, responses.sizeOf(draft));
    if (reason) refuse(reason, draft.intents);
  }
  return { refused, short: shortages };
};

/** Why the registry lets no batch of this purpose pass now; null when it does. */
const blockOf = (draft: DealDraft, [batcherState, signerState]: readonly RpcOutcome[]): RevertReason | null => {
  const [batcherMay, isPaused] = roleState(batcherState);
  const [signerMay] = roleState(signerState);
  if (!batcherMay || !signerMay) return { name: 'NotOperator', text: 'the operator role is missing' };
  return isPaused && draft.purpose === 'create_deal' ? { name: 'Paused', text: 'the registry is paused' } : null;
};

const roleState = (outcome: RpcOutcome | undefined): [enabled: boolean, isPaused: boolean] =>
  contracts.registry.interface.decodeFunctionResult('roleState', resultOf(outcome) as string) as unknown as [
    boolean,
    boolean,
  ];

/** @throws Error when a response is no state of a role */
const requireState = (outcome: RpcOutcome | undefined): void => {
  if (outcome?.ok) roleState(outcome);
};

/** Batches that are short by one endpoint's estimate, as the median of all endpoints bears it out. */
const shortByEstimate = async (
  { rpc, network, signal }: LaneRun,
  responses: Responses,
): Promise<readonly GasShortage[]> => {
  const short = shortBy(responses);
  if (short.length === 0 || rpc.endpoints === 1) return short;
  const all = await rpc.everyone(responses.sampleRequests, { fewest: fewestOf(rpc, network.quorum), signal });
  const sampleGas = responses.sampleGas.map((own, index): RpcOutcome => {
    const gas = middle(all.flatMap(({ outcomes }) => gasOf(outcomes[index]) ?? []));
    return gas === undefined ? own : { ok: true, result: quantity(gas) };
  });
  return shortBy({ ...responses, sampleGas });
};

/** Batches whose estimate is too close to their gas limit, or that no endpoint can estimate. */
const shortBy = ({ samples, sampleGas, measure }: Responses): GasShortage[] =>
  samples.flatMap((draft, index): GasShortage[] => {
    const outcome = sampleGas[index];
    if (!outcome?.ok && draft.intents.length > 1) return [{ draft, spent: [], gas: null, isTooLarge: true }];
    const gas = BigInt(resultOf(outcome) as string);
    return gas * ENOUGH <= signedLimit(draft, measure) * 100n ? [] : [{ draft, spent: [], gas, isTooLarge: false }];
  });

const plansOf = ({ batcher }: LaneRun, { deals, calls, callGas, measure }: Responses): SlotPlan[] => {
  const planOf = (draft: SlotDraft, to: string, gasLimit: bigint): SlotPlan => ({
    to,
    gasLimit,
    intents: draft.intents,
    encode: (intents) => encodeDraft(draft, batcher, measure, intents),
  });
  return [
    ...deals.map((draft) => planOf(draft, batcher.address, signedLimit(draft, measure))),
    ...calls.map((draft, index) =>
      planOf(draft, draft.intents[0].to, limitFor(BigInt(resultOf(callGas[index]) as string), measure)),
    ),
  ];
};
