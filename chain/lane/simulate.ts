import type { DealIntent, QueuedIntent, SlotPlan } from '../../domain/lane.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import { quantity, viewRequest } from '../rpc/calls.ts';
import { contracts } from '../pure/contracts.ts';
import { decodeBatchFailures } from '../pure/deal-batch.ts';
import { decodeRevert, waitingDetailOf, type RevertReason } from '../pure/revert-reason.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/endpoint.ts';
import type { LaneRun } from './context.ts';
import {
  dealGas,
  encodeDraft,
  MAX_TRANSACTION_GAS,
  toPlan,
  withMargin,
  type CallDraft,
  type DealDraft,
  type SlotDraft,
} from './plan.ts';

/** An intent that can not be sent now. */
export interface Refusal {
  readonly intent: QueuedIntent;
  readonly reason: RevertReason;
  /** Null when the reason is none that is known to pass. */
  readonly waiting: WaitingDetail | null;
}

export interface Simulation {
  readonly plans: readonly SlotPlan[];
  readonly refusals: readonly Refusal[];
}

/**
 * Tries drafts on the newest state before any of them gets a nonce: every batch is called, with the gas it would get;
 * every other call is estimated. One exchange for all.
 * @throws RpcError when no endpoint answers
 */
export const simulate = async (run: LaneRun, drafts: readonly SlotDraft[]): Promise<Simulation> => {
  const { rpc, registry, batcher, signer, signal } = run;
  const deals = drafts.filter((draft): draft is DealDraft => draft.kind === 'deals');
  const calls = drafts.filter((draft): draft is CallDraft => draft.kind === 'call');
  const bySize = [...deals].sort((a, b) => a.intents.length - b.intents.length);
  const samples = [...new Set([bySize.at(0), bySize.at(-1)])].filter((draft) => draft !== undefined);
  const abi = contracts.registry.interface;
  const requestOf = (method: string, draft: SlotDraft, gas?: bigint): RpcRequest => ({
    method,
    params: [
      {
        from: signer.address,
        to: draft.kind === 'call' ? draft.intents[0].to : batcher,
        data: encodeDraft(draft),
        ...(gas === undefined ? {} : { gas: quantity(gas) }),
      },
      'latest',
    ],
  });
  const { outcomes } = await rpc.batch(
    [
      viewRequest({ to: registry, interface: abi, name: 'operatorState', args: [batcher] }),
      viewRequest({ to: registry, interface: abi, name: 'isOperator', args: [signer.address] }),
      // Several times what is needed: whether the gas suffices is the estimates' question.
      ...deals.map((draft) => requestOf('eth_call', draft, MAX_TRANSACTION_GAS * 2n)),
      ...samples.map((draft) => requestOf('eth_estimateGas', draft)),
      ...calls.map((draft) => requestOf('eth_estimateGas', draft)),
    ],
    { signal },
  );
  const [operatorState, isOperator, ...rest] = outcomes;
  const plans: SlotPlan[] = [];
  const refusals: Refusal[] = [];
  const refuse = (intents: readonly QueuedIntent[], reason: RevertReason): void => {
    for (const intent of intents) refusals.push({ intent, reason, waiting: waitingDetailOf(reason) });
  };

  const blocked = (draft: DealDraft): RevertReason | null => {
    const [batcherIsOperator, isPaused] = decode(operatorState, 'operatorState') as [boolean, boolean];
    const [signerIsOperator] = decode(isOperator, 'isOperator') as [boolean];
    if (!batcherIsOperator || !signerIsOperator) return { name: 'NotOperator', text: 'the operator role is missing' };
    return isPaused && draft.purpose === 'create_deal' ? { name: 'Paused', text: 'the registry is paused' } : null;
  };

  const scale = gasScale(samples, rest.slice(deals.length, deals.length + samples.length));
  for (const [index, draft] of deals.entries()) {
    const reason = blocked(draft) ?? revertOf(rest[index]);
    if (reason) {
      refuse(draft.intents, reason);
      continue;
    }
    const failures = decodeBatchFailures(draft.intents, resultOf(rest[index]));
    for (const [diamond, data] of failures) {
      refuse(
        draft.intents.filter((intent) => intent.diamond === diamond),
        decodeRevert(data),
      );
    }
    const intents = draft.intents.filter((intent) => !failures.has(intent.diamond));
    if (intents.length === 0) continue;
    plans.push(toPlan({ ...draft, intents }, batcher, dealGasLimit(intents, scale)));
  }
  for (const [index, draft] of calls.entries()) {
    const outcome = rest[deals.length + samples.length + index];
    const reason = revertOf(outcome);
    if (reason) refuse(draft.intents, reason);
    else plans.push(toPlan(draft, batcher, withMargin(BigInt(resultOf(outcome)))));
  }
  return { plans, refusals };
};

const decode = (outcome: RpcOutcome | undefined, name: string): unknown =>
  contracts.registry.interface.decodeFunctionResult(name, resultOf(outcome));

const resultOf = (outcome: RpcOutcome | undefined): string => {
  if (!outcome?.ok) throw outcome?.error ?? new Error('the node left out an answer');
  return outcome.result as string;
};

/** @throws RpcError for a failure that is no revert */
const revertOf = (outcome: RpcOutcome | undefined): RevertReason | null => {
  if (!outcome || outcome.ok) return null;
  const data = outcome.error.revertData;
  if (data === null) throw outcome.error;
  return decodeRevert(data);
};

/** Parts per thousand by which estimates are above the formula: chains that charge for data ask for more. */
const gasScale = (samples: readonly DealDraft[], outcomes: readonly RpcOutcome[]): bigint =>
  samples.reduce((scale, { intents }, index) => {
    const outcome = outcomes[index];
    if (!outcome?.ok) return scale;
    const own = (BigInt(outcome.result as string) * 1_000n) / dealGas(intents) + 1n;
    return own > scale ? own : scale;
  }, 1_000n);

const dealGasLimit = (intents: readonly DealIntent[], scale: bigint): bigint => {
  const limit = withMargin((dealGas(intents) * scale) / 1_000n);
  return limit > MAX_TRANSACTION_GAS ? MAX_TRANSACTION_GAS : limit;
};
