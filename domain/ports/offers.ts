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
  /** False once a read of the registry has shown that it lacks its role. */
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

export interface OfferStore {
  /** The signers of a network that the catalogue lists, in a fixed order. */
  signers(networkId: string): Promise<OfferSigner[]>;
  /** True while an offered payment of the network is open. */
  isInUse(networkId: string): Promise<boolean>;
  /** Records that a run has just done all that was to do for a network, so that its silence is noticed. */
  recordLook(networkId: string): Promise<void>;
  /** Payments whose diamonds take offers and that lack some, oldest first. */
  wanted(networkId: string, limit: number): Promise<WantedOffers[]>;
  /**
   * Stores offers of a signer, encrypted, and makes pending payments payable, in one transaction. Payments that have left these
   * statuses are skipped.
   */
  save(accountId: string, offers: readonly SignedOffer[]): Promise<void>;
  /** Stores which signers have their role. The offers of one that lost it are deleted, and wanted again. */
  recordRoles(networkId: string, holders: readonly string[]): Promise<void>;
  /**
   * Shows on the pending offered payments of a network why no offer is signed (null: nothing stands in the way), and on cancels
   * that wait for the chain whether it is unreachable.
   */
  showWaiting(networkId: string, detail: WaitingDetail | null, isUnreachable: boolean): Promise<void>;
}
