import { SigningKey, keccak256 } from 'ethers';
import { encodeTransaction, type SignRequest, type SignedTransaction } from './transaction.ts';

/** One account that signs. The key stays behind it, so that a key service in the cloud fits as well as a file. */
export interface Signer {
  /** Lower-case. */
  readonly address: string;
  sign(request: SignRequest): Promise<SignedTransaction>;
}

/**
 * Signs with a key in memory.
 * @param privateKey 32 bytes as 0x-prefixed hex
 * @throws Error that does not hold the key when it is none
 */
export const createKeySigner = (privateKey: string): Signer => {
  const key = signingKey(privateKey);
  return {
    address: addressOf(key),
    sign: (request) => {
      const transaction = encodeTransaction(request);
      return Promise.resolve(transaction.finish(key.sign(transaction.digest)));
    },
  };
};

const signingKey = (privateKey: string): SigningKey => {
  try {
    return new SigningKey(privateKey);
  } catch {
    // The original error may quote what it was given.
    throw new Error('not a private key');
  }
};

const addressOf = (key: SigningKey): string => `0x${keccak256(`0x${key.publicKey.slice(4)}`).slice(26)}`;
