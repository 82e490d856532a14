import { toBeHex } from 'ethers';
import { isBorneOut, type DealEvent } from '../../domain/deal.ts';
import type { BlockHeader, Candidate, Judged } from '../../domain/ports/watcher.ts';
import { groupBy } from '../../domain/tools/group-by.ts';
import { dealTopics, decodeDealEvent, type RawLog } from '../pure/deal-state.ts';
import { quantity, readDealWords, receiptRequest } from '../rpc/calls.ts';
import type { RpcOutcome } from '../rpc/requests.ts';
import { RpcError } from '../rpc/error.ts';
import type { WatchRun } from './context.ts';
import { readerOf } from './reader.ts';
import { blameMinority, logsOfReceipts, united, type Told } from './logs.ts';

const kinds = ['created', 'paid', 'cancelled', 'conflict'] as const;

/** Blocks older than the stored headers that are searched, as many as most providers search at once. */
const OLDER = 10_000;

/**
 * True when the word says paid and no log did, when a log said what the word does not bear out, or when too few endpoints
 * told of it.
 */
export const isMisfit = ({ candidate: { told, isUnproved }, verdict }: Judged): boolean =>
  isUnproved || (verdict === 'paid' && !told.paid) || kinds.some((kind) => told[kind] && !isBorneOut(kind, verdict));

/**
 * Looks for the logs of deals whose words and logs do not fit: by diamond and deal id on every endpoint, and for a payment
 * that none of them tells of in the receipts of the block in which the word became paid. What was told of another block than
 * the stored one of its number, or is not borne out by the word, is left out; a transaction counts where the quorum tells
 * of it, and more endpoints than of any other one.
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
  const sought = new Map(misfits.map((misfit) => [keyOf(misfit.candidate), misfit]));
  const fits = (event: DealEvent): boolean => {
    const misfit = sought.get(keyOf(event));
    const isOnChain = event.blockNumber < oldest.number || hashes.get(event.blockNumber) === event.blockHash;
    return isOnChain && !!misfit && (event.blockNumber > judged.number || isBorneOut(event.kind, misfit.verdict));
  };
  const told: Told[] = [];
  let [found, paid]: [readonly Found[], ReadonlySet<string>] = [[], new Set()];
  const take = (answers: readonly Told[]): void => {
    told.push(...answers);
    found = distinct(told).filter(({ event }) => fits(event));
    paid = new Set(found.flatMap(({ event }) => (event.kind === 'paid' ? [keyOf(event)] : [])));
  };
  const answers = await fromEverybody(run, async (endpoint) => {
    const logs: RawLog[] = [];
    for (const { candidate } of misfits) {
      logs.push(...(await logsOfRange(run, endpoint, candidate, oldest.number, judged.number)));
    }
    return logs;
  });
  blameMinority(run.rpc, answers);
  take(answers);
  // What is newer is not judged yet, but must not be lost; of blocks that are final no header is kept.
  const others = [[judged.number + 1, tip] as const, [Math.max(0, oldest.number - OLDER), oldest.number - 1] as const];
  for (const [from, to] of others) {
    const open = misfits.filter(({ candidate }) => from > judged.number || !paid.has(keyOf(candidate)));
    if (from > to || open.length === 0) continue;
    const more = await fromEverybody(run, async (endpoint) => {
      const logs = open.map(({ candidate }) => logsOfRange(run, endpoint, candidate, from, to, false));
      return (await Promise.all(logs)).flat();
    });
    take(more);
  }
  const read = new Set<string>();
  for (const { candidate, verdict } of misfits) {
    if (verdict !== 'paid' || paid.has(keyOf(candidate))) continue;
    const header = await blockOfPayment(run, candidate, headers, judged);
    if (!header || read.has(header.hash)) continue;
    read.add(header.hash);
    take(await fromEverybody(run, (endpoint) => logsOfReceipts(run, endpoint, header)));
  }
  return proved(run, found);
};

/** Logs of one deal; a range that is too large for the endpoint is halved. */
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
  // One that can not say tells nothing, and must not be compared with those that can.
  if (outcome && halves && !outcome.error.isTooMuch) throw outcome.error;
  if (!halves || from >= to) return [];
  const middle = Math.floor((from + to) / 2);
  const older = await logsOfRange(run, endpoint, candidate, from, middle);
  return [...older, ...(await logsOfRange(run, endpoint, candidate, middle + 1, to))];
};

type DealOf = Pick<DealEvent, 'diamond' | 'dealId'>;

const keyOf = ({ diamond, dealId }: DealOf): string => `${diamond}:${dealId}`;

/** An event of a deal, and how many endpoints tell it. */
interface Found {
  readonly event: DealEvent;
  readonly tellers: number;
}

const distinct = (answers: readonly Told[]): Found[] =>
  united(answers).flatMap(({ log, tellers }) => {
    const event = decodeDealEvent(log);
    return event ? [{ event, tellers: tellers.length }] : [];
  });

/**
 * Events with their transactions, where the quorum tells of them, or finds them in the transaction's receipt, and where most
 * endpoints do not tell another one of the same deal; with none where not.
 */
const proved = async ({ rpc, network, signal }: WatchRun, found: readonly Found[]): Promise<DealEvent[]> => {
  const rivals = groupBy(found, ({ event: { kind, diamond, dealId, termsHash } }) =>
    [kind, diamond, dealId, termsHash].join(),
  );
  const isClear = ([first, second]: readonly Found[]): boolean =>
    first!.tellers >= network.quorum && first!.tellers > (second?.tellers ?? 0);
  const doubtful = [...rivals.values()].flatMap((all) => (isClear(all) ? [] : all)).map(({ event }) => event);
  const receipts = doubtful.map(({ transactionHash }) => receiptRequest(transactionHash));
  const pick = (outcomes: readonly RpcOutcome[]): string[] =>
    doubtful.map((event, index) => String(isIn(event, outcomes[index])));
  const isThere = doubtful.length === 0 ? [] : await rpc.agree(receipts, network.quorum, pick, signal);
  return [...rivals.values()].map((all) => {
    const own = isClear(all) ? all[0] : all.find(({ event }) => isThere[doubtful.indexOf(event)] === 'true');
    return own?.event ?? { ...all[0]!.event, transactionHash: null };
  });
};

const isIn = (event: DealEvent, outcome: RpcOutcome | undefined): boolean => {
  const receipt = outcome?.ok ? (outcome.result as { readonly logs: readonly RawLog[] } | null) : null;
  return (receipt?.logs ?? []).some((log) => {
    const own = decodeDealEvent(log);
    return own !== null && own.kind === event.kind && own.blockHash === event.blockHash && keyOf(own) === keyOf(event);
  });
};

/** What each endpoint that is well tells; one that does not answer tells nothing. */
const fromEverybody = async (
  { rpc, network, signal }: WatchRun,
  ask: (endpoint: number) => Promise<RawLog[]>,
): Promise<Told[]> => {
  const awake = rpc.awake();
  const asked = awake.length >= Math.max(network.quorum, 2) ? awake : [...Array(rpc.endpoints).keys()];
  const answers = await Promise.allSettled(asked.map(async (endpoint) => ({ endpoint, logs: await ask(endpoint) })));
  signal.throwIfAborted();
  return answers.flatMap((answer) => {
    if (answer.status === 'fulfilled') return [answer.value];
    if (answer.reason instanceof RpcError) return [];
    throw answer.reason;
  });
};

/** The oldest stored block in which the word is paid; a block whose state is gone counts as one before it. */
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
