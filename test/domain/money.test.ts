import {
  MAX_COINS,
  MAX_UNITS,
  moneyProblemText,
  readDigits,
  readNumber,
  toDecimalText,
  toNumber,
  toScaledInteger,
  toUnits,
  type Decimal,
  type MoneyProblem,
} from '../../domain/money.ts';

/** A JSON number of a client that writes numbers as JavaScript does, after parsing. */
const unitsOf = (value: number, decimals: number, allowZero = false): bigint | MoneyProblem =>
  toUnits(readNumber(Object.is(value, -0) ? '-0' : String(value)), decimals, allowZero);

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
    [Number.MAX_SAFE_INTEGER, 0, 9_007_199_254_740_991n],
    [9.00719925474099e15, 0, 9_007_199_254_740_990n],
  ])('%d with %d digits', (value, decimals, expected) => {
    expect(unitsOf(value, decimals)).toBe(expected);
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
    [2 ** 53, 0, 'too_many_significant_digits'],
    [2 ** 53 + 2, 0, 'too_many_significant_digits'],
    [Number.MAX_VALUE, 0, 'too_many_significant_digits'],
    [1e308, 0, 'too_large'],
    [1e308, 36, 'too_large'],
    [1e16, 0, 'too_large'],
    [1e15, 36, 'too_large'],
  ])('refuses %d with %d digits: %s', (value, decimals, problem) => {
    expect(unitsOf(value, decimals)).toBe(problem);
  });

  it('accepts zero where zero is allowed, and nothing below it', () => {
    expect(unitsOf(0, 6, true)).toBe(0n);
    expect(unitsOf(-0, 6, true)).toBe(0n);
    expect(unitsOf(-1, 6, true)).toBe('negative');
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
      const units = unitsOf(Number(text), decimals);
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
      const units = unitsOf(value, 18);
      // The part that was dropped as noise is below 13 digits.
      const isNear = typeof units === 'string' || toNumber(units, 18) === value;
      if (!isNear && toNumber(units, 18) !== Number(value.toPrecision(13))) wrong.push(value);
    }
    expect(wrong).toEqual([]);
  });

  it('fits the widget as a safe integer, with nothing lost', () => {
    const next = random(99);
    const wrong: unknown[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const decimals = Math.floor(next() * 37);
      const value = Number((next() * 10 ** (Math.floor(next() * 30) - 14)).toPrecision(1 + Math.floor(next() * 15)));
      const units = unitsOf(value, decimals);
      if (typeof units === 'string') continue;
      const { price, price_decimals } = toScaledInteger(units, decimals);
      const exact = Number.isSafeInteger(price) && BigInt(price) * 10n ** BigInt(decimals - price_decimals) === units;
      if (!exact) wrong.push([value, decimals]);
    }
    expect(wrong).toEqual([]);
  });
});

const { MAX_SAFE_INTEGER } = Number;
const decimal = (digits: string, exponent: number): Decimal => ({ isNegative: false, digits, exponent });

