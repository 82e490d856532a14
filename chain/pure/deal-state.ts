import { dealStatuses, type DealEvent, type DealStatus, type DealVerdict } from '../../domain/deal.ts';
import { contracts } from './contracts.ts';

/** The decoded word of a deal. */
export interface DealWord {
  readonly status: DealStatus;
  /** Upper 248 bits of the terms hash as 0x and 62 digits; all zero for an unknown id and for a tombstone. */
  readonly terms: string;
}

const names = Object.entries(dealStatuses) as [DealStatus, number][];
const noTerms = `0x${'0'.repeat(62)}`;

/**
 * Decodes the word of a deal.
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

/**
 * The verdict of a word on the deal with this terms hash.
 * @param termsHash 32 bytes as 0x-prefixed hex
 */
export const verdictOf = (word: DealWord, termsHash: string): DealVerdict => {
  if (word.status === 'none') return 'absent';
  if (isTombstone(word)) return 'tombstone';
  return matchesTerms(word, termsHash) ? word.status : 'conflict';
};

/** A log in the form of JSON-RPC; quantities are 0x-prefixed hex. */
export interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: string;
  readonly removed?: boolean;
}

const topicOf = (name: string): string => {
  const found = contracts.deal.interface.getEvent(name);
  if (!found) throw new RangeError(`a diamond has no event ${name}`);
  return found.topicHash;
};

const kinds = new Map<string, DealEvent['kind']>([
  [topicOf('DealCreated'), 'created'],
  [topicOf('DealPaid'), 'paid'],
  [topicOf('DealCancelled'), 'cancelled'],
  [topicOf('DealConflict'), 'conflict'],
]);

/** First topics of the four events of a deal, for `eth_getLogs`. */
export const dealTopics: readonly string[] = [...kinds.keys()];

/** Number of topics and data words of each event; any contract may emit another shape under the same hash. */
const shapes: Record<DealEvent['kind'], readonly [topics: number, words: number]> = {
  created: [3, 0],
  paid: [4, 3],
  cancelled: [2, 1],
  conflict: [2, 2],
};

const word = (data: string, index: number): string => `0x${data.slice(2 + index * 64, 66 + index * 64)}`;
const asAddress = (text: string): string => `0x${text.slice(26)}`;

/**
 * Decodes a log as an event of a deal. The caller must check the emitter: a stranger's log looks the same.
 * @returns null for any other log
 */
export const decodeDealEvent = (log: RawLog): DealEvent | null => {
  const kind = kinds.get(log.topics[0] ?? '');
  if (kind === undefined) return null;
  const [topics, words] = shapes[kind];
  if (log.topics.length !== topics || log.data.length !== 2 + words * 64) return null;
  const data = log.data.toLowerCase();
  const indexed = (index: number): string => (log.topics[index] ?? '').toLowerCase();
  const paid = kind === 'paid';
  return {
    kind,
    diamond: log.address.toLowerCase(),
    dealId: BigInt(indexed(1)),
    termsHash: kind === 'cancelled' ? null : kind === 'conflict' ? word(data, 1) : indexed(2),
    transactionHash: log.transactionHash.toLowerCase(),
    logIndex: Number(log.logIndex),
    blockNumber: Number(log.blockNumber),
    blockHash: log.blockHash.toLowerCase(),
    payer: paid ? asAddress(indexed(3)) : null,
    token: paid ? asAddress(word(data, 0)) : null,
    payee: paid ? asAddress(word(data, 1)) : null,
    amount: paid ? BigInt(word(data, 2)) : null,
  };
};
