import { ethers } from 'ethers';
import { localPlatformId } from '../../domain/platform.ts';
import { devMnemonic } from './chain.ts';

/** A key of the development chains. It holds coins of these chains only. */
export interface DevAccount {
  readonly address: string;
  readonly privateKey: string;
}

const account = (index: number): DevAccount => {
  const { address, privateKey } = ethers.HDNodeWallet.fromPhrase(devMnemonic, undefined, `m/44'/60'/0'/0/${index}`);
  return { address, privateKey };
};

/** The accounts of the development chains; all are funded there. */
export const devAccounts = {
  root: account(0),
  upgrader: account(1),
  operator: account(2),
  guardian: account(3),
  /** Offers deals by signatures. */
  signer: account(4),
  /** Pays in the demo. */
  buyer: account(9),
};

/** The platform of the development chains. Its approval delay is 0, so that updates can be tried. */
export const devPlatform = {
  firstRoot: devAccounts.root.address.toLowerCase(),
  id: localPlatformId,
  approvalDelay: 0n,
};
