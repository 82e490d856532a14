import { toBeHex } from 'ethers';
import { isConsistent, type DealEvent } from '../../domain/deal.ts';
import type { BlockHeader, Candidate, Judged } from '../../domain/ports/watcher.ts';
import { dealTopics, decodeDealEvent, type RawLog } from '../pure/deal-state.ts';
import { readDealWords } from '../deal-words.ts';
import { quantity, receiptRequest } from '../rpc/calls.ts';
import { RpcError } from '../rpc/error.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import type { WatchRun } from './context.ts';
import { demoteMinority, logsOfReceipts, united, type Told } from './logs.ts';
import { readerOf } from './reader.ts';

const kinds = ['created', 'paid', 'cancelled', 'conflict'] as const;

/** Number of blocks before the stored headers that are searched; most providers accept this range. */
const OLDER = 10_000;

/** True when the word says paid and no log did, when the word contradicts a log, or when too few endpoints reported a log. */
export const isMisfit = ({ candidate: { told, isUnproved }, verdict }: Judged): boolean =>
  isUnproved || (verdict === 'paid' && !told.paid) || kinds.some((kind) => told[kind] && !isConsistent(kind, verdict));

/**
 * Finds the logs of misfits by three searches: in the stored blocks up to the judged one, in newer and in final blocks,
 * and in receipts. Only payments that are still unexplained are sought in final blocks and receipts. Drops logs of
 * blocks that are not the stored ones, and logs that the word contradicts. An event keeps its transaction hash where the
 * quorum reports it, and more endpoints than any other.
 */
export const seekLogs = async (
  run: WatchRun,
  judged: BlockHeader,
  misfits: readonly Judged[],
): Promise<DealEvent[]> => {
  const search = misfits.length === 0 ? null : await beginSearch(run, judged, misfits);
  if (search === null) return [];
  const stored = await searchStoredBlocks(search);
  const beyond = await searchBeyond(search, stored);
  const receipts = await searchReceipts(search, [...stored, ...beyond]);
  return proved(run, foundIn(search, [...stored, ...beyond, ...receipts]));
};

interface Search {
  readonly run: WatchRun;
  readonly judged: BlockHeader;
  readonly misfits: readonly Judged[];
  /** Stored headers from the cursor back to the network's finality, newest first. */
  readonly headers: readonly BlockHeader[];
  readonly oldest: BlockHeader;
  readonly tip: number;
  /** The event belongs to a misfit and a stored block, and its word does not contradict it. */
  readonly fits: (event: DealEvent) => boolean;
}

/** @returns null while no header is stored */
const beginSearch = async (run: WatchRun, judged: BlockHeader, misfits: readonly Judged[]): Promise<Search | null> => {
  const { store, lease, network } = run;
  const tip = (await store.cursor(lease))?.number ?? judged.number;
  const headers = await store.headers(lease, judged.number - network.finality, tip);
  const oldest = headers.at(-1);
  if (oldest === undefined) return null;
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]));
  const sought = new Map(misfits.map((misfit) => [keyOf(misfit.candidate), misfit]));
  const fits = (event: DealEvent): boolean => {
    const misfit = sought.get(keyOf(event));
    const isOnChain = event.blockNumber < oldest.number || hashes.get(event.blockNumber) === event.blockHash;
    return isOnChain && !!misfit && (event.blockNumber > judged.number || isConsistent(event.kind, misfit.verdict));
  };
  return { run, judged, misfits, headers, oldest, tip, fits };
};

/** First search: asks every endpoint for the logs of each deal in the stored blocks up to the judged one. */
const searchStoredBlocks = async ({ run, judged, misfits, oldest }: Search): Promise<Told[]> => {
  const told = await fromPreferred(run, async (endpoint) => {
    const logs: RawLog[] = [];
    for (const { candidate } of misfits) {
      logs.push(...(await logsOfRange(run, endpoint, candidate, oldest.number, judged.number)));
    }
    return logs;
  });
  demoteMinority(run.rpc, told);
  return told;
};

/**
 * Second search: the same in newer blocks, which are not judged yet but whose logs must not be lost; then, for payments that are
 * still unexplained, in final blocks, of which no header is stored.
 */
const searchBeyond = async (search: Search, known: readonly Told[]): Promise<Told[]> => {
  const { judged, misfits, oldest, tip } = search;
  const newer = await searchRange(search, misfits, judged.number + 1, tip);
  const paid = paidIn(search, [...known, ...newer]);
  const open = misfits.filter(({ candidate }) => !paid.has(keyOf(candidate)));
  const older = await searchRange(search, open, Math.max(0, oldest.number - OLDER), oldest.number - 1);
  return [...newer, ...older];
};

/** Third search: the receipts of the block in which the word of a payment became paid, for payments that no log explains. */
const searchReceipts = async (search: Search, known: readonly Told[]): Promise<Told[]> => {
  const { run, judged, misfits, headers } = search;
  const told: Told[] = [];
  const read = new Set<string>();
  let paid = paidIn(search, known);
  for (const { candidate, verdict } of misfits) {
    if (verdict !== 'paid' || paid.has(keyOf(candidate))) continue;
    const header = await blockOfPayment(run, candidate, headers, judged);
    if (!header || read.has(header.hash)) continue;
    read.add(header.hash);
    told.push(...(await fromPreferred(run, (endpoint) => logsOfReceipts(run, endpoint, header))));
    paid = paidIn(search, [...known, ...told]);
  }
  return told;
};

/** Logs of these deals in a range, by one request a deal: an endpoint that refuses the range reports nothing. */
const searchRange = async (
  { run }: Search,
  misfits: readonly Judged[],
  from: number,
  to: number,
): Promise<readonly Told[]> => {
  if (from > to || misfits.length === 0) return [];
  return fromPreferred(run, async (endpoint) => {
    const logs = misfits.map(({ candidate }) => logsOfRange(run, endpoint, candidate, from, to, false));
    return (await Promise.all(logs)).flat();
  });
};

