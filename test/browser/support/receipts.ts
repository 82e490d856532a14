import { rpc } from '../../../tools/stack/chain.ts';
import { eventually } from '../../support/eventually.ts';

/** The part of a receipt that these tests read. */
export interface Receipt {
  readonly transactionHash: string;
  readonly contractAddress: string | null;
}

/**
 * Waits until a transaction is mined.
 * @throws Error when it has failed
 */
export const receiptOf = async (url: string, hash: string): Promise<Receipt> => {
  type Mined = Receipt & { readonly status: string };
  const receipt = await eventually(async () => (await rpc(url, 'eth_getTransactionReceipt', [hash])) as Mined | null);
  if (receipt.status !== '0x1') throw new Error(`transaction ${hash} failed`);
  return receipt;
};
