/** Fees of EIP-1559 transactions, in wei per gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** What the chain asks for now. */
export interface FeeMarket {
  /** Of the newest block. */
  readonly baseFee: bigint;
  /** What the endpoint suggests as tip. */
  readonly priorityFee: bigint;
}

/** Priority fee in wei where an endpoint does not suggest one. */
export const USUAL_TIP = 10n ** 9n;

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** True when not even the next block's fee fits under the network's ceiling. */
export const isAboveCeiling = (market: FeeMarket, ceiling: bigint): boolean =>
  market.baseFee + market.priorityFee > ceiling;

/**
 * Fees for a new transaction: room for the base fee to double (six full blocks), never above the ceiling.
 * @param ceiling highest `maxFeePerGas` of the network
 */
export const marketFees = (market: FeeMarket, ceiling: bigint): Fees => {
  const maxFeePerGas = min(2n * market.baseFee + market.priorityFee, ceiling);
  return { maxFeePerGas, maxPriorityFeePerGas: min(market.priorityFee, maxFeePerGas) };
};

/** 12.5 % more, rounded up, and at least one wei: pools want both fees strictly higher, most by 10 %, some by 12.5 %. */
export const raise = (fee: bigint): bigint => max((fee * 9n + 7n) / 8n, fee + 1n);

/**
 * Fees that replace an older attempt: both at least 12.5 % higher, and no less than the market asks for.
 * @returns null when that does not fit under the ceiling
 */
export const replacementFees = (old: Fees, market: FeeMarket, ceiling: bigint): Fees | null => {
  const now = marketFees(market, ceiling);
  const maxFeePerGas = max(raise(old.maxFeePerGas), now.maxFeePerGas);
  const maxPriorityFeePerGas = max(raise(old.maxPriorityFeePerGas), now.maxPriorityFeePerGas);
  if (maxFeePerGas > ceiling) return null;
  return { maxFeePerGas, maxPriorityFeePerGas: min(maxPriorityFeePerGas, maxFeePerGas) };
};
