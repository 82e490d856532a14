import type { DealEvent } from '../../domain/deal.ts';
import type { BlockHeader } from '../../domain/ports/watcher.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { dealTopics, decodeDealEvent, type RawLog } from '../pure/deal-state.ts';
import { controlTopics, cutTopic, decodeRegistryEvent, type RegistryEvent } from '../pure/registry-events.ts';
import { byNumber, isMost, quantity, receiptRequest } from '../rpc/calls.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from '../rpc/requests.ts';
import { RpcError } from '../rpc/error.ts';
import { worst } from '../rpc/failover.ts';
import type { WatchRun } from './context.ts';
import { requireUncontested } from './fork.ts';

/** The logs of new blocks. */
export interface BlockLogs {
  /** Events of deals on any contract. */
  readonly deals: readonly DealEvent[];
  /** Events of the network's registry. */
  readonly registry: readonly RegistryEvent[];
  /** Cuts of any contract, not decoded: only the store knows whose they are, and their length is unbounded. */
  readonly cuts: readonly RawLog[];
}

/** Logs as one endpoint reports them. */
export interface Told {
  readonly endpoint: number;
  readonly logs: readonly RawLog[];
}

/** A log, and the endpoints that report it. */
interface ToldLog {
  readonly log: RawLog;
  readonly tellers: readonly number[];
}

const topics = [...dealTopics, ...controlTopics];

/** Requests the logs of a block by its hash, so that an endpoint without this block fails. */
export const logsRequest = ({ hash }: Pick<BlockHeader, 'hash'>): RpcRequest => ({
  method: 'eth_getLogs',
  params: [{ blockHash: hash, topics: [topics] }],
});

/**
 * Reads the events of deals, registry and cuts in blocks: from two endpoints or as many as the quorum, and from all
 * endpoints where those differ. The result unites all reports. A transaction hash counts only where most of the asked
 * endpoints report it.
 * @throws RpcError when no endpoint has a block's logs now
 */
export const readLogs = async (run: WatchRun, headers: readonly BlockHeader[]): Promise<BlockLogs> => {
  if (headers.length === 0) return sorted(run, []);
  const { rpc, network } = run;
  const wanted = Math.max(network.quorum, 2);
  const all = Array.from({ length: rpc.endpoints }, (_, index) => index);
  const waiting = [...rpc.preferred()];
  const responses: Told[] = [];
  let failure: RpcError | undefined;
  for (;;) {
    if (waiting.length === 0 && responses.length === 0) waiting.push(...all.splice(0));
    if (waiting.length === 0 || (responses.length >= wanted && !differ(responses))) break;
    const asked = waiting.splice(0, Math.max(1, wanted - responses.length));
    for (const response of await Promise.allSettled(asked.map((endpoint) => logsFrom(run, endpoint, headers)))) {
      if (response.status === 'fulfilled') responses.push(response.value);
      else failure = worst(failure, response.reason);
    }
  }
  if (responses.length === 0) throw failure!;
  if (responses.length < Math.min(wanted, rpc.endpoints)) await requireUncontested(run, headers, responses);
  demoteMinority(rpc, responses);
  const isProved = ({ tellers }: ToldLog): boolean => isMost(tellers.length, responses.length, network.quorum);
  return sorted(run, united(responses), isProved);
};

/** Demotes endpoints that report or omit a log against the majority of three or more. */
export const demoteMinority = (rpc: WatchRun['rpc'], responses: readonly Told[]): void => {
  if (responses.length < 3) return;
  const told = united(responses);
  for (const { endpoint } of responses) {
    const differs = told.some(({ tellers }) => tellers.includes(endpoint) !== tellers.length * 2 > responses.length);
    if (differs) rpc.demote(endpoint, 'reports other logs than the others');
  }
};

/**
 * True when the endpoint responded to all requests for these blocks and reported no log. A log that it does report
 * counts only after several endpoints were asked.
 */
export const isQuiet = (headers: readonly BlockHeader[], outcomes: readonly RpcOutcome[]): boolean =>
  headers.every((_, index) => {
    const outcome = outcomes[index];
    return outcome?.ok === true && (outcome.result as RawLog[]).length === 0;
  });

const differ = (responses: readonly Told[]): boolean =>
  united(responses).some(({ tellers }) => tellers.length < responses.length);

/** Each distinct log once: those of most endpoints first, then by block and log index. */
export const united = (responses: readonly Told[]): ToldLog[] => {
  const all = responses.flatMap(({ endpoint, logs }) => logs.map((log) => ({ endpoint, log })));
  const told = Map.groupBy(all, ({ log: { blockHash, transactionHash, logIndex, address, topics: own, data } }) =>
    [blockHash, transactionHash, Number(logIndex), address, ...own, data].join().toLowerCase(),
  );
  return [...told.values()]
    .map((same) => ({ log: same[0]!.log, tellers: [...new Set(same.map(({ endpoint }) => endpoint))] }))
    .sort(
      ({ log: a, tellers: some }, { log: b, tellers: others }) =>
        others.length - some.length ||
        Number(a.blockNumber) - Number(b.blockNumber) ||
        Number(a.logIndex) - Number(b.logIndex),
    );
};

