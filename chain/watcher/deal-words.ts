import { AbiCoder } from 'ethers';
import { groupBy } from '../../domain/group-by.ts';
import { contracts } from '../pure/contracts.ts';
import { decodeDealWord, type DealWord } from '../pure/deal-word.ts';
import type { Rpc } from '../rpc/rpc.ts';

export interface DealPlace {
  readonly diamond: string;
  readonly dealId: bigint;
}

const MAX_IDS = 500;
const NO_WORD = `0x${'0'.repeat(64)}`;

/**
 * Reads the words of deals at one block, many per call, from as many endpoints as it takes.
 * @param block number, tag or block hash object
 * @returns in the order of the deals; undefined where fewer than `quorum` endpoints agree or the block's state is gone
 */
export const readDealWords = async (
  rpc: Rpc,
  deals: readonly DealPlace[],
  block: unknown,
  quorum: number,
  signal?: AbortSignal,
): Promise<(DealWord | undefined)[]> => {
  const indexed = deals.map((deal, index) => ({ ...deal, index }));
  const parts = [...groupBy(indexed, (deal) => deal.diamond)].flatMap(([diamond, own]) =>
    Array.from({ length: Math.ceil(own.length / MAX_IDS) }, (_, part) => ({
      diamond,
      deals: own.slice(part * MAX_IDS, (part + 1) * MAX_IDS),
    })),
  );
  const requests = parts.map((part) => {
    const ids = part.deals.map((deal) => deal.dealId);
    const data = contracts.deal.interface.encodeFunctionData('dealWords', [ids]);
    return { method: 'eth_call', params: [{ to: part.diamond, data }, block] };
  });
  const answers = await rpc.agree(requests, quorum, (result) => result as string, signal);
  const words: (DealWord | undefined)[] = deals.map(() => undefined);
  parts.forEach((part, index) => {
    const answer = answers[index];
    if (answer === undefined) return;
    // Without code there is no diamond, hence no deal.
    const own = answer === '0x' ? null : (AbiCoder.defaultAbiCoder().decode(['bytes32[]'], answer)[0] as string[]);
    part.deals.forEach((deal, i) => (words[deal.index] = decodeDealWord(own?.[i] ?? NO_WORD)));
  });
  return words;
};
