import { id, keccak256 } from 'ethers';
import type { DealTerms } from '../../domain/deal.ts';
import { addressWord, bytesWord, uintWord } from './abi-words.ts';

/** Of hex without 0x. Bytes, because ethers is slow to read them from text. */
const hashOf = (hex: string): string => keccak256(Buffer.from(hex, 'hex'));

const domainType = id('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');
const dealType = id('Deal(uint256 dealId,address token,address payee,address payer,uint256 amount,uint256 expiresAt)');
const domainName = id('Carat');
const domainVersion = id('1');

/** Separators of the diamonds in use; a full cache is started anew. */
const separators = new Map<string, string>();
const MAX_SEPARATORS = 10_000;

const separatorOf = (eip155: number, diamond: string): string => {
  const key = `${eip155}:${diamond}`;
  const found = separators.get(key);
  if (found) return found;
  const words = [domainType, domainName, domainVersion].map(bytesWord).join('');
  const separator = hashOf(`${words}${uintWord(eip155)}${addressWord(diamond)}`);
  if (separators.size >= MAX_SEPARATORS) separators.clear();
  separators.set(key, separator);
  return separator;
};

/**
 * The EIP-712 digest of a deal's terms in the domain {Carat, 1, chain id, diamond}, as the diamond computes it.
 * Encoded by hand because it stands in the path of every payment; a test compares it with ethers' own.
 * @param eip155 chain id of the network
 * @param diamond address, any case
 * @returns 32 bytes as lower-case hex
 */
export const termsHash = (eip155: number, diamond: string, terms: DealTerms): string => {
  const struct = hashOf(
    `${bytesWord(dealType)}${uintWord(terms.dealId)}${addressWord(terms.token)}${addressWord(terms.payee)}` +
      `${addressWord(terms.payer)}${uintWord(terms.amount)}${uintWord(terms.expiresAt)}`,
  );
  return hashOf(`1901${bytesWord(separatorOf(eip155, diamond.toLowerCase()))}${bytesWord(struct)}`);
};
