import { SigningKey, keccak256 } from 'ethers';
import { signRecoverable } from 'tiny-secp256k1';
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
  const key = Buffer.from(privateKey.slice(2), 'hex');
  return {
    address: addressOf(privateKey),
    sign: (request) => {
      const transaction = encodeTransaction(request);
      const { yParity, bytes } = signed(key, transaction.digest);
      const half = (start: number): string => `0x${bytes.subarray(start, start + 32).toString('hex')}`;
      return Promise.resolve(transaction.finish({ yParity, r: half(0), s: half(32) }));
    },
    signDigest: (digest) => {
      const { yParity, bytes } = signed(key, digest);
      // The lower of two possible `s` leaves its highest bit free.
      bytes[32]! |= yParity << 7;
      return Promise.resolve(`0x${bytes.toString('hex')}`);
    },
  };
};

/** The deterministic signature (RFC 6979) with the lower `s`. libsecp256k1, because ethers takes three times as long. */
const signed = (key: Uint8Array, digest: string): { readonly yParity: 0 | 1; readonly bytes: Buffer } => {
  const { signature, recoveryId } = signRecoverable(Buffer.from(digest.slice(2), 'hex'), key);
  // A recovery id above 1 is as improbable as a guessed key.
  if (recoveryId > 1) throw new Error('the signature has no parity');
  return { yParity: recoveryId as 0 | 1, bytes: Buffer.from(signature) };
};

const addressOf = (privateKey: string): string => {
  try {
    const { publicKey } = new SigningKey(privateKey);
    return `0x${keccak256(`0x${publicKey.slice(4)}`).slice(26)}`;
  } catch {
    // The original error may quote the key.
    throw new Error('not a private key');
  }
};
