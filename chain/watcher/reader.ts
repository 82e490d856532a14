import { batchersOf } from '../pure/platform.ts';
import { agreedCodes } from '../rpc/calls.ts';
import type { WatchRun } from './context.ts';

/**
 * Address of the batcher that reads the words of deals: the oldest that the quorum finds deployed, because a newer one does
 * not exist in older blocks. Without any it is the newest, which the network's preparation deploys.
 * @throws RpcError when no endpoint responds, or too few agree
 */
export const readerOf = async ({ rpc, network, memory }: WatchRun): Promise<string> => {
  if (memory.reader !== null) return memory.reader;
  const addresses = batchersOf(network.platform).map(({ address }) => address);
  const found = await agreedCodes(rpc, network.quorum, addresses);
  const there = addresses.filter((_, index) => found[index] !== '0x');
  memory.reader = there.at(-1) ?? null;
  return memory.reader ?? addresses[0]!;
};
