import { getAddress } from 'ethers';
import { memoize } from './memoize.ts';

const HEX_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * True for an EVM address: 20 bytes as 0x-prefixed hex, in one case, or in mixed case with a valid EIP-55 checksum.
 */
export const isAddress = (text: string): boolean => {
  if (!HEX_ADDRESS.test(text)) return false;
  const digits = text.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || text === checksum(text);
};

/**
 * The EIP-55 form of an address, for people and wallets.
 * @param address 20 bytes as 0x-prefixed hex, in any case; its own checksum is not verified
 */
export const checksum = memoize((address) => getAddress(address.toLowerCase()));

/** The form for storing and comparing: lower-case hex. */
export const toStoredAddress = (address: string): string => address.toLowerCase();
