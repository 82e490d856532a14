import type { CallIntent, DealIntent, QueuedIntent } from '../../../domain/ports/lane.ts';
import { encodeCancelDeals, encodeCreateDeals } from '../../pure/deal-encoding.ts';
import type { PlatformBatcher } from '../../pure/platform.ts';
import type { LaneRun } from '../context.ts';
import { countDiamonds, limitOfDeals, MAX_TRANSACTION_GAS, PART_FACTOR, partLimit, type GasMeasure } from './gas.ts';

/** Deals for one slot, before they are simulated. */
export interface DealDraft {
  readonly kind: 'deals';
  readonly purpose: DealIntent['purpose'];
  readonly intents: readonly DealIntent[];
  /** True when its only diamond needs more gas than others. */
  readonly isAlone: boolean;
}

/** A deployment's call, which gets a separate slot. */
export interface CallDraft {
  readonly kind: 'call';
  readonly intents: readonly [CallIntent];
}

export type SlotDraft = DealDraft | CallDraft;

/** Diamonds and deals that get separate slots. */
export interface Apart {
  /** Diamonds that need more gas than others. */
  readonly diamonds: ReadonlySet<string>;
  /** The intents of deals that have failed before. */
  readonly intents: ReadonlySet<string>;
}

/** The gas limit with which a draft of deals is simulated and signed. */
export const gasLimitOf = ({ intents, isAlone }: DealDraft, measure: GasMeasure): bigint =>
  limitOfDeals(intents.length, countDiamonds(intents), measure, isAlone);

/** The length of call data in bytes. */
export const bytesOf = (data: string): bigint => BigInt(data.length / 2 - 1);

/** The most bytes of call data of a batch, whatever its purpose. */
export const bytesOfDeals = (deals: number, diamonds: number): bigint => BigInt(68 + 160 * diamonds + 64 * deals);

/**
 * Call data for deals of one purpose.
 * @param factor the gas limit of each part as a multiple of the measure; the first batcher sets its own limits
 */
export const encodeDeals = (
  purpose: DealIntent['purpose'],
  deals: readonly DealIntent[],
  { takesGas }: PlatformBatcher,
  { measure, factor }: { readonly measure: GasMeasure; readonly factor: bigint },
): string => {
  const encode = purpose === 'create_deal' ? encodeCreateDeals : encodeCancelDeals;
  return encode(deals, takesGas ? (_, count) => partLimit(count, measure, factor) : undefined);
};

/** The call of the batcher that simulates deals of one purpose. */
export const callOfDeals = (
  { signer, batcher, memory }: LaneRun,
  purpose: DealIntent['purpose'],
  deals: readonly DealIntent[],
  factor: bigint,
): { readonly from: string; readonly to: string; readonly data: string } => ({
  from: signer.address,
  to: batcher.address,
  data: encodeDeals(purpose, deals, batcher, { measure: memory.gas.measure, factor }),
});

/**
 * A factor too high to limit a part, so that a batch with too little gas fails as a whole and is estimated with more.
 */
export const withoutLimit = ({ diamond, deal }: GasMeasure): bigint => MAX_TRANSACTION_GAS / (diamond + deal) + 1n;

/** Call data for the intents of a draft. */
export const encodeDraft = (
  draft: SlotDraft,
  batcher: PlatformBatcher,
  measure: GasMeasure,
  intents: readonly QueuedIntent[] = draft.intents,
): string => {
  if (draft.kind === 'call') return draft.intents[0].data;
  const deals = intents.filter((intent): intent is DealIntent => intent.kind === 'deal');
  const factor = draft.isAlone ? PART_FACTOR.alone : PART_FACTOR.together;
  return encodeDeals(draft.purpose, deals, batcher, { measure, factor });
};

interface OpenDraft extends DealDraft {
  readonly intents: DealIntent[];
  readonly diamonds: Set<string>;
}

/**
 * Puts queued intents into as few slots as their gas allows, in their order. Deals of one purpose share slots, except
 * those in `apart`; each call of a deployment gets a separate slot.
 * @param room most slots
 * @param cap highest gas limit of a slot; a single deal may exceed it
 * @param data most bytes of call data of a slot, as of its gas
 */
export const draftSlots = (
  queued: readonly QueuedIntent[],
  { room, cap, data, measure, apart }: { room: number; cap: bigint; data?: bigint; measure: GasMeasure; apart: Apart },
): SlotDraft[] => {
  const drafts: SlotDraft[] = [];
  const open = new Map<string, OpenDraft>();
  for (const intent of queued) {
    if (intent.kind === 'call') {
      if (drafts.length === room) break;
      drafts.push({ kind: 'call', intents: [intent] });
      continue;
    }
    const { id, purpose, diamond } = intent;
    const isAlone = apart.diamonds.has(diamond);
    const key = apart.intents.has(id) ? id : `${purpose}:${isAlone ? diamond : ''}`;
    let draft = open.get(key);
    if (draft === undefined || !fits(draft, diamond, { cap, data, measure })) {
      if (drafts.length === room) break;
      draft = { kind: 'deals', purpose, intents: [], isAlone, diamonds: new Set() };
      open.set(key, draft);
      drafts.push(draft);
    }
    draft.intents.push(intent);
    draft.diamonds.add(diamond);
  }
  return drafts;
};

/** True when one more deal of this diamond fits into a draft. */
const fits = (
  { intents, diamonds, isAlone }: OpenDraft,
  diamond: string,
  { cap, data, measure }: { readonly cap: bigint; readonly data: bigint | undefined; readonly measure: GasMeasure },
): boolean => {
  const count = diamonds.size + (diamonds.has(diamond) ? 0 : 1);
  const isSmall = data === undefined || bytesOfDeals(intents.length + 1, count) <= data;
  return isSmall && limitOfDeals(intents.length + 1, count, measure, isAlone) <= cap;
};
