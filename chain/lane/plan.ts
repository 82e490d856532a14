import type { WaitingDetail } from '../../domain/payment.ts';
import type { CallIntent, DealIntent, QueuedIntent, SlotPlan } from '../../domain/ports/lane.ts';
import { contracts } from '../pure/contracts.ts';
import { decodeBatchFailures, encodeCancelDeals, encodeCreateDeals } from '../pure/deal-encoding.ts';
import { roleIds } from '../pure/roles.ts';
import { decodeRevert, waitingDetailOf, type RevertReason } from '../pure/revert-reason.ts';
import { quantity, viewRequest } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/endpoint.ts';
import { RpcError } from '../rpc/error.ts';
import type { LaneRun } from './context.ts';

/** Highest gas limit of one transaction (EIP-7825). */
const MAX_TRANSACTION_GAS = 16_777_216n;

/** What a batch costs at most on a chain that charges by EVM gas alone; measured in `contracts/gas.json`, rounded up. */
const GAS = { base: 36_000n, diamond: 31_000n, deal: 25_600n } as const;

/** Room for what changes between estimate and block, in percent. */
const MARGIN = 120n;

const withMargin = (gas: bigint): bigint => (gas * MARGIN + 99n) / 100n;

/** A slot that is wanted, before the chain was asked about it. */
type SlotDraft =
  | { readonly kind: 'deals'; readonly purpose: DealIntent['purpose']; readonly intents: readonly DealIntent[] }
  | { readonly kind: 'call'; readonly intents: readonly [CallIntent] };

type DealDraft = Extract<SlotDraft, { kind: 'deals' }>;
type CallDraft = Extract<SlotDraft, { kind: 'call' }>;

/**
 * The most gas one slot may ask for. All slots under way fill two blocks, yet one is as small as that allows: a block
 * takes whole transactions only, and what does not fit any more is left empty.
 */
export const slotGasCap = (blockGasLimit: bigint, maxInflight: number): bigint => {
  const fine = blockGasLimit / 20n;
  const enough = (blockGasLimit * 2n) / BigInt(maxInflight);
  const wanted = fine > enough ? fine : enough;
  return [MAX_TRANSACTION_GAS, blockGasLimit / 2n, wanted].reduce((a, b) => (a < b ? a : b));
};

/** Gas for a batch, without margin. */
const dealGas = (intents: readonly DealIntent[]): bigint =>
  GAS.base +
  GAS.diamond * BigInt(new Set(intents.map((intent) => intent.diamond)).size) +
  GAS.deal * BigInt(intents.length);

/** How many deals fit into a slot at most. */
export const dealsPerSlot = (cap: bigint): number =>
  Number(((cap * 100n) / MARGIN - GAS.base - GAS.diamond) / GAS.deal);

/** Call data for the intents of a draft. */
const encodeDraft = (draft: SlotDraft, intents: readonly QueuedIntent[] = draft.intents): string => {
  if (draft.kind === 'call') return draft.intents[0].data;
  const deals = intents.filter((intent): intent is DealIntent => intent.kind === 'deal');
  return draft.purpose === 'create_deal' ? encodeCreateDeals(deals) : encodeCancelDeals(deals);
};

/** The plan of a draft. */
const toPlan = (draft: SlotDraft, batcher: string, gasLimit: bigint): SlotPlan => ({
  to: draft.kind === 'call' ? draft.intents[0].to : batcher,
  intents: draft.intents,
  gasLimit,
  encode: (intents) => encodeDraft(draft, intents),
});

/**
 * Puts queued intents into as few slots as their gas allows, in their order: neighbours of the same purpose together, a
 * deployment's call in a slot of its own.
 * @param room slots at most
 * @param cap gas limit of a slot at most
 */
const draftSlots = (queued: readonly QueuedIntent[], room: number, cap: bigint): SlotDraft[] => {
  const drafts: SlotDraft[] = [];
  let current: { purpose: DealIntent['purpose']; intents: DealIntent[]; diamonds: Set<string> } | null = null;
  for (const intent of queued) {
    if (intent.kind === 'call') {
      if (drafts.length === room) break;
      drafts.push({ kind: 'call', intents: [intent] });
      current = null;
      continue;
    }
    const fits: boolean =
      current !== null &&
      current.purpose === intent.purpose &&
      withMargin(
        GAS.base +
          GAS.diamond * BigInt(current.diamonds.size + (current.diamonds.has(intent.diamond) ? 0 : 1)) +
          GAS.deal * BigInt(current.intents.length + 1),
      ) <= cap;
    if (!fits) {
      if (drafts.length === room) break;
      current = { purpose: intent.purpose, intents: [], diamonds: new Set() };
      drafts.push({ kind: 'deals', purpose: intent.purpose, intents: current.intents });
    }
    current?.intents.push(intent);
    current?.diamonds.add(intent.diamond);
  }
  return drafts;
};

