/**
 * The only conversion between decimals and integers. Outside: JSON numbers and texts of digits. Inside: bigint base units with
 * the currency's decimals. No intended digit is lost: amounts that do not fit exactly are refused.
 */

/** Largest amount in base units: the maximum of `uint128`. */
export const MAX_UNITS = 2n ** 128n - 1n;

/** Largest amount in whole coins, so that the widget's `price` is a safe integer at some scale of 0 or more. */
export const MAX_COINS = BigInt(Number.MAX_SAFE_INTEGER);

/** Significant digits that a float64 always preserves, so that its shortest decimal is the number that the client meant. */
const SURE_DIGITS = 15;
/** Most significant digits of the shortest decimal of any float64. */
const MOST_DIGITS = 17;

/** Why an amount is refused. The API turns it into a 400 that names the field. */
export type MoneyProblem =
  | 'not_finite'
  | 'not_positive'
  | 'negative'
  | 'too_many_significant_digits'
  | 'too_many_digits'
  | 'too_many_fraction_digits'
  | 'too_large';

const problemTexts: Record<MoneyProblem, (decimals: number) => string> = {
  not_finite: () => 'must be a finite number',
  not_positive: () => 'must be greater than 0',
  negative: () => 'must not be negative',
  too_many_significant_digits: () => 'has more digits than a JSON number holds; send it as a string',
  too_many_digits: () => `must be at most ${MAX_COINS} without its decimal point and trailing zeros`,
  too_many_fraction_digits: (decimals) => `must have at most ${decimals} digits after the decimal point`,
  too_large: () => `must be at most 2^128-1 base units and ${MAX_COINS} whole coins`,
};

/** The rule that a refused amount breaks, to follow the field's name. */
export const moneyProblemText = (problem: MoneyProblem, decimals: number): string => problemTexts[problem](decimals);

/** The value of a decimal text: digits times ten to the power of the exponent. */
export interface Decimal {
  readonly isNegative: boolean;
  /** Without leading and trailing zeros; empty for zero. */
  readonly digits: string;
  readonly exponent: number;
}

const shape = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const readDecimal = (text: string): Decimal | null => {
  const [, sign, whole, fraction = '', power = '0'] = shape.exec(text) ?? [];
  if (whole === undefined) return null;
  const written = whole + fraction;
  // Not by a regular expression: its backtracking is quadratic in the number of zeros.
  let [start, end] = [0, written.length];
  while (written[start] === '0') start += 1;
  while (end > start && written[end - 1] === '0') end -= 1;
  const exponent = Number(power) - fraction.length + (written.length - end);
  return { isNegative: sign === '-', digits: written.slice(start, end), exponent };
};

/**
 * Removes the noise of float64 arithmetic: 0.1 + 0.2 is 0.3 with noise in the 17th digit. Digits count as noise when rounding
 * to the sure digits leaves at least two zeros.
 */
const withoutNoise = (text: string, { digits, exponent }: Decimal): Decimal | null => {
  if (exponent >= 0 || digits.length > MOST_DIGITS) return null;
  const shortest = readDecimal(String(Number(text)));
  if (shortest?.digits !== digits || shortest.exponent !== exponent) return null;
  const cut = digits.length - SURE_DIGITS;
  const unit = 10n ** BigInt(cut);
  const rounded = (BigInt(digits) + unit / 2n) / unit;
  return rounded % 100n === 0n ? readDecimal(`${rounded}e${exponent + cut}`) : null;
};

/**
 * Reads an amount from the text of a JSON number, by its decimal value: 10.0, 12.50 and 1e2 are exact. A text with more digits
 * than a float64 holds is refused, because most clients would have lost digits before they sent it.
 */
export const readNumber = (text: string): Decimal | MoneyProblem => {
  const written = readDecimal(text);
  if (written === null) return 'not_finite';
  const { digits, exponent, isNegative } = written;
  if (isNegative || digits.length <= SURE_DIGITS) return written;
  if (exponent === 0 && digits.length === SURE_DIGITS + 1 && BigInt(digits) <= MAX_COINS) return written;
  return withoutNoise(text, written) ?? 'too_many_significant_digits';
};

/** Reads an amount from a text of digits. Refuses amounts that the widget's `price` cannot express. */
export const readDigits = (text: string): Decimal | MoneyProblem => {
  const written = readDecimal(text);
  if (written === null) return 'not_finite';
  const fits = written.digits.length <= SURE_DIGITS + 1 && BigInt(written.digits) <= MAX_COINS;
  return fits ? written : 'too_many_digits';
};

/**
 * Converts an amount to base units exactly, or returns why it cannot.
 * @param decimals of the currency, 0 to 36
 * @param allowZero true for amounts that may be 0, such as an item's price
 */
export const toUnits = (amount: Decimal | MoneyProblem, decimals: number, allowZero = false): bigint | MoneyProblem => {
  if (typeof amount === 'string') return amount;
  const { digits, exponent, isNegative } = amount;
  if (digits === '') return allowZero ? 0n : 'not_positive';
  if (isNegative) return allowZero ? 'negative' : 'not_positive';
  if (-exponent > decimals) return 'too_many_fraction_digits';
  // Checked before the power is computed, because the exponent may have any size.
  if (digits.length + exponent > MAX_COINS.toString().length) return 'too_large';
  const units = BigInt(digits) * 10n ** BigInt(exponent + decimals);
  return units > MAX_UNITS || units > MAX_COINS * 10n ** BigInt(decimals) ? 'too_large' : units;
};

/** Formats base units as decimal text without trailing zeros: (12500000n, 6) is "12.5". */
export const toDecimalText = (units: bigint, decimals: number): string => {
  const padded = units.toString().padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals);
  const fraction = decimals === 0 ? '' : padded.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
};

/** Converts base units to the nearest JSON number. Amounts of up to 15 digits, and all whole coins, are exact. */
export const toNumber = (units: bigint, decimals: number): number => Number(toDecimalText(units, decimals));

/**
 * Computes the widget's `price` and `price_decimals`: an integer of at most 2^53-1 and its scale. The scale is the currency's
 * decimals, or the largest smaller one at which the amount fits exactly.
 */
export const toScaledInteger = (units: bigint, decimals: number): { price: number; price_decimals: number } => {
  let scaled = units;
  let scale = decimals;
  while (scaled > BigInt(Number.MAX_SAFE_INTEGER) && scaled % 10n === 0n && scale > 0) {
    scaled /= 10n;
    scale -= 1;
  }
  // Accepted amounts never reach this: their digits and their whole coins are at most 2^53-1.
  if (scaled > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('amount does not fit 2^53-1 at any scale');
  return { price: Number(scaled), price_decimals: scale };
};
