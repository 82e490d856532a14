/** Clients that use these words; `others` are providers, and client versions older than the ones that were read. */
export type Client =
  'geth' | 'op-geth' | 'nitro' | 'erigon' | 'reth' | 'anvil' | 'hardhat' | 'nethermind' | 'besu' | 'others';

/**
 * One known error. Words match anywhere in a message, case-insensitively; `{}` stands for a variable part. A line
 * without words matches by its code; otherwise the code is not compared.
 */
export interface Line<Meaning> {
  readonly means: Meaning;
  readonly by: readonly Client[];
  readonly code?: number;
  readonly words?: string | RegExp;
}

/** Clients that share the words of geth. */
export const likeGeth = ['geth', 'op-geth', 'nitro'] as const;

/** A line with words. */
export const line = <Meaning>(
  means: Meaning,
  by: readonly Client[],
  words: string | RegExp,
  code?: number,
): Line<Meaning> => ({
  means,
  by,
  words,
  ...(code === undefined ? {} : { code }),
});

const patternOf = (words: string | RegExp): RegExp =>
  words instanceof RegExp
    ? new RegExp(words.source, 'i')
    : new RegExp(
        words
          .split('{}')
          .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('.*?'),
        'i',
      );

/** Matches a message and its code: a line's words if it has any, and otherwise its code. */
export const reader = <Meaning>(lines: readonly Line<Meaning>[]) => {
  const compiled = lines.map(({ means, code, words }) => ({ means, code, pattern: words && patternOf(words) }));
  return (code: number | null, message: string): Meaning | null =>
    compiled.find((one) => (one.pattern ? one.pattern.test(message) : one.code === code))?.means ?? null;
};
