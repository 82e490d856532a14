import { AbiCoder } from 'ethers';
import { addressWord, bytesWord, uintWord } from './abi-words.ts';
import { contracts } from './contracts.ts';

/** What of a deal goes to the chain. */
export interface DealKey {
  readonly diamond: string;
  readonly dealId: bigint;
  /** 32 bytes as 0x-prefixed hex; not looked at by a cancel. */
  readonly termsHash: string;
}

const selectorOf = (name: string): string => {
  const found = contracts.batcher.interface.getFunction(name);
  if (!found) throw new RangeError(`the batcher has no function ${name}`);
  return found.selector;
};

const createSelector = selectorOf('createDeals');
const cancelSelector = selectorOf('cancelDeals');

/** The diamonds of some deals in order of first appearance: the order of the batcher's parts and of its failures. */
export const diamondsOf = (deals: readonly DealKey[]): string[] => [...new Set(deals.map((deal) => deal.diamond))];

/** ABI encoding of `DiamondBatch[]`, by hand: ethers takes longer for it than the node for the whole transaction. */
const encodeBatches = (selector: string, deals: readonly DealKey[]): string => {
  const parts = diamondsOf(deals).map((diamond) => {
    const own = deals.filter((deal) => deal.diamond === diamond);
    const keys = own.map((deal) => uintWord(deal.dealId) + bytesWord(deal.termsHash)).join('');
    return addressWord(diamond) + uintWord(64) + uintWord(own.length) + keys;
  });
  let offset = parts.length * 32;
  const offsets = parts.map((part) => {
    const own = uintWord(offset);
    offset += part.length / 2;
    return own;
  });
  return `${selector}${uintWord(32)}${uintWord(parts.length)}${offsets.join('')}${parts.join('')}`;
};

/** Call data for the batcher that creates deals on one or many diamonds. */
export const encodeCreateDeals = (deals: readonly DealKey[]): string => encodeBatches(createSelector, deals);

/** Call data for the batcher that cancels deals on one or many diamonds. */
export const encodeCancelDeals = (deals: readonly DealKey[]): string => encodeBatches(cancelSelector, deals);

/**
 * What a simulated `createDeals` or `cancelDeals` returned: the diamonds whose part failed, with their revert data.
 * @param deals the same as were encoded
 * @param output of the eth_call
 */
export const decodeBatchFailures = (deals: readonly DealKey[], output: string): Map<string, string> => {
  // A batcher of another release may answer nothing; what failed is then told by the logs of the transaction.
  if (output === '0x') return new Map();
  const [failures] = AbiCoder.defaultAbiCoder().decode(['bytes[]'], output) as unknown as [string[]];
  const diamonds = diamondsOf(deals);
  return new Map(
    failures.flatMap((reason, index): [string, string][] => {
      const diamond = diamonds[index];
      return reason === '0x' || diamond === undefined ? [] : [[diamond, reason]];
    }),
  );
};
