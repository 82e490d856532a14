/** Text for people in a terminal: aligned columns, ages, amounts. */

import { toDecimalText } from '../../domain/money.ts';

/** Replaces control characters, because the texts of merchants and other programs must not control the terminal. */
export const plain = (text: string): string => text.replace(/\p{Cc}/gu, '\uFFFD');

/** Rows as lines with aligned columns, two spaces apart. */
export const columns = (rows: readonly (readonly string[])[], indent = ''): string[] => {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows.map(
    (row) =>
      indent +
      row
        .map((cell, index) => plain(cell).padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
  );
};

/** A table with its headings in capitals. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  columns([headings.map((heading) => heading.toUpperCase()), ...rows]);

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** A duration in seconds, in its largest unit, such as `3 min`. */
export const spanText = (seconds: number): string => {
  for (const [size, name] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${name}`;
  return seconds < 10 && !Number.isInteger(seconds) ? `${Math.round(seconds * 10) / 10} s` : `${Math.floor(seconds)} s`;
};

/** A time relative to `now`, such as `3 min ago` or `in 2 h`; `-` for none. */
export const agoText = (time: Date | string | null, now = Date.now()): string => {
  if (time === null) return '-';
  const seconds = (now - new Date(time).getTime()) / 1_000;
  if (seconds <= -1) return `in ${spanText(Math.floor(-seconds))}`;
  return seconds < 1 ? 'just now' : `${spanText(Math.floor(seconds))} ago`;
};

/** A time with its age, such as `2026-03-01 12:00:00 UTC, 3 min ago`. */
export const timeText = (time: Date | string): string =>
  `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC, ${agoText(time)}`;

/** Significant digits of a shown amount of coins. */
const DIGITS = 6;

/** An amount in wei, cut to some significant digits, in coins of 18 decimals. */
export const coinsText = (wei: bigint, symbol: string | null): string => {
  const unit = 10n ** BigInt(Math.max(0, wei.toString().length - DIGITS));
  return `${toDecimalText((wei / unit) * unit, 18)} ${symbol ?? 'coins'}`;
};

/** A count with its noun, such as `1 worker` or `2 workers`. */
export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** JSON for programs. Amounts beyond the precision of a number are text. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, entry: unknown) => (typeof entry === 'bigint' ? entry.toString() : entry), 2);