/** Logs of one deal. A range that is too large for the endpoint is halved. */
const logsOfRange = async (
  run: WatchRun,
  endpoint: number,
  candidate: Candidate,
  from: number,
  to: number,
  halves = true,
): Promise<RawLog[]> => {
  const { rpc, signal } = run;
  const filter = {
    address: candidate.diamond,
    topics: [dealTopics, toBeHex(candidate.dealId, 32)],
    fromBlock: quantity(from),
    toBlock: quantity(to),
  };
  const [outcome] = (await rpc.batch([{ method: 'eth_getLogs', params: [filter] }], { endpoint, signal })).outcomes;
  if (outcome?.ok) return outcome.result as RawLog[];
  // An endpoint that cannot respond reports nothing, and must not be compared with those that can.
  if (outcome && halves && !outcome.error.isTooMuch) throw outcome.error;
  if (!halves || from >= to) return [];
  const middle = Math.floor((from + to) / 2);
  const older = await logsOfRange(run, endpoint, candidate, from, middle);
  return [...older, ...(await logsOfRange(run, endpoint, candidate, middle + 1, to))];
};

type DealOf = Pick<DealEvent, 'diamond' | 'dealId'>;

export const keyOf = ({ diamond, dealId }: DealOf): string => `${diamond}:${dealId}`;

/** An event of a deal, and the number of endpoints that report it. */
interface Found {
  readonly event: DealEvent;
  readonly tellers: number;
}

/** The distinct events of misfits in these logs. */
const foundIn = ({ fits }: Search, told: readonly Told[]): Found[] =>
  united(told).flatMap(({ log, tellers }) => {
    const event = decodeDealEvent(log);
    return event && fits(event) ? [{ event, tellers: tellers.length }] : [];
  });

/** Keys of the deals whose payment these logs explain. */
const paidIn = (search: Search, told: readonly Told[]): ReadonlySet<string> =>
  new Set(foundIn(search, told).flatMap(({ event }) => (event.kind === 'paid' ? [keyOf(event)] : [])));

/**
 * Keeps the transaction hash of an event where the quorum reports it, or finds it in the transaction's receipt, unless most
 * endpoints report another event of the same deal. All other events lose their transaction hash.
 */
const proved = async ({ rpc, network, signal }: WatchRun, found: readonly Found[]): Promise<DealEvent[]> => {
  const rivals = Map.groupBy(found, ({ event: { kind, diamond, dealId, termsHash } }) =>
    [kind, diamond, dealId, termsHash].join(),
  );
  const isClear = ([first, second]: readonly Found[]): boolean =>
    first!.tellers >= network.quorum && first!.tellers > (second?.tellers ?? 0);
  const doubtful = [...rivals.values()].flatMap((all) => (isClear(all) ? [] : all)).map(({ event }) => event);
  const receipts = doubtful.map(({ transactionHash }) => receiptRequest(transactionHash));
  const pick = (outcomes: readonly RpcOutcome[]): (string | undefined)[] =>
    doubtful.map((event, index) => isIn(event, outcomes[index])?.toString());
  const isThere = doubtful.length === 0 ? [] : await rpc.agree(receipts, network.quorum, pick, signal);
  return [...rivals.values()].map((all) => {
    const own = isClear(all) ? all[0] : all.find(({ event }) => isThere[doubtful.indexOf(event)] === 'true');
    return own?.event ?? { ...all[0]!.event, transactionHash: null };
  });
};

/** Whether an event is in the receipt of its transaction; undefined without a receipt, which may be late or refused. */
const isIn = (event: DealEvent, outcome: RpcOutcome | undefined): boolean | undefined => {
  const receipt = outcome?.ok ? (outcome.result as { readonly logs: readonly RawLog[] } | null) : null;
  return receipt?.logs.some((log) => {
    const own = decodeDealEvent(log);
    return own !== null && own.kind === event.kind && own.blockHash === event.blockHash && keyOf(own) === keyOf(event);
  });
};

/** The logs that each endpoint reports that is not demoted, or each of all where those are too few for the quorum. Silent ones are left out. */
const fromPreferred = async (
  { rpc, network, signal }: WatchRun,
  ask: (endpoint: number) => Promise<RawLog[]>,
): Promise<Told[]> => {
  const preferred = rpc.preferred();
  const asked = preferred.length >= Math.max(network.quorum, 2) ? preferred : [...Array(rpc.endpoints).keys()];
  const responses = await Promise.allSettled(asked.map(async (endpoint) => ({ endpoint, logs: await ask(endpoint) })));
  signal.throwIfAborted();
  return responses.flatMap((response) => {
    if (response.status === 'fulfilled') return [response.value];
    if (response.reason instanceof RpcError) return [];
    throw response.reason;
  });
};

/** The oldest stored block in which the word is paid, by binary search. A block whose state is pruned counts as unpaid. */
const blockOfPayment = async (
  run: WatchRun,
  candidate: Candidate,
  headers: readonly BlockHeader[],
  judged: BlockHeader,
): Promise<BlockHeader | undefined> => {
  const { rpc, network, signal } = run;
  const reader = { rpc, signal, quorum: network.quorum, batcher: await readerOf(run) };
  const blocks = headers.filter(({ number }) => number <= judged.number).reverse();
  let low = 0;
  let high = blocks.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { words } = await readDealWords(reader, [candidate], blocks[middle]!);
    if (words[0]?.status === 'paid') high = middle;
    else low = middle + 1;
  }
  return blocks[high];
};
