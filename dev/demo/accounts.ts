import { ethers } from 'ethers';
import { devMnemonic } from '../stack/chain.ts';

/** A key of the development chains. It holds coins of these chains only. */
export interface DevAccount {
  address: string;
  privateKey: string;
}

function account(index: number): DevAccount {
  const { address, privateKey } = ethers.HDNodeWallet.fromPhrase(devMnemonic, undefined, `m/44'/60'/0'/0/${index}`);
  return { address, privateKey };
}

/** Who is who on the development chains; all are funded there. */
export const devAccounts = {
  root: account(0),
  upgrader: account(1),
  operator: account(2),
  guardian: account(3),
  /** Pays in the demo, and gives to whoever asks the faucet. */
  buyer: account(9),
};
