/**
 * The only decimal to integer code. Outside: JSON numbers. Inside: bigint base units with the currency's decimals.
 * Nothing is ever rounded: what does not fit exactly is refused.
 */

/** Largest amount, in base units: what a `uint128` holds. */
export const MAX_UNITS = 2n ** 128n - 1n;

/** Largest amount in whole coins, so that the widget's `price` is a safe integer at some scale of 0 or more. */
export const MAX_COINS = BigInt(Number.MAX_SAFE_INTEGER);

/** Most significant digits a JSON number may have, so that its shortest decimal is what the client meant. */
const MAX_SIGNIFICANT_DIGITS = 15;

/** Why an amount was refused; the API turns it into a 400 that names the field. */
export type MoneyProblem =
  'not_finite' | 'not_positive' | 'negative' | 'too_many_significant_digits' | 'too_many_fraction_digits' | 'too_large';

const problemTexts: Record<MoneyProblem, (decimals: number) => string> = {
  not_finite: () => 'must be a finite number',
  not_positive: () => 'must be greater than 0',
  negative: () => 'must not be negative',
  too_many_significant_digits: () => `must have at most ${MAX_SIGNIFICANT_DIGITS} significant digits`,
  too_many_fraction_digits: (decimals) => `must have at most ${decimals} digits after the decimal point`,
  too_large: () => `must be at most 2^128-1 base units and ${MAX_COINS} whole coins`,
};

/** A sentence for a refused amount, to follow the field's name. */
export const moneyProblemText = (problem: MoneyProblem, decimals: number): string => problemTexts[problem](decimals);

/** Splits a finite non-negative number into its shortest round-trip decimal: digits without leading or trailing zeros, and exponent. */
const shortestDecimal = (value: number): { digits: string; exponent: number } => {
  const [mantissa = '0', exponentText = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/0+$/, '');
  return { digits: digits === '' ? '0' : digits, exponent: Number(exponentText) - (digits.length - 1) };
};

/**
 * Turns a JSON number into base units, exactly, or says why not.
 * @param value the number of the request
 * @param decimals of the currency, 0 to 36
 * @param allowZero true for amounts that may be nothing, such as an item's price
 */
export const toUnits = (value: number, decimals: number, allowZero = false): bigint | MoneyProblem => {
  if (!Number.isFinite(value)) return 'not_finite';
  if (value < 0 || Object.is(value, -0)) return allowZero ? 'negative' : 'not_positive';
  if (value === 0) return allowZero ? 0n : 'not_positive';
  const { digits, exponent } = shortestDecimal(value);
  if (digits.length > MAX_SIGNIFICANT_DIGITS) return 'too_many_significant_digits';
  if (-exponent > decimals) return 'too_many_fraction_digits';
  const units = BigInt(digits) * 10n ** BigInt(exponent + decimals);
  return units > MAX_UNITS || units > MAX_COINS * 10n ** BigInt(decimals) ? 'too_large' : units;
};

/** The decimal text of base units, without trailing zeros: (12500000n, 6) is "12.5". */
export const toDecimalText = (units: bigint, decimals: number): string => {
  const padded = units.toString().padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals);
  const fraction = decimals === 0 ? '' : padded.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
};

/** The JSON number of base units. Exact for every amount that `toUnits` accepted. */
export const toNumber = (units: bigint, decimals: number): number => Number(toDecimalText(units, decimals));

/**
 * The widget's `price` and `price_decimals`: the amount as an integer of at most 2^53-1 and its scale. The scale is the
 * currency's decimals where that fits, else the most that fits exactly.
 */
export const toScaledInteger = (units: bigint, decimals: number): { price: number; price_decimals: number } => {
  let scaled = units;
  let scale = decimals;
  while (scaled > BigInt(Number.MAX_SAFE_INTEGER) && scaled % 10n === 0n && scale > 0) {
    scaled /= 10n;
    scale -= 1;
  }
  // Never reached for accepted amounts: 15 significant digits fit, and so do MAX_COINS at scale 0.
  if (scaled > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('amount does not fit 2^53-1 at any scale');
  return { price: Number(scaled), price_decimals: scale };
};
