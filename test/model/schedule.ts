import type { DealMode } from '../../domain/payment.ts';
import { seeded } from '../liars/schedule.ts';
import { lies } from '../liars/lies.ts';

/** The deeds of a merchant and a buyer with one payment; times in milliseconds. */
export interface Order {
  readonly at: number;
  readonly method: 'web3' | 'bank_transfer';
  /** How its deal comes about. */
  readonly mode: DealMode;
  readonly currency: string;
  /** Until it expires, after it is created. */
  readonly lives: number;
  /** The buyer pays: when the deal is in a block, when the payment is ready, or just before it expires. */
  readonly pay: { readonly when: 'mined' | 'ready' | 'last moment'; readonly after: number } | null;
  /** The buyer pays by the first offer that the page has read, instead of the current one. */
  readonly keepsOffer: boolean;
  /** The buyer's wallet sends transactions again that a reorganisation removed. */
  readonly resends: boolean;
  readonly cancel: {
    readonly when: 'created' | 'mined' | 'ready' | 'paying';
    readonly after: number;
    /** An offered deal is canceled by a transaction. */
    readonly onChain: boolean;
  } | null;
  /** Each is a retry-send, so long after the creation. */
  readonly retries: readonly number[];
}

export const faults = [
  'reorganise 1',
  'reorganise 2',
  'kill worker',
  'kill api',
  'stop Temporal',
  'stop RPC',
  'lie',
  'refuse large',
] as const;

/** Something breaks, and for how long. */
export interface Fault {
  readonly at: number;
  readonly what: (typeof faults)[number];
  readonly ms: number;
  /** Which endpoint lies, and how. */
  readonly lie: { readonly position: number; readonly name: string };
}

export interface Schedule {
  readonly seed: number;
  readonly orders: readonly Order[];
  readonly faults: readonly Fault[];
}

/** Orders are made and things break within so many milliseconds. */
const SPAN_MS = 5_000;

/** The schedule of a seed, always the same. */
export const scheduleOf = (seed: number): Schedule => {
  const random = seeded(seed * 7_919 + 13);
  const upTo = (most: number): number => Math.floor(random() * most);
  const oneOf = <Item>(items: readonly Item[]): Item => items[upTo(items.length)]!;
  const often = (share: number): boolean => random() < share;

  const order = (): Order => {
    const method = often(0.9) ? 'web3' : 'bank_transfer';
    // Nobody puts forward the clock by which payments off the chain expire.
    const lives = method !== 'web3' || often(0.3) ? 3_000 + upTo(4_000) : 40_000;
    return {
      at: upTo(SPAN_MS),
      method,
      mode: method === 'web3' && often(0.5) ? 'offered' : 'created',
      currency: oneOf(['ETH', 'USDC', 'DAI']),
      lives,
      pay: often(0.6)
        ? { when: lives < 10_000 && often(0.5) ? 'last moment' : oneOf(['mined', 'ready']), after: upTo(600) }
        : null,
      keepsOffer: often(0.4),
      resends: often(0.7),
      cancel: often(0.45)
        ? {
            when: oneOf(['created', 'mined', 'ready', 'paying']),
            after: often(0.5) ? 0 : upTo(800),
            onChain: often(0.4),
          }
        : null,
      retries: often(0.3) ? Array.from({ length: 1 + upTo(3) }, () => upTo(3_000)) : [],
    };
  };
  return {
    seed,
    orders: Array.from({ length: 3 + upTo(4) }, order),
    faults: Array.from({ length: 1 + upTo(4) }, () => ({
      at: upTo(SPAN_MS + 1_000),
      what: oneOf(faults),
      ms: 300 + upTo(2_000),
      lie: { position: upTo(3), name: oneOf(Object.keys(lies)) },
    })),
  };
};

/** Describes a schedule, one line per part. */
export const told = ({ seed, orders, faults: broken }: Schedule): string =>
  [
    `schedule ${seed}`,
    ...orders.map(({ at, method, mode, currency, lives, pay, keepsOffer, resends, cancel, retries }, index) =>
      [
        `order ${index} at ${at}: ${currency} by ${method}, ${mode}, lives ${lives}`,
        pay &&
          `paid when ${pay.when}, after ${pay.after}${keepsOffer ? ' by its first offer' : ''}${resends ? ', sent again' : ''}`,
        cancel && `cancelled when ${cancel.when}, after ${cancel.after}${cancel.onChain ? ', on the chain' : ''}`,
        retries.length > 0 && `retried after ${retries.join(', ')}`,
      ]
        .filter(Boolean)
        .join('; '),
    ),
    ...broken.map(({ at, what, ms, lie }) =>
      what === 'lie'
        ? `at ${at}: endpoint ${lie.position + 1} ${lie.name}, for ${ms}`
        : `at ${at}: ${what}${what.startsWith('reorganise') ? '' : `, for ${ms}`}`,
    ),
  ].join('\n  ');
