import type { CallIntent, DealIntent, QueuedIntent, SlotPlan } from '../../domain/lane.ts';
import { encodeCancelDeals, encodeCreateDeals } from '../pure/deal-batch.ts';

/** Highest gas limit of one transaction (EIP-7825). */
export const MAX_TRANSACTION_GAS = 16_777_216n;

/** What a batch costs at most on a chain that charges by EVM gas alone; measured in `contracts/gas.json`, rounded up. */
const GAS = { base: 36_000n, diamond: 31_000n, deal: 25_600n } as const;

/** Room for what changes between estimate and block, in percent. */
const MARGIN = 120n;

export const withMargin = (gas: bigint): bigint => (gas * MARGIN + 99n) / 100n;

/** A slot that is wanted, before the chain was asked about it. */
export type SlotDraft =
  | { readonly kind: 'deals'; readonly purpose: DealIntent['purpose']; readonly intents: readonly DealIntent[] }
  | { readonly kind: 'call'; readonly intents: readonly [CallIntent] };

export type DealDraft = Extract<SlotDraft, { kind: 'deals' }>;
export type CallDraft = Extract<SlotDraft, { kind: 'call' }>;

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
export const dealGas = (intents: readonly DealIntent[]): bigint =>
  GAS.base +
  GAS.diamond * BigInt(new Set(intents.map((intent) => intent.diamond)).size) +
  GAS.deal * BigInt(intents.length);

/** How many deals fit into a slot at most. */
export const dealsPerSlot = (cap: bigint): number =>
  Number(((cap * 100n) / MARGIN - GAS.base - GAS.diamond) / GAS.deal);

/** Call data for the intents of a draft. */
export const encodeDraft = (draft: SlotDraft, intents: readonly QueuedIntent[] = draft.intents): string => {
  if (draft.kind === 'call') return draft.intents[0].data;
  const deals = intents.filter((intent): intent is DealIntent => intent.kind === 'deal');
  return draft.purpose === 'create_deal' ? encodeCreateDeals(deals) : encodeCancelDeals(deals);
};

/** The plan of a draft. */
export const toPlan = (draft: SlotDraft, batcher: string, gasLimit: bigint): SlotPlan => ({
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
export const draftSlots = (queued: readonly QueuedIntent[], room: number, cap: bigint): SlotDraft[] => {
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
