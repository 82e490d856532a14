import { toBeHex } from 'ethers';
import { isBornOut, type DealEvent } from '../../domain/deal.ts';
import type { BlockHeader, Candidate, Judged } from '../../domain/ports/watcher.ts';
import { dealTopics, decodeDealEvent, type RawLog } from '../pure/deal-state.ts';
import { quantity, readDealWords } from '../rpc/calls.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcError } from '../rpc/error.ts';
import type { WatchRun } from './context.ts';
import { logsOfReceipts, united } from './logs.ts';

const kinds = ['created', 'paid', 'cancelled', 'conflict'] as const;

/** Blocks older than the stored headers that are searched, as many as most providers search at once. */
const OLDER = 10_000;

/** True when the word says paid and no log did, or when a log said what the word does not bear out. */
export const isMisfit = ({ candidate: { told }, verdict }: Judged): boolean =>
  (verdict === 'paid' && !told.paid) || kinds.some((kind) => told[kind] && !isBornOut(kind, verdict));

/**
 * Looks for the logs of deals whose words and logs do not fit: by diamond and deal id on every endpoint, and for a payment
 * that none of them tells of in the receipts of the block in which the word became paid. What was told of another block than
 * the stored one of its number, or is not borne out by the word, is left out.
 */
export const seekLogs = async (
  run: WatchRun,
  judged: BlockHeader,
  misfits: readonly Judged[],
): Promise<DealEvent[]> => {
  if (misfits.length === 0) return [];
  const { store, lease, network } = run;
  const tip = (await store.cursor(lease))?.number ?? judged.number;
  const headers = await store.headers(lease, judged.number - network.finality, tip);
  const oldest = headers.at(-1);
  if (oldest === undefined) return [];
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]));
  const fits = (event: DealEvent): boolean =>
    (event.blockNumber < oldest.number || hashes.get(event.blockNumber) === event.blockHash) &&
    misfits.some(
      ({ candidate, verdict }) =>
        isOf(event, candidate) && (event.blockNumber > judged.number || isBornOut(event.kind, verdict)),
    );
  const requests = misfits.flatMap(({ candidate }) => [
    logsRequest(candidate, oldest.number, tip),
    // Of blocks that are final no header is kept; some providers refuse so many.
    logsRequest(candidate, Math.max(0, oldest.number - OLDER), Math.max(0, oldest.number - 1)),
  ]);
  const events = (await askEverybody(run, requests)).filter(fits);
  for (const { candidate, verdict } of misfits) {
    const isTold = (): boolean =>
      events.some(
        (event) => event.kind === 'paid' && isOf(event, candidate) && event.termsHash === candidate.termsHash,
      );
    if (verdict !== 'paid' || candidate.told.paid || isTold()) continue;
    const header = await blockOfPayment(run, candidate, headers, judged);
    for (let endpoint = 0; header && endpoint < run.rpc.endpoints && !isTold(); endpoint += 1) {
      events.push(...(await eventsOfReceipts(run, endpoint, header)).filter(fits));
    }
  }
  return events;
};

const logsRequest = ({ diamond, dealId }: Candidate, from: number, to: number): RpcRequest => ({
  method: 'eth_getLogs',
  params: [
    {
      address: diamond,
      topics: [dealTopics, toBeHex(dealId, 32)],
      fromBlock: quantity(from),
      toBlock: quantity(to),
    },
  ],
});

const isOf = (event: DealEvent, { diamond, dealId }: Candidate): boolean =>
  event.diamond === diamond && event.dealId === dealId;

const decoded = (logs: readonly RawLog[]): DealEvent[] => logs.flatMap((log) => decodeDealEvent(log) ?? []);

const askEverybody = async ({ rpc, signal }: WatchRun, requests: readonly RpcRequest[]): Promise<DealEvent[]> => {
  const answers = await Promise.allSettled(
    Array.from({ length: rpc.endpoints }, (_, endpoint) => rpc.batch(requests, { endpoint, signal })),
  );
  const told = answers.map((answer) =>
    answer.status === 'fulfilled'
      ? answer.value.outcomes.flatMap((outcome) =>
          outcome.ok && Array.isArray(outcome.result) ? (outcome.result as RawLog[]) : [],
        )
      : [],
  );
  return decoded(united(told));
};

/** The oldest stored block in which the word is paid; a block whose state is gone counts as one before it. */
const blockOfPayment = async (
  { rpc, batcher, network: { quorum }, signal }: WatchRun,
  candidate: Candidate,
  headers: readonly BlockHeader[],
  judged: BlockHeader,
): Promise<BlockHeader | undefined> => {
  const blocks = headers.filter(({ number }) => number <= judged.number).reverse();
  let low = 0;
  let high = blocks.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [word] = await readDealWords({ rpc, batcher, quorum, signal }, [candidate], {
      blockHash: blocks[middle]!.hash,
    });
    if (word?.status === 'paid') high = middle;
    else low = middle + 1;
  }
  return blocks[high];
};

const eventsOfReceipts = async (
  { rpc, signal }: WatchRun,
  endpoint: number,
  header: BlockHeader,
): Promise<DealEvent[]> => {
  try {
    return decoded(await logsOfReceipts(rpc, endpoint, header, signal));
  } catch (error) {
    if (error instanceof RpcError) return [];
    throw error;
  }
};
