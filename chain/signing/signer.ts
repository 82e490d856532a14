import { SigningKey, keccak256 } from 'ethers';
import { encodeTransaction, type SignRequest, type SignedTransaction } from './transaction.ts';

/** One account that signs. It hides the key, so that a cloud key service fits as well as a file. */
export interface Signer {
  /** Lower-case. */
  readonly address: string;
  sign(request: SignRequest): Promise<SignedTransaction>;
  /**
   * Signs 32 bytes, as the digest of an offer.
   * @returns 64 bytes with the parity in the highest bit of the second half (EIP-2098), as 0x-prefixed hex
   */
  signDigest(digest: string): Promise<string>;
}

/**
 * Signs with a key in memory.
 * @param privateKey 32 bytes as 0x-prefixed hex
 * @throws Error when the key is invalid; the message does not contain it
 */
export const createKeySigner = (privateKey: string): Signer => {
  const key = signingKey(privateKey);
  return {
    address: addressOf(key),
    sign: (request) => {
      const transaction = encodeTransaction(request);
      return Promise.resolve(transaction.finish(key.sign(transaction.digest)));
    },
    signDigest: (digest) => Promise.resolve(key.sign(digest).compactSerialized),
  };
};

const signingKey = (privateKey: string): SigningKey => {
  try {
    return new SigningKey(privateKey);
  } catch {
    // The original error may quote the key.
    throw new Error('not a private key');
  }
};

const addressOf = (key: SigningKey): string => `0x${keccak256(`0x${key.publicKey.slice(4)}`).slice(26)}`;
