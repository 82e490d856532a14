import { id, TypedDataEncoder } from 'ethers';
import { ZERO_ADDRESS, type DealTerms, type Offer } from '../../domain/deal.ts';
import type { PermitDomain } from '../../domain/ports/network-check.ts';
import { checksum } from './address.ts';
import { contracts } from './contracts.ts';
import { dealArguments, offerArguments } from './pay-call.ts';

interface TypedField {
  readonly name: string;
  readonly type: string;
}

/** The fields of a permit (EIP-2612). */
const permitFields: readonly TypedField[] = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
];

const domainFields: readonly TypedField[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

/** The hash of the type of a permit. Tokens with another one have permits that are not those of EIP-2612. */
export const permitTypeHash = id(`Permit(${permitFields.map(({ name, type }) => `${type} ${name}`).join(',')})`);

/** A token on a network. */
interface TokenPlace {
  readonly address: string;
  readonly eip155: number;
}

/** The EIP-712 domain separator of a token's permits, 0x-prefixed hex. */
export const domainSeparator = ({ name, version, address, eip155 }: PermitDomain & TokenPlace): string =>
  TypedDataEncoder.hashDomain({ name, version, chainId: eip155, verifyingContract: checksum(address) });

/**
 * A payment with a permit in place of an approval. The page adds `owner` and `nonce` to the message, has it signed
 * (eth_signTypedData_v4), and appends v, r and s of the signature to `data`, 32 bytes each.
 */
export interface PermitCall {
  readonly function_name: 'payTokenWithPermit' | 'payOfferedTokenWithPermit';
  readonly typed_data: {
    readonly types: { readonly EIP712Domain: readonly TypedField[]; readonly Permit: readonly TypedField[] };
    readonly primaryType: 'Permit';
    readonly domain: PermitDomain & { readonly chainId: number; readonly verifyingContract: string };
    /** Integers as decimal strings. */
    readonly message: { readonly spender: string; readonly value: string; readonly deadline: string };
  };
  /** Hash of the domain, which the token shows as its DOMAIN_SEPARATOR while it accepts such permits; 0x-prefixed hex. */
  readonly domain_separator: string;
  /** The encoded call without its last three words, 0x-prefixed hex. */
  readonly data: string;
}

/** Three words in hex: v, r and s. */
const SIGNATURE_LENGTH = 3 * 64;

/**
 * The call that pays a deal by a permit. The permit ends with the deal, or with its offer.
 * @param terms with a token
 * @param offer of an offered deal
 */
export const permitCall = (
  { name, version }: PermitDomain,
  { terms, diamond, eip155 }: { readonly terms: DealTerms; readonly diamond: string; readonly eip155: number },
  offer?: Offer,
): PermitCall => {
  const deadline = offer?.validUntil ?? terms.expiresAt;
  const functionName = offer === undefined ? 'payTokenWithPermit' : 'payOfferedTokenWithPermit';
  const values = [dealArguments(terms), ...(offer === undefined ? [] : offerArguments(offer)), deadline];
  const noSignature = [0, ZERO_HASH, ZERO_HASH];
  const data = contracts[offer === undefined ? 'deal' : 'offer'].interface.encodeFunctionData(functionName, [
    ...values,
    ...noSignature,
  ]);
  return {
    function_name: functionName,
    typed_data: {
      types: { EIP712Domain: domainFields, Permit: permitFields },
      primaryType: 'Permit',
      domain: { name, version, chainId: eip155, verifyingContract: checksum(terms.token) },
      message: { spender: checksum(diamond), value: terms.amount.toString(), deadline: deadline.toString() },
    },
    domain_separator: domainSeparator({ name, version, address: terms.token, eip155 }),
    data: data.slice(0, -SIGNATURE_LENGTH),
  };
};

const ZERO_HASH = `${ZERO_ADDRESS}${'00'.repeat(12)}`;
