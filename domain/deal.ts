/** A deal is a payment as its diamond knows it. Addresses are lower-case hex here and in the database. */

/** The terms of one deal, in the order of the EIP-712 type `Deal`. */
export interface DealTerms {
  /** Random 53-bit number. */
  readonly dealId: bigint;
  /** Token contract, or the zero address for the native coin. */
  readonly token: string;
  readonly payee: string;
  /** The only account that may pay, or the zero address when anyone may. */
  readonly payer: string;
  /** Base units (wei for the native coin). */
  readonly amount: bigint;
  /** Unix seconds, exclusive. */
  readonly expiresAt: bigint;
}

/** A signer's offer of a deal. */
export interface Offer {
  /** Unix seconds, exclusive. */
  readonly validUntil: bigint;
  /** 64 bytes (EIP-2098), as 0x-prefixed hex. */
  readonly signature: string;
}

/** Last byte of a deal's word on the chain; the upper 248 bits are those of its terms hash. */
export const dealStatuses = { none: 0, open: 1, paid: 2, cancelled: 3 } as const;
export type DealStatus = keyof typeof dealStatuses;

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** One event of a diamond, as a watcher reads it. Hashes and addresses are lower-case hex. */
export interface DealEvent {
  readonly kind: 'created' | 'paid' | 'cancelled' | 'conflict';
  readonly diamond: string;
  readonly dealId: bigint;
  /** Null for `cancelled`; the refused hash for `conflict`. */
  readonly termsHash: string | null;
  /** Null when too few endpoints report the event. */
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
 * The meaning of a deal's word for its payment. `tombstone`: the deal was cancelled before it was created. `conflict`:
 * the id belongs to a deal with other terms.
 */
export type DealVerdict = 'absent' | 'open' | 'paid' | 'cancelled' | 'tombstone' | 'conflict';

/** The verdicts that are consistent with an event of each kind. */
const consistentVerdicts: Record<DealEvent['kind'], readonly DealVerdict[]> = {
  created: ['open', 'paid', 'cancelled'],
  paid: ['paid'],
  cancelled: ['cancelled', 'tombstone', 'conflict'],
  conflict: ['conflict'],
};

/** True when an event of this kind, in a block that the verdict covers, is consistent with the verdict. */
export const isConsistent = (kind: DealEvent['kind'], verdict: DealVerdict): boolean =>
  consistentVerdicts[kind].includes(verdict);
