import { dealStatuses, type DealStatus } from '../../domain/deal.ts';

/** What the word of a deal says. */
export interface DealWord {
  readonly status: DealStatus;
  /** Upper 248 bits of the terms hash as 0x and 62 digits; all zero for an unknown id and for a tombstone. */
  readonly terms: string;
}

const names = Object.entries(dealStatuses) as [DealStatus, number][];
const noTerms = `0x${'0'.repeat(62)}`;

/**
 * Reads the word of a deal.
 * @param word 32 bytes as 0x-prefixed hex
 * @throws RangeError for a status byte that no release has written
 */
export const decodeDealWord = (word: string): DealWord => {
  const status = Number.parseInt(word.slice(64, 66), 16);
  const name = names.find(([, code]) => code === status)?.[0];
  if (name === undefined) throw new RangeError(`unknown status of a deal: ${word}`);
  return { status: name, terms: word.slice(0, 64).toLowerCase() };
};

/** True when a word was made from this terms hash, at any status of the deal. */
export const matchesTerms = (word: DealWord, termsHash: string): boolean =>
  word.terms === termsHash.slice(0, 64).toLowerCase();

/** True for an id that was cancelled before it was created. */
export const isTombstone = (word: DealWord): boolean => word.status === 'cancelled' && word.terms === noTerms;
