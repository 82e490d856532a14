/**
 * The only decimal to integer code. Outside: JSON numbers and texts of digits. Inside: bigint base units with the currency's
 * decimals. No digit that was meant is ever lost: what does not fit exactly is refused.
 */

/** Largest amount, in base units: what a `uint128` holds. */
export const MAX_UNITS = 2n ** 128n - 1n;

/** Largest amount in whole coins, so that the widget's `price` is a safe integer at some scale of 0 or more. */
export const MAX_COINS = BigInt(Number.MAX_SAFE_INTEGER);

/** Significant digits that a float64 always holds, so that its shortest decimal is what the client meant. */
const SURE_DIGITS = 15;
/** More than these no float64 has in its shortest decimal. */
const MOST_DIGITS = 17;

/** Why an amount was refused; the API turns it into a 400 that names the field. */
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

/** A sentence for a refused amount, to follow the field's name. */
export const moneyProblemText = (problem: MoneyProblem, decimals: number): string => problemTexts[problem](decimals);

/** The value of a decimal text: digits times ten to the exponent. */
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
  // Not by a pattern: of a text with many zeros it would try each as the first of the last ones.
  let [start, end] = [0, written.length];
  while (written[start] === '0') start += 1;
  while (end > start && written[end - 1] === '0') end -= 1;
  const exponent = Number(power) - fraction.length + (written.length - end);
  return { isNegative: sign === '-', digits: written.slice(start, end), exponent };
};

/**
 * What arithmetic with float64 meant: 0.1 + 0.2 is 0.3 and a noise in the 17th digit. It counts as noise where rounding to
 * the digits that are sure leaves two zeros at least.
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
 * The amount that a JSON number says, by the decimal value of its text: 10.0, 12.50 and 1e2 are what they say. A text with
 * more digits than a float64 holds is refused, because most clients would not know what they have sent.
 */
export const readNumber = (text: string): Decimal | MoneyProblem => {
  const written = readDecimal(text);
  if (written === null) return 'not_finite';
  const { digits, exponent, isNegative } = written;
  if (isNegative || digits.length <= SURE_DIGITS) return written;
  if (exponent === 0 && digits.length === SURE_DIGITS + 1 && BigInt(digits) <= MAX_COINS) return written;
  return withoutNoise(text, written) ?? 'too_many_significant_digits';
};

/** The amount that a text of digits says, as far as the widget's `price` can say it too. */
export const readDigits = (text: string): Decimal | MoneyProblem => {
  const written = readDecimal(text);
  if (written === null) return 'not_finite';
  const fits = written.digits.length <= SURE_DIGITS + 1 && BigInt(written.digits) <= MAX_COINS;
  return fits ? written : 'too_many_digits';
};

/**
 * Turns an amount into base units, exactly, or says why not.
 * @param decimals of the currency, 0 to 36
 * @param allowZero true for amounts that may be nothing, such as an item's price
 */
export const toUnits = (amount: Decimal | MoneyProblem, decimals: number, allowZero = false): bigint | MoneyProblem => {
  if (typeof amount === 'string') return amount;
  const { digits, exponent, isNegative } = amount;
  if (digits === '') return allowZero ? 0n : 'not_positive';
  if (isNegative) return allowZero ? 'negative' : 'not_positive';
  if (-exponent > decimals) return 'too_many_fraction_digits';
  // Judged first, because an exponent may be of any size.
  if (digits.length + exponent > MAX_COINS.toString().length) return 'too_large';
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

/** The JSON number nearest to base units: the very amount for up to 15 digits, and for all whole coins. */
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
  // Never reached for accepted amounts: their digits are at most 2^53-1, and so are their whole coins.
  if (scaled > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('amount does not fit 2^53-1 at any scale');
  return { price: Number(scaled), price_decimals: scale };
};
