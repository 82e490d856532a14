import { ZERO_ADDRESS, type DealTerms, type Offer } from '../../domain/deal.ts';
import { checksum } from './address.ts';
import { contracts } from './contracts.ts';
import { addressWord, uintWord } from './deal-encoding.ts';

/** The call of a buyer's wallet on the diamond. Ethers, viem and web3.py accept it unchanged. */
export interface PayCall {
  /** ABI of the one function. */
  readonly abi: readonly unknown[];
  readonly function_name: 'payToken' | 'payNative' | 'payOfferedToken' | 'payOfferedNative';
  /** In the order and nesting of the ABI, integers as decimal strings, addresses with checksum. */
  readonly arguments: readonly (string | readonly string[])[];
  /** The encoded call, 0x-prefixed hex. */
  readonly data: string;
  /** The transaction's value in wei, as a decimal string; "0" for a token. */
  readonly value: string;
}

/** An offer that the contract refuses, for a deal that is not payable. */
export const emptyOffer: Offer = { validUntil: 0n, signature: `0x${'00'.repeat(64)}` };

/** Selector of `approve(address,uint256)`. */
const APPROVE = '0x095ea7b3';

const abiOf = (contract: 'deal' | 'offer', name: PayCall['function_name']): readonly unknown[] =>
  contracts[contract].abi.filter((entry) => entry.type === 'function' && entry.name === name);

const abis = {
  payToken: abiOf('deal', 'payToken'),
  payNative: abiOf('deal', 'payNative'),
  payOfferedToken: abiOf('offer', 'payOfferedToken'),
  payOfferedNative: abiOf('offer', 'payOfferedNative'),
};

const nameOf = (isNative: boolean, isOffered: boolean): PayCall['function_name'] => {
  if (isOffered) return isNative ? 'payOfferedNative' : 'payOfferedToken';
  return isNative ? 'payNative' : 'payToken';
};

/**
 * The call that pays a deal.
 * @param terms that were hashed when the payment was created; token zero is the native coin
 * @param offer of an offered deal
 */
export const payCall = (terms: DealTerms, offer?: Offer): PayCall => {
  const native = terms.token === ZERO_ADDRESS;
  const name = nameOf(native, offer !== undefined);
  const values = [dealArguments(terms), ...(offer === undefined ? [] : offerArguments(offer))];
  return {
    abi: abis[name],
    function_name: name,
    arguments: values,
    data: contracts[offer === undefined ? 'deal' : 'offer'].interface.encodeFunctionData(name, values),
    value: native ? terms.amount.toString() : '0',
  };
};

/** The terms of a deal, in the order of the contracts. */
export const dealArguments = (terms: DealTerms): string[] => [
  terms.dealId.toString(),
  checksum(terms.token),
  checksum(terms.payee),
  checksum(terms.payer),
  terms.amount.toString(),
  terms.expiresAt.toString(),
];

/** The end of the offer and the two halves of its signature. */
export const offerArguments = ({ validUntil, signature }: Offer): string[] => [
  validUntil.toString(),
  signature.slice(0, 66),
  `0x${signature.slice(66)}`,
];

/** The calls on a token by which a buyer's wallet lets a diamond take an amount. */
export interface Approval {
  /** The diamond, with checksum. */
  readonly spender: string;
  /** `approve` of the exact amount, 0x-prefixed hex. */
  readonly data: string;
  /** `approve` of zero: some tokens demand it before another amount while one is left over. */
  readonly reset_data: string;
}

/** The approval (ERC-20) that the call of a payment in a token needs. */
export const approvalOf = (diamond: string, amount: bigint): Approval => {
  const encode = (units: bigint): string => `${APPROVE}${addressWord(diamond)}${uintWord(units)}`;
  return { spender: checksum(diamond), data: encode(amount), reset_data: encode(0n) };
};
