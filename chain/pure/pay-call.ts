import { ZERO_ADDRESS, type DealTerms } from '../../domain/deal.ts';
import { checksum } from './address.ts';
import { contracts } from './contracts.ts';

/** The call of a buyer's wallet on the diamond. Ethers, viem and web3.py accept it unchanged. */
export interface PayCall {
  /** ABI of the one function. */
  readonly abi: readonly unknown[];
  readonly function_name: 'payToken' | 'payNative';
  /** In the order and nesting of the ABI, integers as decimal strings, addresses with checksum. */
  readonly arguments: readonly (readonly string[])[];
  /** The transaction's value in wei, as a decimal string; "0" for a token. */
  readonly value: string;
}

const abiOf = (name: PayCall['function_name']): readonly unknown[] =>
  contracts.deal.abi.filter((entry) => entry.type === 'function' && entry.name === name);

const payToken = abiOf('payToken');
const payNative = abiOf('payNative');

/**
 * The call that pays a deal.
 * @param terms that were hashed when the payment was created; token zero is the native coin
 */
export const payCall = (terms: DealTerms): PayCall => {
  const native = terms.token === ZERO_ADDRESS;
  return {
    abi: native ? payNative : payToken,
    function_name: native ? 'payNative' : 'payToken',
    arguments: [
      [
        terms.dealId.toString(),
        checksum(terms.token),
        checksum(terms.payee),
        checksum(terms.payer),
        terms.amount.toString(),
        terms.expiresAt.toString(),
      ],
    ],
    value: native ? terms.amount.toString() : '0',
  };
};
