/** A deal: what the diamond knows of a payment. Addresses are lower-case hex here and in the database. */

/** The terms of one deal, in the order of the EIP-712 type `Deal`. */
export interface DealTerms {
  /** Random 53-bit number. */
  readonly dealId: bigint;
  /** Token contract, or the zero address for the native coin. */
  readonly token: string;
  readonly payee: string;
  /** The only account that may pay, or the zero address for anybody. */
  readonly payer: string;
  /** Base units (wei for the native coin). */
  readonly amount: bigint;
  /** Unix seconds, exclusive. */
  readonly expiresAt: bigint;
}

/** Last byte of a deal's word on the chain; the upper 248 bits are those of its terms hash. */
export const dealStatuses = { none: 0, open: 1, paid: 2, cancelled: 3 } as const;
export type DealStatus = keyof typeof dealStatuses;

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** One event of a diamond, as a watcher reads it from a block. Hashes and addresses are lower-case hex. */
export interface DealEvent {
  readonly kind: 'created' | 'paid' | 'cancelled' | 'conflict';
  readonly diamond: string;
  readonly dealId: bigint;
  /** Absent for `cancelled`; for `conflict` the hash that was refused. */
  readonly termsHash: string | null;
  /** Null where too few endpoints tell of this one. */
  readonly transactionHash: string | null;
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Only for `paid`. */
  readonly payer: string | null;
  readonly token: string | null;
  readonly payee: string | null;
  readonly amount: bigint | null;
}

/**
 * What the word of a deal says of a payment: that its deal is not there, is open, was paid or cancelled, was cancelled before
 * it was there (a tombstone), or that its id has other terms.
 */
export type DealVerdict = 'absent' | 'open' | 'paid' | 'cancelled' | 'tombstone' | 'conflict';

/** The verdicts under which an event of each kind can be true. */
const bornOutBy: Record<DealEvent['kind'], readonly DealVerdict[]> = {
  created: ['open', 'paid', 'cancelled'],
  paid: ['paid'],
  cancelled: ['cancelled', 'tombstone', 'conflict'],
  conflict: ['conflict'],
};

/** True when an event of this kind, in a block that the verdict knows, can be true. */
export const isBorneOut = (kind: DealEvent['kind'], verdict: DealVerdict): boolean => bornOutBy[kind].includes(verdict);
