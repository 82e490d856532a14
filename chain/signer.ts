import { Signature, SigningKey, Transaction, keccak256 } from 'ethers';

/** What is signed: always an EIP-1559 transaction. Amounts in wei. */
export interface SignRequest {
  readonly eip155: number;
  readonly nonce: number;
  readonly to: string;
  readonly data: string;
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface SignedTransaction {
  /** Bytes for `eth_sendRawTransaction`, 0x-prefixed hex. */
  readonly raw: string;
  readonly hash: string;
}

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
  const address = addressOf(key);
  return {
    address,
    sign: (request) => {
      const transaction = Transaction.from({
        type: 2,
        chainId: request.eip155,
        nonce: request.nonce,
        to: request.to,
        data: request.data,
        value: request.value,
        gasLimit: request.gasLimit,
        maxFeePerGas: request.maxFeePerGas,
        maxPriorityFeePerGas: request.maxPriorityFeePerGas,
      });
      transaction.signature = Signature.from(key.sign(transaction.unsignedHash));
      const raw = transaction.serialized;
      return Promise.resolve({ raw, hash: keccak256(raw) });
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
