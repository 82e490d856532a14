import { id, keccak256 } from 'ethers';
import type { DealTerms } from '../../domain/deal.ts';
import { addressWord, bytesWord, uintWord } from './abi-words.ts';
import { memoize } from './memoize.ts';

/** Of hex without 0x. Bytes, because ethers is slow to read them from text. */
const hashOf = (hex: string): string => keccak256(Buffer.from(hex, 'hex'));

const domainType = id('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');
const dealType = id('Deal(uint256 dealId,address token,address payee,address payer,uint256 amount,uint256 expiresAt)');
const domainName = id('Carat');
const domainVersion = id('1');

const domainWords = [domainType, domainName, domainVersion].map(bytesWord).join('');

/** The domain's separator, by the words of chain id and diamond. */
const separatorOf = memoize((words) => hashOf(domainWords + words));

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
  return hashOf(`1901${bytesWord(separatorOf(uintWord(eip155) + addressWord(diamond)))}${bytesWord(struct)}`);
};
