/** One way to do the work. A slot does a fixed amount of it and returns the duration. */
export interface Variant {
  readonly name: string;
  /** Unit of the rate, for the report. */
  readonly unit: string;
  /** Unmeasured preparation of a slot, such as signed transactions or rows. */
  prepare?(): Promise<void>;
  slot(): Promise<{ count: number; ms: number }>;
}

export interface Ratio {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
}

/** Rates per second of every round, by variant. */
export type Rates = ReadonlyMap<string, readonly number[]>;

export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!;
};

/** Median (upper middle) with its 10-90 % band. */
export const spread = (values: readonly number[]): Ratio => ({
  median: quantile(values, 0.5),
  p10: quantile(values, 0.1),
  p90: quantile(values, 0.9),
});

/**
 * The interval that holds the median of the values' distribution with 95 %, by the sign test: it assumes no distribution.
 * Null for fewer than six values.
 */
export const medianInterval = (values: readonly number[]): readonly [low: number, high: number] | null => {
  const sorted = [...values].sort((a, b) => a - b);
  // How likely it is that at most so many of the values are on one side of the median.
  let left = 0;
  let ways = 1;
  let outside = 0;
  for (; outside < sorted.length; outside += 1) {
    left += ways / 2 ** sorted.length;
    if (left > 0.025) break;
    ways = (ways * (sorted.length - outside)) / (outside + 1);
  }
  return outside === 0 ? null : [sorted[outside - 1]!, sorted[sorted.length - outside]!];
};

/**
 * Does the work of each item once a round, in short slots of one run. The order rotates by round, so that the phases of a noisy
 * machine hit all of them. Round 0 is warm-up and does not count.
 */
export const inTurns = async <Item>(
  items: readonly Item[],
  rounds: number,
  work: (item: Item, round: number) => Promise<void>,
): Promise<void> => {
  for (let round = 0; round <= rounds; round += 1)
    for (let turn = 0; turn < items.length; turn += 1) await work(items[(round + turn) % items.length]!, round);
};

/** Measures the variants in turns. */
export const interleave = async (variants: readonly Variant[], rounds: number): Promise<Rates> => {
  const rates = new Map<string, number[]>(variants.map((variant) => [variant.name, []]));
  await inTurns(variants, rounds, async (variant, round) => {
    await variant.prepare?.();
    const { count, ms } = await variant.slot();
    const rate = (count / ms) * 1000;
    if (round > 0) rates.get(variant.name)!.push(rate);
    console.log(
      `${round === 0 ? 'warm-up' : `round ${round}/${rounds}`}  ${variant.name}: ${rate.toFixed(1)} ${variant.unit}/s (${count} in ${ms.toFixed(0)} ms)`,
    );
  });
  return rates;
};

/** The ratio of two variants, round by round. */
export const ratioOf = (rates: Rates, numerator: string, denominator: string): Ratio => {
  const below = rates.get(denominator)!;
  return spread(rates.get(numerator)!.map((rate, round) => rate / below[round]!));
};

/** A ratio or rate with its band, as the tables show it. */
export const showRatio = ({ median, p10, p90 }: Ratio, digits = 2): string =>
  `${median.toFixed(digits)} (${p10.toFixed(digits)} to ${p90.toFixed(digits)})`;

/** Prints rates and ratios, medians with 10-90 % bands, as a Markdown table. */
export const printResults = (
  variants: readonly Variant[],
  rates: Rates,
  ratios: readonly (readonly [label: string, ratio: Ratio])[],
): void => {
  console.log('\n| variant | per second, median (10-90 %) |\n|---|---|');
  for (const { name, unit } of variants) console.log(`| ${name} | ${showRatio(spread(rates.get(name)!), 1)} ${unit} |`);
  console.log('\n| ratio | median (10-90 %) |\n|---|---|');
  for (const [label, ratio] of ratios) console.log(`| ${label} | ${showRatio(ratio)} |`);
};
