/**
 * The port between the run that signs the offers of a network and its store. An offer is a signer's signature over the terms of a
 * deal and the end of a window; times are Unix seconds.
 */
import type { DealTerms, Offer } from '../deal.ts';
import type { WaitingDetail } from '../payment.ts';

/** Encrypts stored offers, each bound to its context. */
export interface OfferCipher {
  encrypt(context: string, signature: string): Uint8Array;
  decrypt(context: string, encrypted: Uint8Array): string;
}

/** A key of the catalogue that may sign offers. */
export interface OfferSigner {
  /** Of its account. */
  readonly id: string;
  readonly address: string;
  /** True once the registry was asked for its role. */
  readonly isKnown: boolean;
  /** As the registry last said; false before. */
  readonly hasRole: boolean;
  /** True while any worker holds the key. */
  readonly isHeld: boolean;
}

/** A payment that lacks offers. */
export interface WantedOffers {
  readonly paymentId: string;
  readonly diamond: string;
  readonly terms: DealTerms;
  /** Ends of the windows that lack an offer, exclusive. */
  readonly ends: readonly bigint[];
}

export interface SignedOffer extends Offer {
  readonly paymentId: string;
}

/** The registry of a network at a read. */
export interface FoundRegistry {
  /** Null where it was not read. */
  readonly isPaused: boolean | null;
  /** Ids of the signers that it was asked for. */
  readonly asked: readonly string[];
  /** Those that have their role. */
  readonly holders: readonly string[];
}

/** The state of a registry that nobody reads any more: no signer has its role. */
export const unreadRegistry: FoundRegistry = { isPaused: null, asked: [], holders: [] };

export interface OfferStore {
  /** The signers of a network that the catalogue lists, in a fixed order. */
  signers(networkId: string): Promise<OfferSigner[]>;
  /** True while an offered payment of the network is open. */
  isInUse(networkId: string): Promise<boolean>;
  /** True where the registry was paused at its last read; null before the first one. */
  isPaused(networkId: string): Promise<boolean | null>;
  /** Records that a run has just known the registry and signed everything for a network, so that its silence is noticed. */
  recordLook(networkId: string): Promise<void>;
  /** Payments whose diamonds take offers and that lack some, oldest first. */
  wanted(networkId: string, limit: number): Promise<WantedOffers[]>;
  /**
   * Stores offers of a signer, encrypted, and makes pending payments payable, in one transaction. Payments that have left these
   * statuses are skipped.
   */
  save(accountId: string, offers: readonly SignedOffer[]): Promise<void>;
  /**
   * Stores the state of the registry: whether it is paused, and which of the requested signers have their role. The offers
   * of all others are deleted, and wanted again.
   */
  recordRegistry(networkId: string, found: FoundRegistry): Promise<void>;
  /** Shows on the offered payments of a network that lack an offer why none is signed; null: nothing stands in the way, for any. */
  showOffersWait(networkId: string, detail: WaitingDetail | null): Promise<void>;
}
