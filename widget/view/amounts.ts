/** The digit 0 to 9 as the locale writes it, and its mark between whole and fraction. */
const marksOf = (locale: string) => {
  const digits = new Intl.NumberFormat(locale, { useGrouping: false });
  const decimal = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 })
    .formatToParts(0)
    .find(({ type }) => type === 'decimal')!.value;
  return { decimal, digit: (text: string): string => digits.format(Number(text)) };
};

/**
 * Base units as people of a locale write the amount: exact, grouped, with at least two digits after the decimal mark where
 * the currency has two.
 * @param units base units, a decimal string
 * @param decimals digits of the currency, 0 to 36
 */
export const formatUnits = (units: string | bigint, decimals: number, locale: string): string => {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = new Intl.NumberFormat(locale).format(BigInt(digits.slice(0, digits.length - decimals)));
  const significant = digits.slice(digits.length - decimals, digits.length).replace(/0+$/, '');
  const fraction = decimals === 0 ? '' : significant.padEnd(Math.min(2, decimals), '0');
  if (fraction === '') return whole;
  const { decimal, digit } = marksOf(locale);
  return `${whole}${decimal}${fraction.replaceAll(/\d/g, digit)}`;
};

/** The first and last digits of an address, enough to compare with a wallet's display. */
export const shorten = (address: string): string => `${address.slice(0, 8)}…${address.slice(-6)}`;
