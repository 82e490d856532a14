/** Fees of EIP-1559 transactions, in wei per gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The current fees of the chain, in wei per gas. */
export interface FeeMarket {
  /** Base fee of the newest block. */
  readonly baseFee: bigint;
  /** The tip that the endpoint suggests, or the others do. */
  readonly priorityFee: bigint;
}

/** Priority fee in wei when no endpoint suggests one. */
export const USUAL_TIP = 10n ** 9n;

export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** True when even the next block's fee exceeds the network's ceiling. */
export const isAboveCeiling = (market: FeeMarket, ceiling: bigint): boolean =>
  market.baseFee + market.priorityFee > ceiling;

/**
 * Fees for a new transaction: the base fee may double (six full blocks), up to the ceiling.
 * @param ceiling highest `maxFeePerGas` of the network
 */
export const marketFees = (market: FeeMarket, ceiling: bigint): Fees => {
  const maxFeePerGas = min(2n * market.baseFee + market.priorityFee, ceiling);
  return { maxFeePerGas, maxPriorityFeePerGas: min(market.priorityFee, maxFeePerGas) };
};

/** True when the next block may leave out a transaction with these fees, or others may pay higher tips. */
export const isBelowMarket = (fees: Fees, { baseFee, priorityFee }: FeeMarket): boolean =>
  fees.maxPriorityFeePerGas < priorityFee || fees.maxFeePerGas < baseFee + priorityFee;

/** 12.5 % more, rounded up, at least one wei: pools require both fees strictly higher, most by 10 %, some by 12.5 %. */
export const raise = (fee: bigint): bigint => max((fee * 9n + 7n) / 8n, fee + 1n);

/** The fees that endpoints demand of an attempt beyond those of the chain, in wei per gas. */
export interface Demand {
  readonly tip: bigint;
  readonly maxFeePerGas: bigint;
}

const none: Demand = { tip: 0n, maxFeePerGas: 0n };

/**
 * Fees that replace an older attempt: both at least 12.5 % higher, at least the market's, and those that are demanded, as far as the
 * ceiling allows.
 * @returns null when even 12.5 % exceed the ceiling
 */
export const replacementFees = (old: Fees, market: FeeMarket, ceiling: bigint, demand = none): Fees | null => {
  const least = raise(old.maxFeePerGas);
  if (least > ceiling) return null;
  const now = marketFees({ ...market, priorityFee: max(market.priorityFee, demand.tip) }, ceiling);
  const tip = max(raise(old.maxPriorityFeePerGas), now.maxPriorityFeePerGas);
  const maxFeePerGas = [least, now.maxFeePerGas, min(demand.maxFeePerGas, ceiling)].reduce(max);
  return { maxFeePerGas, maxPriorityFeePerGas: min(tip, maxFeePerGas) };
};