/** An intent that can not be sent now. */
export interface Refusal {
  readonly intent: QueuedIntent;
  readonly reason: RevertReason;
  /** Null when the reason is none that is known to pass. */
  readonly waiting: WaitingDetail | null;
}

/** Slots that can be sent, and the intents that can not. */
interface Simulation {
  readonly plans: readonly SlotPlan[];
  readonly refusals: readonly Refusal[];
}

const nothing: Simulation = { plans: [], refusals: [] };

const refused = (intents: readonly QueuedIntent[], reason: RevertReason): Refusal[] =>
  intents.map((intent) => ({ intent, reason, waiting: waitingDetailOf(reason) }));

/**
 * Plans slots for queued intents and tries them on the newest state before any of them gets a nonce: every batch is
 * called, with the gas it would get; every other call is estimated. One exchange for all.
 * @param room slots at most
 * @param cap gas limit of a slot at most
 * @throws RpcError when no endpoint answers
 */
export const planSlots = async (
  run: LaneRun,
  queued: readonly QueuedIntent[],
  room: number,
  cap: bigint,
): Promise<Simulation> => {
  const { rpc, registry, batcher, signer, signal } = run;
  const drafts = draftSlots(queued, room, cap);
  const deals = drafts.filter((draft): draft is DealDraft => draft.kind === 'deals');
  const calls = drafts.filter((draft): draft is CallDraft => draft.kind === 'call');
  const bySize = [...deals].sort((a, b) => a.intents.length - b.intents.length);
  const samples = [...new Set([bySize.at(0), bySize.at(-1)])].filter((draft) => draft !== undefined);
  const abi = contracts.registry.interface;
  const { outcomes } = await rpc.batch(
    [
      ...[batcher, signer.address].map((account) =>
        viewRequest({ to: registry, interface: abi, name: 'roleState', args: [roleIds.operator, account] }),
      ),
      // Several times what is needed: whether the gas suffices is the estimates' question.
      ...deals.map((draft) => requestOf(run, 'eth_call', draft, MAX_TRANSACTION_GAS * 2n)),
      ...samples.map((draft) => requestOf(run, 'eth_estimateGas', draft)),
      ...calls.map((draft) => requestOf(run, 'eth_estimateGas', draft)),
    ],
    { signal },
  );
  const [batcherState, signerState, ...rest] = outcomes;
  const estimates = rest.slice(deals.length);
  const scale = gasScale(samples, estimates.slice(0, samples.length));
  const all = [
    ...deals.map((draft, index) => {
      const blocked = blockOf(draft, batcherState, signerState);
      return blocked
        ? { ...nothing, refusals: refused(draft.intents, blocked) }
        : planBatch(run, draft, rest[index], scale);
    }),
    ...calls.map((draft, index) => planCall(run, draft, estimates[samples.length + index])),
  ];
  return { plans: all.flatMap(({ plans }) => plans), refusals: all.flatMap(({ refusals }) => refusals) };
};

const requestOf = ({ signer, batcher }: LaneRun, method: string, draft: SlotDraft, gas?: bigint): RpcRequest => ({
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

/** Why no batch of this purpose can be sent now, by the registry. */
const blockOf = (
  draft: DealDraft,
  batcherState: RpcOutcome | undefined,
  signerState: RpcOutcome | undefined,
): RevertReason | null => {
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

/** The plan of a batch without the diamonds that failed in it. */
const planBatch = (run: LaneRun, draft: DealDraft, outcome: RpcOutcome | undefined, scale: bigint): Simulation => {
  const reason = revertOf(outcome);
  if (reason) return { ...nothing, refusals: refused(draft.intents, reason) };
  const failures = failuresOf(draft, outcome);
  const refusals = [...failures].flatMap(([diamond, data]) =>
    refused(
      draft.intents.filter((intent) => intent.diamond === diamond),
      decodeRevert(data),
    ),
  );
  const intents = draft.intents.filter((intent) => !failures.has(intent.diamond));
  if (intents.length === 0) return { ...nothing, refusals };
  return { plans: [toPlan({ ...draft, intents }, run.batcher, dealGasLimit(intents, scale))], refusals };
};

/** @throws RpcError for an answer that no batcher gives: the endpoint talks nonsense */
const failuresOf = (draft: DealDraft, outcome: RpcOutcome | undefined): Map<string, string> => {
  const output = resultOf(outcome) as string;
  try {
    return decodeBatchFailures(draft.intents, output);
  } catch {
    throw new RpcError('malformed', 'the simulation of a batch has no answer of a batcher');
  }
};

const planCall = (run: LaneRun, draft: CallDraft, outcome: RpcOutcome | undefined): Simulation => {
  const reason = revertOf(outcome);
  if (reason) return { ...nothing, refusals: refused(draft.intents, reason) };
  const gasLimit = withMargin(BigInt(resultOf(outcome) as string));
  return { ...nothing, plans: [toPlan(draft, run.batcher, gasLimit)] };
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
