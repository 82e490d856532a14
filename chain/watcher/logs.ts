import type { DealEvent } from '../../domain/deal.ts';
import type { BlockHeader } from '../../domain/ports/watcher.ts';
import { groupBy } from '../../domain/tools/group-by.ts';
import { dealTopics, decodeDealEvent, type RawLog } from '../pure/deal-state.ts';
import { controlTopics, cutTopic, decodeRegistryEvent, type RegistryEvent } from '../pure/registry-events.ts';
import { quantity } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome } from '../rpc/endpoint.ts';
import { RpcError } from '../rpc/error.ts';
import type { Scan, WatchRun } from './context.ts';

interface WireReceipt {
  readonly blockHash: string;
  readonly logs: readonly RawLog[];
}

/** What the logs of new blocks tell. */
export interface BlockLogs {
  /** Of any contract. */
  readonly deals: readonly DealEvent[];
  /** Of the network's registry. */
  readonly registry: readonly RegistryEvent[];
  /** Cuts of any contract, not decoded: whose they are is known in the store, and their length has no bound. */
  readonly cuts: readonly RawLog[];
}

const topics = [...dealTopics, ...controlTopics];

/**
 * Reads the events of deals, of the registry and of cuts in new blocks, by block hash: an endpoint can not answer for another
 * block, and says so when it does not have this one. The endpoint that gave the headers must answer; with a quorum above 1
 * others that answer are asked as well, and what any of them tells is united.
 * @throws RpcError when a block's logs can not be had now
 */
export const readLogs = async (run: WatchRun, { endpoint, headers }: Scan): Promise<BlockLogs> => {
  const found = { deals: [] as DealEvent[], registry: [] as RegistryEvent[], cuts: [] as RawLog[] };
  if (headers.length === 0) return found;
  const answers = [await logsFrom(run, endpoint, headers)];
  for (const other of run.rpc.awake()) {
    if (answers.length >= run.network.quorum) break;
    if (other === endpoint) continue;
    try {
      answers.push(await logsFrom(run, other, headers));
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind === 'aborted') throw error;
    }
  }
  for (const log of united(answers)) {
    const deal = decodeDealEvent(log);
    // Anybody emits the same topics as often as they pay for; of theirs nothing is decoded.
    const change = deal === null && log.address.toLowerCase() === run.registry ? decodeRegistryEvent(log) : null;
    if (deal) found.deals.push(deal);
    else if (change) found.registry.push(change);
    else if (log.topics[0] === cutTopic) found.cuts.push(log);
  }
  return found;
};

/** Each log that endpoints tell once; first what most of them tell, then by block and log index. */
export const united = (answers: readonly (readonly RawLog[])[]): readonly RawLog[] => {
  if (answers.length === 1) return answers[0] ?? [];
  const told = groupBy(answers.flat(), ({ blockHash, transactionHash, logIndex, address, topics: own, data }) =>
    [blockHash, transactionHash, Number(logIndex), address, ...own, data].join().toLowerCase(),
  );
  return [...told.values()]
    .sort(
      (a, b) =>
        b.length - a.length ||
        Number(a[0]?.blockNumber) - Number(b[0]?.blockNumber) ||
        Number(a[0]?.logIndex) - Number(b[0]?.logIndex),
    )
    .flatMap(([log]) => log ?? []);
};

const logsFrom = async (
  { rpc, signal }: WatchRun,
  endpoint: number,
  headers: readonly BlockHeader[],
): Promise<RawLog[]> => {
  const { outcomes } = await rpc.batch(
    headers.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash, topics: [topics] }] })),
    { endpoint, signal },
  );
  const logs: RawLog[] = [];
  for (const [index, header] of headers.entries()) {
    const outcome = outcomes[index];
    const found = isTooMany(outcome) ? await logsOfReceipts(rpc, endpoint, header, signal) : logsOf(outcome, header);
    // An endpoint that names another block than it was asked for would put it beyond every judgement.
    const place = { blockHash: header.hash, blockNumber: quantity(header.number) };
    logs.push(...found.map((log) => ({ ...log, ...place })));
  }
  return logs;
};

/** Providers bound the length of an answer; the receipts of one block are not bounded. */
const isTooMany = (outcome: RpcOutcome | undefined): boolean =>
  outcome !== undefined &&
  !outcome.ok &&
  outcome.error.kind === 'rejected' &&
  /more than \d+|too many|limit exceeded|response size|exceeds? (the )?max/i.test(outcome.error.message);

const logsOf = (outcome: RpcOutcome | undefined, header: BlockHeader): readonly RawLog[] => {
  const logs = resultOf(outcome) as RawLog[];
  // Anything else would be written under the wrong block.
  if (!Array.isArray(logs) || logs.some((log) => log.blockHash.toLowerCase() !== header.hash || log.removed === true)) {
    throw new RpcError('malformed', `logs of another block than ${header.number}`);
  }
  return logs;
};

/**
 * The logs of all receipts of a block.
 * @throws RpcError
 */
export const logsOfReceipts = async (
  rpc: WatchRun['rpc'],
  endpoint: number,
  header: BlockHeader,
  signal: AbortSignal,
): Promise<readonly RawLog[]> => {
  const receipts = (await rpc.call('eth_getBlockReceipts', [header.hash], { endpoint, signal })) as
    readonly WireReceipt[] | null;
  if (receipts === null || receipts.some((receipt) => receipt.blockHash.toLowerCase() !== header.hash)) {
    throw new RpcError('malformed', `no receipts of block ${header.number}`);
  }
  return receipts.flatMap((receipt) => receipt.logs);
};
