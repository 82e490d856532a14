import { keccak256 } from 'ethers';

/** The fields of the transaction to sign, always an EIP-1559 one. Amounts in wei. */
export interface SignRequest {
  readonly eip155: number;
  readonly nonce: number;
  readonly to: string;
  /** 0x-prefixed hex. */
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

/** A secp256k1 signature in the form of an EIP-1559 transaction. */
export interface TransactionSignature {
  readonly yParity: 0 | 1;
  readonly r: string;
  readonly s: string;
}

const TYPE = Buffer.from([0x02]);

const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');

/** The big-endian bytes of a number without leading zeros; zero is empty. */
const numberBytes = (value: bigint | number): Buffer => {
  if (BigInt(value) === 0n) return Buffer.alloc(0);
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
};

const header = (length: number, short: number): Buffer => {
  if (length < 56) return Buffer.from([short + length]);
  const size = numberBytes(length);
  return Buffer.concat([Buffer.from([short + 55 + size.length]), size]);
};

const item = (bytes: Buffer): Buffer =>
  bytes.length === 1 && (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([header(bytes.length, 0x80), bytes]);

const envelope = (fields: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(fields);
  return Buffer.concat([TYPE, header(body.length, 0xc0), body]);
};

const fieldsOf = (request: SignRequest): Buffer[] => [
  item(numberBytes(request.eip155)),
  item(numberBytes(request.nonce)),
  item(numberBytes(request.maxPriorityFeePerGas)),
  item(numberBytes(request.maxFeePerGas)),
  item(numberBytes(request.gasLimit)),
  item(bytesOf(request.to)),
  item(numberBytes(request.value)),
  item(bytesOf(request.data)),
  // An empty access list.
  Buffer.from([0xc0]),
];

/** An encoded transaction; the signer signs its digest. */
export interface UnsignedTransaction {
  readonly digest: string;
  finish(signature: TransactionSignature): SignedTransaction;
}

/**
 * Encodes an EIP-1559 transaction in RLP (EIP-2718, EIP-1559) without ethers: with hundreds of deals in the call data,
 * ethers takes longer to encode than to sign. A test compares every byte with the encoding of ethers.
 */
export const encodeTransaction = (request: SignRequest): UnsignedTransaction => {
  const fields = fieldsOf(request);
  return {
    digest: keccak256(envelope(fields)),
    finish({ yParity, r, s }) {
      const raw = envelope([
        ...fields,
        item(numberBytes(yParity)),
        item(numberBytes(BigInt(r))),
        item(numberBytes(BigInt(s))),
      ]);
      return { raw: `0x${raw.toString('hex')}`, hash: keccak256(raw) };
    },
  };
};
