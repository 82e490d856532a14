import { AbiCoder, id, keccak256 } from 'ethers';
import type { DealTerms } from '../../domain/deal.ts';
import { contracts } from './contracts.ts';
import { memoize } from './memoize.ts';

/* Encoded without ethers, which takes longer for this than the rest of a payment's creation. Tests compare both. */

/** A non-negative integer as one 32-byte ABI word, without 0x. */
export const uintWord = (value: bigint | number): string => value.toString(16).padStart(64, '0');

/** An address as one 32-byte ABI word, without 0x. */
export const addressWord = (address: string): string => address.slice(2).toLowerCase().padStart(64, '0');

/** 32 bytes of hex as one ABI word, without 0x. */
const bytesWord = (hex: string): string => hex.slice(2);

/** The hash of hex without 0x, passed as bytes because ethers parses text slowly. */
const hashOf = (hex: string): string => keccak256(Buffer.from(hex, 'hex'));

const domainType = id('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');
const dealTypeText = 'Deal(uint256 dealId,address token,address payee,address payer,uint256 amount,uint256 expiresAt)';
const dealType = id(dealTypeText);
const offerType = id(`Offer(Deal deal,uint256 validUntil)${dealTypeText}`);
const domainName = id('Carat');
const domainVersion = id('1');

const domainWords = [domainType, domainName, domainVersion].map(bytesWord).join('');

/** The domain separator for the words of a chain id and a diamond. */
const separatorOf = memoize((words) => hashOf(domainWords + words));

/**
 * The EIP-712 digest of a deal's terms in the domain {Carat, 1, chain id, diamond}, as the diamond computes it.
 * @param eip155 chain id of the network
 * @param diamond address, any case
 * @returns 32 bytes as lower-case hex
 */
export const termsHash = (eip155: number, diamond: string, terms: DealTerms): string =>
  digestOf(eip155, diamond, dealStruct(terms));

/**
 * The EIP-712 digest of an offer of a deal in the same domain. A signer of the network signs it.
 * @param validUntil Unix seconds, exclusive
 * @returns 32 bytes as lower-case hex
 */
export const offerHash = (eip155: number, diamond: string, terms: DealTerms, validUntil: bigint): string =>
  digestOf(eip155, diamond, hashOf(`${bytesWord(offerType)}${bytesWord(dealStruct(terms))}${uintWord(validUntil)}`));

const dealStruct = (terms: DealTerms): string =>
  hashOf(
    `${bytesWord(dealType)}${uintWord(terms.dealId)}${addressWord(terms.token)}${addressWord(terms.payee)}` +
      `${addressWord(terms.payer)}${uintWord(terms.amount)}${uintWord(terms.expiresAt)}`,
  );

const digestOf = (eip155: number, diamond: string, struct: string): string =>
  hashOf(`1901${bytesWord(separatorOf(uintWord(eip155) + addressWord(diamond)))}${bytesWord(struct)}`);

/** The data of a deal that is sent to the chain. */
export interface DealKey {
  readonly diamond: string;
  readonly dealId: bigint;
  /** 32 bytes as 0x-prefixed hex. */
  readonly termsHash: string;
}

/** The gas limit of a diamond's part with so many deals. */
export type GasOf = (diamond: string, deals: number) => bigint;

const selectorOf = (batcher: 'batcher' | 'firstBatcher', name: string): string => {
  const found = contracts[batcher].interface.getFunction(name);
  if (!found) throw new RangeError(`the batcher has no function ${name}`);
  return found.selector;
};

const selectorsOf = (batcher: 'batcher' | 'firstBatcher') => ({
  create: selectorOf(batcher, 'createDeals'),
  cancel: selectorOf(batcher, 'cancelDeals'),
});

const newest = selectorsOf('batcher');
const first = selectorsOf('firstBatcher');
/** The same for all batchers. */
const wordsSelector = selectorOf('batcher', 'dealWords');

/** A deal's location on the chain. */
export type DealPlace = Pick<DealKey, 'diamond' | 'dealId'>;

/** The diamonds of deals in order of first appearance, which is the order of the batcher's parts and failures. */
export const diamondsOf = (deals: readonly DealPlace[]): string[] => [...new Set(deals.map((deal) => deal.diamond))];

