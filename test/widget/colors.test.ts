import { accentColors } from '../../widget/view/colors.ts';

/** Relative luminance and contrast as WCAG 2.2 defines them, written again. */
const luminance = (hex: string): number => {
  const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
};
const contrast = (one: string, other: string): number => {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};

const accents = ['00', '55', 'aa', 'ff'].flatMap((red) =>
  ['00', '55', 'aa', 'ff'].flatMap((green) => ['00', '55', 'aa', 'ff'].map((blue) => `#${red}${green}${blue}`)),
);

it.each(['#ffffff', '#171a21', '#777777'])('every accent is readable on %s, and so is a text on it', (surface) => {
  for (const accent of accents) {
    const colors = accentColors(accent, surface)!;
    expect(contrast(colors.accent, surface)).toBeGreaterThanOrEqual(4.4);
    expect(contrast(colors.accent, colors.onAccent)).toBeGreaterThanOrEqual(4.4);
  }
});

it('a readable accent stays unchanged', () => {
  expect(accentColors('#2348c7', '#ffffff')).toEqual({ accent: '#2348c7', onAccent: '#ffffff' });
});

it('a text that is not a colour changes nothing', () => {
  expect(accentColors('red', '#ffffff')).toBeNull();
  expect(accentColors('#2348c7', 'white')).toBeNull();
});
