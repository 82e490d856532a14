import { getAddress } from 'ethers';

/** A checksum is a hash, and the same few payees and diamonds come again and again; a full cache is started anew. */
const checksums = new Map<string, string>();
const MAX_CHECKSUMS = 10_000;

const HEX_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * True for an EVM address: 20 bytes as 0x-prefixed hex, all of one case, or mixed case with a right EIP-55 checksum.
 */
export const isAddress = (text: string): boolean => {
  if (!HEX_ADDRESS.test(text)) return false;
  const digits = text.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || text === checksum(text);
};

/**
 * The EIP-55 form of an address, as it is shown to people and wallets.
 * @param address 20 bytes as 0x-prefixed hex, in any case; its own checksum is not looked at
 */
export const checksum = (address: string): string => {
  const found = checksums.get(address);
  if (found !== undefined) return found;
  const made = getAddress(address.toLowerCase());
  if (checksums.size >= MAX_CHECKSUMS) checksums.clear();
  checksums.set(address, made);
  return made;
};

/** The form that is stored and compared: lower-case hex. */
export const toStoredAddress = (address: string): string => address.toLowerCase();