/** ABI encoding of a dynamic array of dynamic elements, without 0x. */
const encodeList = (elements: readonly string[]): string => {
  let offset = elements.length * 32;
  const offsets = elements.map((element) => {
    const own = uintWord(offset);
    offset += element.length / 2;
    return own;
  });
  return `${uintWord(elements.length)}${offsets.join('')}${elements.join('')}`;
};

/** A list with one element for each diamond: `head`, and the array of its encoded deals. */
const encodeParts = <Deal extends DealPlace>(
  deals: readonly Deal[],
  encode: (deal: Deal) => string,
  head: (diamond: string, deals: number) => string,
): string =>
  encodeList(
    [...Map.groupBy(deals, (deal) => deal.diamond)].map(
      ([diamond, own]) => `${head(diamond, own.length)}${uintWord(own.length)}${own.map(encode).join('')}`,
    ),
  );

/** The head of a part: the address, for the newest batcher the gas, and the offset of the array. */
const structHead =
  (gasOf: GasOf | undefined) =>
  (diamond: string, deals: number): string =>
    gasOf === undefined
      ? addressWord(diamond) + uintWord(64)
      : addressWord(diamond) + uintWord(gasOf(diamond, deals)) + uintWord(96);

/**
 * Call data by which a batcher creates deals on one or many diamonds.
 * @param gasOf for the newest batcher; without it the call is for the first batcher
 */
export const encodeCreateDeals = (deals: readonly DealKey[], gasOf?: GasOf): string =>
  (gasOf === undefined ? first : newest).create +
  uintWord(32) +
  encodeParts(deals, (deal) => uintWord(deal.dealId) + bytesWord(deal.termsHash), structHead(gasOf));

/**
 * Call data by which a batcher cancels deals on one or many diamonds.
 * @param gasOf for the newest batcher; without it the call is for the first batcher
 */
export const encodeCancelDeals = (deals: readonly DealPlace[], gasOf?: GasOf): string =>
  (gasOf === undefined ? first : newest).cancel +
  uintWord(32) +
  encodeParts(deals, (deal) => uintWord(deal.dealId), structHead(gasOf));

/** Call data by which any batcher reads the words of deals on one or many diamonds. */
export const encodeDealWords = (deals: readonly DealPlace[]): string => {
  const diamonds = diamondsOf(deals);
  const addresses = uintWord(diamonds.length) + diamonds.map(addressWord).join('');
  const ids = encodeParts(
    deals,
    (deal) => uintWord(deal.dealId),
    () => '',
  );
  return wordsSelector + uintWord(64) + uintWord(64 + addresses.length / 2) + addresses + ids;
};

/**
 * Decodes the output of a simulated `createDeals` or `cancelDeals`: failed diamonds with their revert data.
 * @param deals the encoded deals, in the same order
 * @param output of the eth_call
 * @throws Error for an output that no batcher gives
 */
export const decodeBatchFailures = (deals: readonly DealPlace[], output: string): Map<string, string> => {
  const [failures] = AbiCoder.defaultAbiCoder().decode(['bytes[]'], output) as unknown as [string[]];
  const diamonds = diamondsOf(deals);
  return new Map(
    // Copied, because array methods of an ethers Result return Results.
    [...failures].flatMap((reason, index): [string, string][] => {
      const diamond = diamonds[index];
      return reason === '0x' || diamond === undefined ? [] : [[diamond, reason]];
    }),
  );
};

/**
 * Decodes the output of a batcher's `dealWords`.
 * @param deals the encoded deals, in the same order
 * @param output of the eth_call
 * @returns in the order of the deals; undefined where the diamond gave none
 * @throws Error for an output that no batcher gives
 */
export const decodeDealWords = (deals: readonly DealPlace[], output: string): (string | undefined)[] => {
  const [words] = AbiCoder.defaultAbiCoder().decode(['bytes32[][]'], output) as unknown as [string[][]];
  const left = new Map(diamondsOf(deals).map((diamond, index) => [diamond, [...(words[index] ?? [])].values()]));
  return deals.map((deal) => left.get(deal.diamond)?.next().value);
};
