import type { WaitingDetail } from '../../domain/payment.ts';
import type { QueuedIntent, SlotPlan } from '../../domain/ports/lane.ts';
import { contracts } from '../pure/contracts.ts';
import { decodeBatchFailures } from '../pure/deal-encoding.ts';
import { roleIds } from '../pure/roles.ts';
import { decodeRevert, waitingDetailOf, type RevertReason } from '../pure/revert-reason.ts';
import { viewRequest } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/endpoint.ts';
import { RpcError } from '../rpc/error.ts';
import type { LaneRun } from './context.ts';
import { dataFeeRequests, learnDataFee } from './data-fee.ts';
import {
  draftSlots,
  encodeDraft,
  formulaOf,
  limitFor,
  MAX_TRANSACTION_GAS,
  withMargin,
  type CallDraft,
  type DealDraft,
  usualMeasure,
  type GasMeasure,
  type SlotDraft,
} from './drafts.ts';

/** An intent that can not be sent now. */
export interface Refusal {
  readonly intent: QueuedIntent;
  readonly reason: RevertReason;
  /** Null when the reason is none that is known to pass. */
  readonly waiting: WaitingDetail | null;
}

/** Slots that can be sent, and the intents that can not. */
interface Planning {
  readonly plans: readonly SlotPlan[];
  readonly refusals: readonly Refusal[];
}

/** What the chain says about drafts; each list in the order of what it is about. */
interface Answers {
  readonly roles: readonly RpcOutcome[];
  readonly deals: readonly DealDraft[];
  readonly calls: readonly CallDraft[];
  /** Those batches whose estimates tell of all. */
  readonly samples: readonly DealDraft[];
  readonly simulations: readonly RpcOutcome[];
  readonly sampleGas: readonly RpcOutcome[];
  readonly callGas: readonly RpcOutcome[];
}

/**
 * Plans slots for queued intents and tries them on the newest state before any of them gets a nonce: every batch is
 * called as it will be sent, and its failed parts are named; what fails is left out, and what is too large for the estimates
 * is cut smaller, and all is asked again. So nothing is sent that was not called, or that no estimate covers. Mostly one
 * exchange does.
 * @param room slots at most
 * @param cap gas limit of a slot at most
 * @throws RpcError when no endpoint answers
 */
export const planSlots = async (
  run: LaneRun,
  queued: readonly QueuedIntent[],
  room: number,
  cap: bigint,
): Promise<Planning> => {
  const { memory, batcher } = run;
  const refusals: Refusal[] = [];
  let wanted = queued;
  while (wanted.length > 0) {
    const answers = await ask(run, draftSlots(wanted, room, cap, memory.gas));
    const refused = refusalsOf(answers, wanted);
    if (refused.size > 0) {
      for (const [intent, reason] of refused) refusals.push({ intent, reason, waiting: waitingDetailOf(reason) });
      wanted = wanted.filter((intent) => !refused.has(intent));
      continue;
    }
    const scale = gasScale(answers, memory.gas);
    const measure = { ...memory.gas, scale: scale ?? memory.gas.scale * 2n };
    memory.gas = measure;
    const isTooLarge = ({ intents }: DealDraft): boolean =>
      intents.length > 1 && limitFor(formulaOf(intents), measure) > cap;
    if (scale === null || answers.deals.some(isTooLarge)) continue;
    return { plans: plansOf(answers, batcher, measure), refusals };
  }
  return { plans: [], refusals };
};

const ask = async (run: LaneRun, drafts: readonly SlotDraft[]): Promise<Answers> => {
  const { rpc, registry, batcher, signer, signal, memory } = run;
  const deals = drafts.filter((draft): draft is DealDraft => draft.kind === 'deals');
  const calls = drafts.filter((draft): draft is CallDraft => draft.kind === 'call');
  const encoded = new Map(drafts.map((draft) => [draft, encodeDraft(draft)]));
  const dataOf = (draft: SlotDraft): string => encoded.get(draft)!;
  const samples = samplesOf(deals, dataOf);
  const abi = contracts.registry.interface;
  const request = (method: string, draft: SlotDraft): RpcRequest => {
    const to = draft.kind === 'call' ? draft.intents[0].to : batcher;
    return { method, params: [{ from: signer.address, to, data: dataOf(draft) }, 'latest'] };
  };
  const estimated = [...samples, ...calls];
  const data = estimated.map(dataOf);
  const { outcomes } = await rpc.batch(
    [
      ...[batcher, signer.address].map((account) =>
        viewRequest({ to: registry, interface: abi, name: 'roleState', args: [roleIds.operator, account] }),
      ),
      // With as much gas as the endpoint gives a call: whether what it gets suffices is the estimates' question.
      ...deals.map((draft) => request('eth_call', draft)),
      ...estimated.map((draft) => request('eth_estimateGas', draft)),
      ...dataFeeRequests(memory, data),
    ],
    { turn: memory.turn, signal },
  );
  const rest = [...outcomes];
  const next = (count: number): RpcOutcome[] => rest.splice(0, count);
  const answers = {
    ...{ deals, calls, samples, roles: next(2), simulations: next(deals.length) },
    ...{ sampleGas: next(samples.length), callGas: next(calls.length) },
  };
  learnDataFee(memory, data, rest);
  return answers;
};

