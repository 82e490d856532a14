import { formatUnits, shorten } from '../../widget/view/amounts.ts';

it.each([
  ['12500000', 6, 'en', '12.50'],
  ['12500000', 6, 'de', '12,50'],
  ['12500001', 6, 'en', '12.500001'],
  ['1', 18, 'en', '0.000000000000000001'],
  ['1234567890123456789012345678', 18, 'en', '1,234,567,890.123456789012345678'],
  ['1234567890123456789012345678', 18, 'de', '1.234.567.890,123456789012345678'],
  ['1234567', 0, 'en', '1,234,567'],
  ['7', 1, 'en', '0.7'],
  ['70', 1, 'en', '7.0'],
  ['0', 6, 'en', '0.00'],
  ['12500000', 6, 'ar-EG', '١٢٫٥٠'],
  ['340282366920938463463374607431768211455', 0, 'en', '340,282,366,920,938,463,463,374,607,431,768,211,455'],
])('%s units with %s decimals are written in %s as %s', (units, decimals, locale, text) => {
  expect(formatUnits(units, decimals, locale)).toBe(text);
});

it('every amount of every number of decimals is exact', () => {
  const digits = '987654321098765432109';
  for (let decimals = 0; decimals <= 18; decimals += 1) {
    const plain = formatUnits(digits, decimals, 'en').replaceAll(',', '');
    const [whole = '', fraction = ''] = plain.split('.');
    expect(whole + fraction.padEnd(decimals, '0')).toBe(digits);
  }
});

it('a short address keeps both ends', () => {
  expect(shorten('0x90F79bf6EB2c4f870365E785982E1f101E93b906')).toBe('0x90F79b…93b906');
});