const sorted = (
  { registry, memory }: WatchRun,
  told: readonly ToldLog[],
  isProved: (one: ToldLog) => boolean = () => false,
): BlockLogs => {
  const found = { deals: [] as DealEvent[], registry: [] as RegistryEvent[], cuts: [] as RawLog[] };
  for (const one of told) {
    const { log } = one;
    const deal = decodeDealEvent(log);
    // Anybody can emit the same topics, so logs of other contracts are not decoded.
    const change = deal === null && log.address.toLowerCase() === registry ? decodeRegistryEvent(log) : null;
    if (deal) found.deals.push(isProved(one) ? deal : { ...deal, transactionHash: null });
    // Only the quorum says whether the registry is paused; an event of too few endpoints makes the watcher ask.
    else if (change?.name === 'PausedSet' && !isProved(one)) memory.isPauseKnown = false;
    else if (change) found.registry.push(change);
    else if (log.topics[0] === cutTopic) found.cuts.push(log);
  }
  return found;
};

const logsFrom = async (run: WatchRun, endpoint: number, headers: readonly BlockHeader[]): Promise<Told> => {
  const { rpc, memory, signal } = run;
  const logs: RawLog[] = [];
  const outcomes: RpcOutcome[] = [];
  for (const [index, header] of headers.entries()) {
    if (index === outcomes.length) {
      const asked = headers.slice(index, index + memory.span).map(logsRequest);
      outcomes.push(...(await rpc.batch(asked, { endpoint, signal })).outcomes);
    }
    const outcome = outcomes[index];
    const isTooMuch = outcome?.ok === false && outcome.error.isTooMuch;
    const found = isTooMuch ? await logsOfReceipts(run, endpoint, header) : (resultOf(outcome) as RawLog[]);
    logs.push(...placed(header, found));
  }
  return { endpoint, logs };
};

/** Sets the block of the request. A false block number would put the log beyond every judgement. */
const placed = (header: BlockHeader, logs: readonly RawLog[]): RawLog[] =>
  logs.map((log) => ({ ...log, blockHash: header.hash, blockNumber: quantity(header.number) }));

interface WireReceipt {
  readonly blockHash: string;
  readonly logs: readonly RawLog[];
}

/**
 * Bounds of reading receipts one by one: transactions of a block (no network has as many), receipts in one request,
 * milliseconds in all.
 */
const receiptBounds = { transactions: 20_000, atOnce: 100, ms: 30_000 };

const wantedOf = (receipts: readonly WireReceipt[]): RawLog[] =>
  receipts.flatMap(({ logs }) => logs.filter((log) => topics.includes(log.topics[0] ?? '')));

/**
 * The relevant logs of all receipts of a block, because the number of all logs is unbounded. Reads receipts one by one
 * where the endpoint does not serve those of a whole block.
 * @throws RpcError
 */
export const logsOfReceipts = async (run: WatchRun, endpoint: number, header: BlockHeader): Promise<RawLog[]> => {
  const { rpc, signal } = run;
  const whole = { method: 'eth_getBlockReceipts', params: [header.hash] };
  const [receipts] = (await rpc.batch([whole], { endpoint, signal })).outcomes;
  if (receipts?.ok && receipts.result !== null) return wantedOf(receipts.result as readonly WireReceipt[]);
  const transactions = await transactionsOf(run, endpoint, header);
  const until = steadyClock.now() + receiptBounds.ms;
  const logs: RawLog[] = [];
  for (let from = 0; from < transactions.length; from += receiptBounds.atOnce) {
    if (steadyClock.now() > until)
      throw new RpcError('timeout', `the receipts of block ${header.number} take too long`);
    const asked = transactions.slice(from, from + receiptBounds.atOnce).map(receiptRequest);
    const { outcomes } = await rpc.batch(asked, { endpoint, signal });
    const found = outcomes.map((outcome) => resultOf(outcome) as WireReceipt | null);
    const isWhole = found.every((receipt) => receipt?.blockHash.toLowerCase() === header.hash);
    if (!isWhole) throw new RpcError('inconsistent', `not all receipts of block ${header.number}`);
    logs.push(...wantedOf(found as WireReceipt[]));
  }
  return logs;
};

/** Hashes of a block's transactions. */
const transactionsOf = async (
  { rpc, signal }: WatchRun,
  endpoint: number,
  { number, hash }: BlockHeader,
): Promise<readonly string[]> => {
  const [outcome] = (await rpc.batch([byNumber(number)], { endpoint, signal })).outcomes;
  const block = resultOf(outcome) as { readonly hash: string; readonly transactions?: readonly string[] } | null;
  const transactions = block?.hash.toLowerCase() === hash ? block.transactions : undefined;
  if (!transactions || transactions.length > receiptBounds.transactions)
    throw new RpcError('inconsistent', `no receipts of block ${number}`);
  return transactions;
};