/**
 * The batch with the most data for its gas, and the largest: on a chain that charges for data none is further above the
 * formula than the one or the other.
 */
const samplesOf = (deals: readonly DealDraft[], dataOf: (draft: SlotDraft) => string): DealDraft[] => {
  const most = (measure: (draft: DealDraft) => number): DealDraft =>
    deals.reduce((a, b) => (measure(b) > measure(a) ? b : a));
  if (deals.length === 0) return [];
  const densest = most((draft) => dataOf(draft).length / Number(formulaOf(draft.intents)));
  return [...new Set([densest, most(({ intents }) => intents.length)])];
};

/** Why intents can not be sent now: the purpose is blocked, the part of their diamond fails, or no estimate covers them. */
const refusalsOf = (answers: Answers, wanted: readonly QueuedIntent[]): Map<QueuedIntent, RevertReason> => {
  const refused = new Map<QueuedIntent, RevertReason>();
  const refuse = (reason: RevertReason, intents: readonly QueuedIntent[]): void =>
    intents.forEach((intent) => refused.set(intent, reason));
  answers.deals.forEach((draft, index) => {
    const ofPurpose = () => wanted.filter((intent) => intent.kind === 'deal' && intent.purpose === draft.purpose);
    const blocked = blockOf(draft, answers.roles);
    if (blocked) return refuse(blocked, ofPurpose());
    const simulation = answers.simulations[index];
    const reverted = revertOf(simulation);
    if (reverted) return refuse(reverted, draft.intents);
    for (const [diamond, data] of failuresOf(draft, simulation)) {
      refuse(
        decodeRevert(data),
        ofPurpose().filter((intent) => intent.kind === 'deal' && intent.diamond === diamond),
      );
    }
  });
  // What is called without trouble and can not be estimated, however small, is not sent either.
  const estimates = [...answers.sampleGas, ...answers.callGas];
  [...answers.samples, ...answers.calls].forEach((draft, index) => {
    const reason = draft.intents.length === 1 && (tooMuchGas(estimates[index]) ?? revertOf(estimates[index]));
    if (reason) refuse(reason, draft.intents);
  });
  return refused;
};

/** Why one intent fits into no transaction: its estimate, or the endpoint that gives no estimate because of its gas. */
const tooMuchGas = (outcome: RpcOutcome | undefined): RevertReason | null => {
  if (outcome?.ok) {
    const gas = BigInt(outcome.result as string);
    return gas > MAX_TRANSACTION_GAS
      ? { name: 'TooMuchGas', text: `it needs ${gas} gas, more than a transaction may have` }
      : null;
  }
  const error = outcome?.error;
  if (
    error?.kind !== 'rejected' ||
    error.revertData !== null ||
    !/\bgas\b(?!.*\b(price|fee|funds)\b)/i.test(error.message)
  )
    return null;
  return { name: 'TooMuchGas', text: error.message };
};

/** Why no batch of this purpose can be sent now, by the registry. */
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

/** @throws RpcError for an answer that no batcher gives: the endpoint talks nonsense */
const failuresOf = (draft: DealDraft, outcome: RpcOutcome | undefined): Map<string, string> => {
  const output = resultOf(outcome) as string;
  try {
    return decodeBatchFailures(draft.intents, output);
  } catch {
    throw new RpcError('malformed', 'the simulation of a batch has no answer of a batcher');
  }
};

/** @throws RpcError for a failure that is no revert */
const revertOf = (outcome: RpcOutcome | undefined): RevertReason | null => {
  if (!outcome || outcome.ok) return null;
  const data = outcome.error.revertData;
  if (data === null) throw outcome.error;
  return decodeRevert(data);
};

/** How far estimates are above the formula at most; null when a batch is too large for the endpoint to estimate. */
const gasScale = ({ samples, sampleGas }: Answers, measure: GasMeasure): bigint | null => {
  if (samples.length === 0) return measure.scale;
  let scale = usualMeasure.scale;
  for (const [index, { intents }] of samples.entries()) {
    const outcome = sampleGas[index];
    if (!outcome?.ok && intents.length > 1) return null;
    const own = (BigInt(resultOf(outcome) as string) * 1_000n) / formulaOf(intents) + 1n;
    if (own > scale) scale = own;
  }
  return scale;
};

const plansOf = ({ deals, calls, callGas }: Answers, batcher: string, measure: GasMeasure): SlotPlan[] => {
  // What an estimate fits into, its margin may not.
  const planOf = (draft: SlotDraft, to: string, wanted: bigint): SlotPlan => ({
    ...{ to, intents: draft.intents },
    gasLimit: wanted < MAX_TRANSACTION_GAS ? wanted : MAX_TRANSACTION_GAS,
    encode: (intents) => encodeDraft(draft, intents),
  });
  return [
    ...deals.map((draft) => planOf(draft, batcher, limitFor(formulaOf(draft.intents), measure))),
    ...calls.map((draft, index) =>
      planOf(draft, draft.intents[0].to, withMargin(BigInt(resultOf(callGas[index]) as string), measure)),
    ),
  ];
};
