import type { CallIntent, DealIntent, QueuedIntent } from '../../domain/ports/lane.ts';
import { encodeCancelDeals, encodeCreateDeals, type GasOf } from '../pure/deal-encoding.ts';

/** Highest gas limit of one transaction (EIP-7825). */
export const MAX_TRANSACTION_GAS = 16_777_216n;

/** What a batch costs at most on a chain that charges by EVM gas alone; measured in `contracts/gas.json`, rounded up. */
const GAS = { base: 36_000n, diamond: 31_000n, deal: 25_600n } as const;

/** How estimates of this chain compare with the formula. */
export interface GasMeasure {
  /** Parts per thousand by which estimates are above the formula: chains that charge for data ask for more. */
  readonly scale: bigint;
  /** Room for what changes between estimate and block, in percent of the estimate. */
  readonly margin: bigint;
}

/** Of a chain that was not asked yet. */
export const usualMeasure: GasMeasure = { scale: 1_000n, margin: 120n };

/** A gas limit with room. */
export const withMargin = (gas: bigint, { margin }: GasMeasure): bigint => (gas * margin + 99n) / 100n;

/** Gas for a batch on a chain that charges by EVM gas alone, without margin. */
export const formulaOfDeals = (deals: number, diamonds: number): bigint =>
  GAS.base + GAS.diamond * BigInt(diamonds) + GAS.deal * BigInt(deals);

/** The same for these deals. */
export const formulaOf = (intents: readonly DealIntent[]): bigint =>
  formulaOfDeals(intents.length, new Set(intents.map((intent) => intent.diamond)).size);

/** The gas limit for a batch that the formula says this of. */
export const limitFor = (gas: bigint, measure: GasMeasure): bigint =>
  withMargin((gas * measure.scale) / 1_000n, measure);

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

/** How many deals of one diamond fit into a slot; one always does. */
export const dealsPerSlot = (cap: bigint, { scale, margin }: GasMeasure): number =>
  Math.max(1, Number(((cap * 100_000n) / (margin * scale) - GAS.base - GAS.diamond) / GAS.deal));

/** Deals for one slot, before the chain was asked about them. */
export interface DealDraft {
  readonly kind: 'deals';
  readonly purpose: DealIntent['purpose'];
  readonly intents: readonly DealIntent[];
}

/** A deployment's call in a slot of its own. */
export interface CallDraft {
  readonly kind: 'call';
  readonly intents: readonly [CallIntent];
}

export type SlotDraft = DealDraft | CallDraft;

/** Call data for the intents of a draft. */
export const encodeDraft = (draft: SlotDraft, intents: readonly QueuedIntent[] = draft.intents): string => {
  if (draft.kind === 'call') return draft.intents[0].data;
  const deals = intents.filter((intent): intent is DealIntent => intent.kind === 'deal');
  const gasOf = partGasOf(deals);
  return draft.purpose === 'create_deal' ? encodeCreateDeals(deals, gasOf) : encodeCancelDeals(deals, gasOf);
};

/** About twice what a part needs where state costs what it did before Amsterdam's rules. */
const partGasOf =
  (deals: readonly DealIntent[]): GasOf =>
  (diamond) =>
    150_000n + 60_000n * BigInt(deals.filter((deal) => deal.diamond === diamond).length);

/**
 * Puts queued intents into as few slots as their gas allows, in their order: neighbours of the same purpose together, a
 * deployment's call in a slot of its own.
 * @param room slots at most
 * @param cap gas limit of a slot at most; a single deal may need more
 */
export const draftSlots = (
  queued: readonly QueuedIntent[],
  room: number,
  cap: bigint,
  measure: GasMeasure,
): SlotDraft[] => {
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
      limitFor(
        formulaOfDeals(
          current.intents.length + 1,
          current.diamonds.size + (current.diamonds.has(intent.diamond) ? 0 : 1),
        ),
        measure,
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
