/** Red, green and blue, 0 to 255. */
type Color = readonly [number, number, number];

const toColor = (hex: string): Color | null => {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex);
  return match === null ? null : [parseInt(match[1]!, 16), parseInt(match[2]!, 16), parseInt(match[3]!, 16)];
};

const toHex = (color: Color): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance (WCAG 2.2). */
const luminance = (color: Color): number => {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: Color, other: Color): number => {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};

const black: Color = [0, 0, 0];
const white: Color = [255, 255, 255];

/** Contrast that WCAG 2.2 AA demands of text. */
const ENOUGH = 4.5;

/** Mixes a colour with black or white, by steps of a twentieth, until it can be read on the surface. */
const readableOn = (surface: Color, accent: Color): Color => {
  const goal = luminance(surface) > 0.18 ? black : white;
  for (let step = 0; step < 20; step += 1) {
    const mixed = accent.map((part, at) => part + ((goal[at]! - part) * step) / 20) as unknown as Color;
    if (contrast(mixed, surface) >= ENOUGH) return mixed;
  }
  return goal;
};

/**
 * Colours made of a merchant's accent that keep the contrast of WCAG 2.2 AA on the surface.
 * @param accent `#rrggbb`
 * @param surface `#rrggbb` of the card
 * @returns null when a colour is no `#rrggbb`
 */
export const accentColors = (accent: string, surface: string): { accent: string; onAccent: string } | null => {
  const [color, below] = [toColor(accent), toColor(surface)];
  if (color === null || below === null) return null;
  const readable = readableOn(below, color);
  const onAccent = contrast(readable, white) >= ENOUGH ? white : black;
  return { accent: toHex(readable), onAccent: toHex(onAccent) };
};
