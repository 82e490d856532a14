import { steadyClock } from '../../domain/tools/clock.ts';
import type { RpcError } from './error.ts';

/** Milliseconds after which an endpoint that refused a batch in words is sent longer ones again. */
const SHORTER_BATCHES_MS = 3_600_000;
/** So many full batches are accepted before a longer one is tried again: at first, and at most, after tries that failed. */
const [FIRST_WINS, MOST_WINS, TIMES] = [2, 4_096, 8];

/** A length that failures suggest, without a word about batches. */
interface Guess {
  /** The longest batch that is sent without a trial. */
  readonly length: number;
  /** The longest one that failed. */
  readonly failed: number;
  /** Accepted batches of this length, and how many of them begin a trial of twice the length. */
  readonly wins: number;
  readonly needed: number;
}

/**
 * The length of batch that an endpoint accepts. One that it refuses in words is halved at once, and stays short for an hour. Whatever
 * else ends a batch twice may come from its length, too: the batch is halved, and longer ones are tried again seldom.
 */
export const createLengths = () => {
  const unknown = { longest: Infinity, until: -Infinity };
  let found = unknown;
  let words = '';
  let guess: Guess | null = null;
  /** The length of the last batch that failed, until one of that length is accepted. */
  let failing = Infinity;
  const isTrying = (): boolean => guess !== null && guess.wins >= guess.needed;
  const longest = (): number =>
    Math.min(
      steadyClock.now() < found.until ? found.longest : Infinity,
      guess === null ? Infinity : guess.length * (isTrying() ? 2 : 1),
    );

  /** Sends half of this length from now on. */
  const halve = (length: number, said: string): void => {
    words = said;
    // A concurrent batch may have failed at a smaller length.
    failing = Math.min(guess?.length ?? Infinity, Math.ceil(length / 2));
    const failed = Math.max(guess?.failed ?? 0, length);
    guess = { length: failing, failed, wins: 0, needed: guess?.needed ?? FIRST_WINS };
  };

  return {
    longest,
    halve,
    /** True for a batch that is longer than the endpoint was found to accept. */
    isTrial: (length: number): boolean => guess !== null && length > guess.length,
    /** Records that a batch of this length was refused with these words. */
    shorten: (refused: number, said: string): void => {
      words = said;
      found = {
        longest: Math.min(longest(), Math.ceil(refused / 2)),
        until: steadyClock.now() + SHORTER_BATCHES_MS,
      };
    },
    /** Records that a batch of this length failed, was rate-limited, or had answers to a part only. The second time in a row it is halved. */
    fail: (length: number, said: string): void => {
      if (guess !== null && length > guess.length)
        guess = { ...guess, wins: 0, needed: Math.min(guess.needed * TIMES, MOST_WINS) };
      else if (length >= failing) halve(length, said);
      else failing = Math.min(length, longest());
    },
    /**
     * Records that a single request failed: the length was not the cause, so longer batches are tried soon. They are sent at once where it
     * was the first of its exchange: an endpoint that fails now and then would otherwise get ever more of ever shorter batches, of which
     * hardly any exchange has all.
     */
    failAlone: (isFirst: boolean): void => {
      if (isFirst) [guess, failing] = [null, Infinity];
      else if (guess !== null) guess = { ...guess, needed: FIRST_WINS };
    },
    /** Records that a batch of this length was accepted. A shorter one says nothing about longer ones. */
    accept: (length: number): void => {
      if (length >= failing) failing = Infinity;
      if (guess === null || length < guess.length) return;
      if (length >= guess.failed) guess = null;
      else guess = length > guess.length ? { ...guess, length, wins: 0 } : { ...guess, wins: guess.wins + 1 };
    },
    /** True when one request alone is refused as the batch was: the length was not the cause. */
    isOfOne: (error: RpcError): boolean => error.refusal === 'batch' || (longest() === 1 && error.message === words),
    forget: (): void => void ([found, guess] = [unknown, null]),
  };
};
