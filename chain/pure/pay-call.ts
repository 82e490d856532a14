import { ZERO_ADDRESS, type DealTerms } from '../../domain/deal.ts';
import { checksum } from './address.ts';
import { contracts } from './contracts.ts';

/** What a buyer's wallet calls on the diamond; goes as it is into ethers, viem or web3.py. */
export interface PayCall {
  /** ABI of the one function. */
  readonly abi: readonly unknown[];
  readonly function_name: 'payToken' | 'payNative';
  /** In the order and nesting of the ABI, integers as decimal strings, addresses with checksum. */
  readonly arguments: readonly (readonly string[])[];
  /** Wei to send along, as decimal string; "0" for a token. */
  readonly value: string;
}

const abiOf = (name: PayCall['function_name']): readonly unknown[] =>
  contracts.deal.abi.filter((entry) => entry.type === 'function' && entry.name === name);

const payToken = abiOf('payToken');
const payNative = abiOf('payNative');

/**
 * The call that pays a deal.
 * @param terms as they were hashed when the payment was created; token zero is the native coin
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
