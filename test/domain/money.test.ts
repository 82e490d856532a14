import {
  MAX_COINS,
  MAX_UNITS,
  moneyProblemText,
  toDecimalText,
  toNumber,
  toScaledInteger,
  toUnits,
  type MoneyProblem,
} from '../../domain/money.ts';

describe('toUnits', () => {
  it.each<[number, number, bigint]>([
    [0.1, 6, 100_000n],
    [0.1, 18, 100_000_000_000_000_000n],
    [0.000001, 6, 1n],
    [123_456.789, 18, 123_456_789_000_000_000_000_000n],
    [1e-18, 18, 1n],
    [12.5, 6, 12_500_000n],
    [12.5, 1, 125n],
    [1, 0, 1n],
    [1e3, 0, 1_000n],
    [100, 2, 10_000n],
    [999_999_999_999_999, 0, 999_999_999_999_999n],
    [0.123456789012345, 18, 123_456_789_012_345_000n],
    [9e15, 18, 9_000_000_000_000_000n * 10n ** 18n],
    [9.00719925474099e15, 0, 9_007_199_254_740_990n],
  ])('%d with %d digits', (value, decimals, expected) => {
    expect(toUnits(value, decimals)).toBe(expected);
  });

  it.each<[number, number, MoneyProblem]>([
    [0, 6, 'not_positive'],
    [-0, 6, 'not_positive'],
    [-1, 6, 'not_positive'],
    [-1e-300, 6, 'not_positive'],
    [Number.NaN, 6, 'not_finite'],
    [Number.POSITIVE_INFINITY, 6, 'not_finite'],
    [Number.NEGATIVE_INFINITY, 6, 'not_finite'],
    [1e-7, 6, 'too_many_fraction_digits'],
    [0.0000011, 6, 'too_many_fraction_digits'],
    [1.5, 0, 'too_many_fraction_digits'],
    [1e-19, 18, 'too_many_fraction_digits'],
    [5e-324, 36, 'too_many_fraction_digits'],
    [1234567890.123456, 18, 'too_many_significant_digits'],
    [0.1 + 0.2, 18, 'too_many_significant_digits'],
    [2 ** 53, 0, 'too_many_significant_digits'],
    [2 ** 53 + 2, 0, 'too_many_significant_digits'],
    [Number.MAX_VALUE, 0, 'too_many_significant_digits'],
    [1e308, 0, 'too_large'],
    [1e308, 36, 'too_large'],
    [1e16, 0, 'too_large'],
    [1e15, 36, 'too_large'],
  ])('refuses %d with %d digits: %s', (value, decimals, problem) => {
    expect(toUnits(value, decimals)).toBe(problem);
  });

  it('allows nothing where nothing is allowed, but never less', () => {
    expect(toUnits(0, 6, true)).toBe(0n);
    expect(toUnits(-0, 6, true)).toBe('negative');
    expect(toUnits(-1, 6, true)).toBe('negative');
  });
});

/** A generator with a seed, so that a failure can be seen again. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

describe('every amount', () => {
  it('that is written with up to 15 digits becomes exactly those digits and comes back as the same number', () => {
    const next = random(20_260_301);
    const wrong: unknown[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const decimals = Math.floor(next() * 19);
      const digits = 1 + Math.floor(next() * 15);
      const mantissa =
        BigInt(Math.floor(next() * 9) + 1) * 10n ** BigInt(digits - 1) +
        BigInt(Math.floor(next() * 10 ** Math.min(digits - 1, 9)));
      const fraction = Math.floor(next() * (decimals + 1));
      const text = toDecimalText(mantissa, fraction);
      const units = toUnits(Number(text), decimals);
      const exact =
        units === mantissa * 10n ** BigInt(decimals - fraction) && toNumber(units, decimals) === Number(text);
      if (!exact) wrong.push([text, decimals, units]);
    }
    expect(wrong).toEqual([]);
  });

  it('of any double is either refused or exact', () => {
    const next = random(7);
    const wrong: unknown[] = [];
    const bits = new DataView(new ArrayBuffer(8));
    for (let round = 0; round < 20_000; round += 1) {
      bits.setUint32(0, Math.floor(next() * 2 ** 32));
      bits.setUint32(4, Math.floor(next() * 2 ** 32));
      const value = bits.getFloat64(0);
      const units = toUnits(value, 18);
      if (typeof units !== 'string' && toNumber(units, 18) !== value) wrong.push(value);
    }
    expect(wrong).toEqual([]);
  });

  it('fits the widget as a safe integer, with nothing lost', () => {
    const next = random(99);
    const wrong: unknown[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const decimals = Math.floor(next() * 37);
      const value = Number((next() * 10 ** (Math.floor(next() * 30) - 14)).toPrecision(1 + Math.floor(next() * 15)));
      const units = toUnits(value, decimals);
      if (typeof units === 'string') continue;
      const { price, price_decimals } = toScaledInteger(units, decimals);
      const exact = Number.isSafeInteger(price) && BigInt(price) * 10n ** BigInt(decimals - price_decimals) === units;
      if (!exact) wrong.push([value, decimals]);
    }
    expect(wrong).toEqual([]);
  });
});

describe('toScaledInteger', () => {
  it.each<[bigint, number, number, number]>([
    [12_500_000n, 6, 12_500_000, 6],
    [1n, 18, 1, 18],
    [1_500_000_000_000_000_000n, 18, 1_500_000_000_000_000, 15],
    [MAX_COINS * 10n ** 18n, 18, Number.MAX_SAFE_INTEGER, 0],
    [10n ** 15n * 10n ** 18n, 18, 1e15, 0],
  ])('%d with %d digits', (units, decimals, price, scale) => {
    expect(toScaledInteger(units, decimals)).toEqual({ price, price_decimals: scale });
  });

  it('throws rather than lose a digit', () => {
    expect(() => toScaledInteger(MAX_UNITS, 18)).toThrow('does not fit');
  });
});

describe('texts', () => {
  it.each<[bigint, number, string]>([
    [0n, 6, '0'],
    [1n, 6, '0.000001'],
    [12_500_000n, 6, '12.5'],
    [100n, 0, '100'],
    [MAX_UNITS, 0, '340282366920938463463374607431768211455'],
    [MAX_UNITS, 36, '340.282366920938463463374607431768211455'],
  ])('%d with %d digits is %s', (units, decimals, text) => {
    expect(toDecimalText(units, decimals)).toBe(text);
  });

  it('name the rule that was broken', () => {
    expect(moneyProblemText('too_many_fraction_digits', 6)).toBe('must have at most 6 digits after the decimal point');
    expect(moneyProblemText('too_many_significant_digits', 6)).toBe('must have at most 15 significant digits');
    expect(moneyProblemText('not_positive', 6)).toBe('must be greater than 0');
    expect(moneyProblemText('negative', 6)).toBe('must not be negative');
    expect(moneyProblemText('not_finite', 6)).toBe('must be a finite number');
    expect(moneyProblemText('too_large', 6)).toContain('2^128-1');
  });
});
