/** SQL of a list of our own words, such as `'pending', 'failed'`: planners match literals with the predicates of indexes. */
export const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');