describe('readNumber', () => {
  it.each<[string, Decimal]>([
    ['10.0', decimal('1', 1)],
    ['12.50', decimal('125', -1)],
    ['1e2', decimal('1', 2)],
    ['1E+2', decimal('1', 2)],
    ['100e-2', decimal('1', 0)],
    ['0.00', decimal('', 0)],
    ['123456789012345', decimal('123456789012345', 0)],
    ['1234567890.12345', decimal('123456789012345', -5)],
    ['9007199254740991', decimal('9007199254740991', 0)],
    ['9007199254740991.00', decimal('9007199254740991', 0)],
    ['0.30000000000000004', decimal('3', -1)],
    ['0.300000000000000040', decimal('3', -1)],
    ['1e-5000000000000001', decimal('1', -5000000000000001)],
    ['3.3000000000000003', decimal('33', -1)],
    ['434.99999999999994', decimal('435', 0)],
    ['0.9999999999999999', decimal('1', 0)],
    ['1.0000000000000002', decimal('1', 0)],
  ])('%s', (text, value) => {
    const read = readNumber(text);
    // A zero has no exponent that would mean anything.
    expect(value.digits === '' && typeof read !== 'string' ? { ...read, exponent: 0 } : read).toEqual(value);
  });

  it.each([
    '1000000000000.000001',
    '9007199254740992',
    '9007199254740993',
    '12345678901234567',
    '12345678901234567890',
    '1234567890.123456',
    '0.1234567890123456',
    '12.5000000000000001',
    '0.30000000000000003',
  ])('refuses %s, which has more digits than a JSON number holds', (text) => {
    expect(readNumber(text)).toBe('too_many_significant_digits');
  });

  it('returns for any text its value, the 13 digits next to it, or nothing', () => {
    const next = random(11);
    const wrong: unknown[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const digits = Array.from({ length: 1 + Math.floor(next() * 20) }, () => Math.floor(next() * 10)).join('');
      const point = Math.floor(next() * digits.length);
      const text = `${BigInt(digits.slice(0, point) || '0')}.${digits.slice(point)}`;
      const read = readNumber(text);
      if (typeof read === 'string') continue;
      const exact = BigInt(digits);
      const shift = digits.length - point + read.exponent;
      const found = shift >= 0 ? BigInt(read.digits || '0') * 10n ** BigInt(shift) : -1n;
      if (
        found !== exact &&
        Number(text).toPrecision(13) !== Number(`${read.digits}e${read.exponent}`).toPrecision(13)
      ) {
        wrong.push([text, read]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('rounds the noise of sums and products of prices to the intended amount', () => {
    const next = random(5);
    const wrong: unknown[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const [a, b] = [Math.floor(next() * 1e6), Math.floor(next() * 1e6)];
      if (unitsOf(a / 100 + b / 100, 2, true) !== BigInt(a + b)) wrong.push([a, b, a / 100 + b / 100]);
    }
    expect(wrong).toEqual([]);
  });

  it('is quick with any number of zeros, and with any exponent', () => {
    const zeros = '0'.repeat(500_000);
    expect(toUnits(readNumber(`10.${zeros}`), 6)).toBe(10_000_000n);
    expect(toUnits(readNumber(`0.${zeros}1`), 6)).toBe('too_many_fraction_digits');
    expect(readNumber(`1${zeros}1`)).toBe('too_many_significant_digits');
    expect(toUnits(readNumber(`1${zeros}`), 6)).toBe('too_large');
    expect(toUnits(readNumber('1e999999999999999999'), 6)).toBe('too_large');
    expect(toUnits(readNumber('1e-999999999999999999'), 6)).toBe('too_many_fraction_digits');
  });
});

describe('readDigits', () => {
  it.each<[string, number, bigint | MoneyProblem]>([
    ['12.5', 6, 12_500_000n],
    ['12.500', 6, 12_500_000n],
    ['9007199254.740991', 6, 9_007_199_254_740_991n],
    ['9007199254.740992', 6, 'too_many_digits'],
    ['1000000000000.000001', 6, 'too_many_digits'],
    ['0.30000000000000004', 18, 'too_many_digits'],
    ['9007199254740991', 18, BigInt(MAX_SAFE_INTEGER) * 10n ** 18n],
    ['9007199254740990000', 0, 'too_large'],
    ['0', 6, 'not_positive'],
  ])('%s with %d digits', (text, decimals, expected) => {
    expect(toUnits(readDigits(text), decimals)).toBe(expected);
  });

  it('is exact for every amount that the widget can express', () => {
    const next = random(3);
    const wrong: unknown[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const decimals = Math.floor(next() * 19);
      const units = BigInt(Math.floor(next() * MAX_SAFE_INTEGER)) + 1n;
      const read = toUnits(readDigits(toDecimalText(units, decimals)), decimals);
      if (read !== units || BigInt(toScaledInteger(units, decimals).price) !== units) wrong.push([units, decimals]);
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

  it('name the broken rule', () => {
    expect(moneyProblemText('too_many_fraction_digits', 6)).toBe('must have at most 6 digits after the decimal point');
    expect(moneyProblemText('too_many_significant_digits', 6)).toContain('has more digits than a JSON number holds');
    expect(moneyProblemText('too_many_digits', 6)).toContain('9007199254740991');
    expect(moneyProblemText('not_positive', 6)).toBe('must be greater than 0');
    expect(moneyProblemText('negative', 6)).toBe('must not be negative');
    expect(moneyProblemText('not_finite', 6)).toBe('must be a finite number');
    expect(moneyProblemText('too_large', 6)).toContain('2^128-1');
  });
});
