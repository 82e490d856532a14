import type { DealIntent } from '../../../domain/ports/lane.ts';

/** Highest gas limit of one transaction (EIP-7825). */
export const MAX_TRANSACTION_GAS = 16_777_216n;

/** What a measure was made of. */
export interface Measuring {
  /** The next one is due then, in milliseconds since the epoch. */
  readonly until: number;
  /** More than one diamond was measured, so that what a diamond takes is known apart from what a transaction takes. */
  readonly isOfMany: boolean;
}

/** Gas that deals take on one network: a batch takes `base`, `diamond` for each diamond in it, and `deal` for each deal. */
export interface GasMeasure {
  readonly base: bigint;
  readonly diamond: bigint;
  readonly deal: bigint;
  /** The same of the creation of a diamond. */
  readonly deployment: bigint;
  /** Room for what changes between estimate and block, in percent of the estimate. */
  readonly margin: bigint;
}

/** What is expected of a chain until it was measured: today's mainnet, as `contracts/gas.json` has it, rounded up. */
export const firstGuess: GasMeasure = {
  base: 36_000n,
  diamond: 31_000n,
  deal: 25_600n,
  deployment: 600_000n,
  margin: 120n,
};

/** How much more than the measure the part of a diamond may use, beside others and in a transaction of its own. */
export const PART_FACTOR = { together: 2n, alone: 3n } as const;

/** A gas limit with room. */
export const withMargin = (gas: bigint, { margin }: GasMeasure): bigint => (gas * margin + 99n) / 100n;

/** What an estimate fits into, its margin may not. */
export const capped = (gas: bigint): bigint => (gas < MAX_TRANSACTION_GAS ? gas : MAX_TRANSACTION_GAS);

/** The smallest of some. */
export const least = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b));

/** What the calls of diamonds take, without the transaction around them. */
const partsOf = (deals: number, diamonds: number, { diamond, deal }: GasMeasure): bigint =>
  diamond * BigInt(diamonds) + deal * BigInt(deals);

/** What a batch takes, without margin. */
export const gasOfDeals = (deals: number, diamonds: number, measure: GasMeasure): bigint =>
  measure.base + partsOf(deals, diamonds, measure);

/** The most that the part of one diamond may use. */
export const partLimit = (deals: number, measure: GasMeasure, factor: bigint): bigint =>
  partsOf(deals, 1, measure) * factor;

/**
 * The gas limit of a batch.
 * @param isAlone its one diamond may use more than the measure
 */
export const limitOfDeals = (deals: number, diamonds: number, measure: GasMeasure, isAlone: boolean): bigint =>
  withMargin(measure.base + partsOf(deals, diamonds, measure) * (isAlone ? PART_FACTOR.alone : 1n), measure);

/** How many diamonds these deals are of. */
export const countDiamonds = (intents: readonly DealIntent[]): number =>
  new Set(intents.map(({ diamond }) => diamond)).size;

/**
 * The most gas one slot may ask for. All slots under way fill two blocks, yet one is as small as that allows: a block
 * takes whole transactions only, and what does not fit any more is left empty.
 */
export const slotGasCap = (blockGasLimit: bigint, maxInflight: number): bigint => {
  const fine = blockGasLimit / 20n;
  const enough = (blockGasLimit * 2n) / BigInt(maxInflight);
  const wanted = fine > enough ? fine : enough;
  return least([MAX_TRANSACTION_GAS, blockGasLimit / 2n, wanted]);
};

/** How many deals of one diamond fit into a slot; one always does. */
export const dealsPerSlot = (cap: bigint, { base, diamond, deal, margin }: GasMeasure): number =>
  Math.max(1, Number(((cap * 100n) / margin - base - diamond) / deal));
