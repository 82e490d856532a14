import type { DealIntent } from '../../../domain/ports/lane.ts';

/** Highest gas limit of one transaction (EIP-7825). */
export const MAX_TRANSACTION_GAS = 16_777_216n;

/** The state of the measurement. */
export interface Measuring {
  /** When the next one is due, by `steadyClock`. */
  until: number;
  /** True when several diamonds were wanted, so that a diamond's gas could be separated from a transaction's. */
  readonly isOfMany: boolean;
}

/** The gas on one network: a batch of deals needs `base`, plus `diamond` for each diamond and `deal` for each deal. */
export interface GasMeasure {
  readonly base: bigint;
  readonly diamond: bigint;
  readonly deal: bigint;
  /** The gas of the creation of a diamond. */
  readonly deployment: bigint;
  /** The gas limit in percent of the estimate, because the need can change until the block. */
  readonly margin: bigint;
  /** The gas limit of a block. */
  readonly block: bigint;
}

/** The assumption until a chain is measured: today's mainnet by `contracts/gas.json`, rounded up. */
export const firstGuess: GasMeasure = {
  base: 36_000n,
  diamond: 31_000n,
  deal: 25_600n,
  deployment: 600_000n,
  margin: 120n,
  block: 30_000_000n,
};

/** The gas limit of a diamond's part as a multiple of the measure, together with others and alone in a transaction. */
export const PART_FACTOR = { together: 2n, alone: 3n } as const;

/** The gas limit for an amount of gas. */
export const withMargin = (gas: bigint, { margin }: GasMeasure): bigint => (gas * margin + 99n) / 100n;

/** Limits gas to that of a transaction: an estimate may fit although its margin does not. */
export const capped = (gas: bigint): bigint => (gas < MAX_TRANSACTION_GAS ? gas : MAX_TRANSACTION_GAS);

/** The gas limit of a transaction with this estimate: with its margin, as far as a transaction and a block may have it. */
export const limitFor = (estimate: bigint, measure: GasMeasure): bigint =>
  least([withMargin(estimate, measure), MAX_TRANSACTION_GAS, measure.block]);

export const least = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b));

/** The gas of the calls of diamonds, without the transaction around them. */
const partsOf = (deals: number, diamonds: number, { diamond, deal }: GasMeasure): bigint =>
  diamond * BigInt(diamonds) + deal * BigInt(deals);

/** The gas of a batch, without margin. */
export const gasOfDeals = (deals: number, diamonds: number, measure: GasMeasure): bigint =>
  measure.base + partsOf(deals, diamonds, measure);

/** The gas limit of one diamond's part. */
export const partLimit = (deals: number, measure: GasMeasure, factor: bigint): bigint =>
  partsOf(deals, 1, measure) * factor;

/**
 * The gas limit of a batch.
 * @param isAlone true when its only diamond may use more than the measure
 */
export const limitOfDeals = (deals: number, diamonds: number, measure: GasMeasure, isAlone: boolean): bigint =>
  withMargin(measure.base + partsOf(deals, diamonds, measure) * (isAlone ? PART_FACTOR.alone : 1n), measure);

/** The number of diamonds of these deals. */
export const countDiamonds = (intents: readonly DealIntent[]): number =>
  new Set(intents.map(({ diamond }) => diamond)).size;

/**
 * The highest gas limit of one slot. All slots in flight together fill two blocks, and each slot is as small as that
 * allows: a block includes only whole transactions, and its remainder stays empty.
 */
export const slotGasCap = ({ block }: GasMeasure, maxInflight: number): bigint => {
  const fine = block / 20n;
  const enough = (block * 2n) / BigInt(maxInflight);
  const wanted = fine > enough ? fine : enough;
  return least([MAX_TRANSACTION_GAS, block / 2n, wanted]);
};

/** How many deals of one diamond fit into a slot, at least one. */
export const dealsPerSlot = (cap: bigint, { base, diamond, deal, margin }: GasMeasure): number =>
  Math.max(1, Number(((cap * 100n) / margin - base - diamond) / deal));
