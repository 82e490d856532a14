import type { DealEvent } from '../../domain/deal.ts';
import type {
  BlockHeader,
  BlockPlace,
  Candidate,
  CandidatePage,
  Judged,
  Judgement,
} from '../../domain/ports/watcher.ts';
import { logAlerts } from '../../domain/tools/observer.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { verdictOf } from '../pure/deal-state.ts';
import { readDealWords } from '../deal-words.ts';
import type { RpcError } from '../rpc/error.ts';
import { troubleAlert } from '../network-trouble.ts';
import type { Undecided, WatchRun } from './context.ts';
import { agreedDates } from './headers.ts';
import { readerOf } from './reader.ts';
import { isMisfit, keyOf, seekLogs } from './seek.ts';

/** Most payments judged in one transaction. */
const PAGE = 500;

/**
 * Judges every due payment by the word of its deal at a confirmed block. Logs only hint at what is due; the recheck
 * also judges pages of open payments without a hint. If the quorum does not agree on a word, or the diamond does not
 * respond, the payment is judged again later.
 * @param confirmed newest confirmed block
 */
export const judgeDue = async (run: WatchRun, confirmed: BlockHeader, isIdle: boolean): Promise<void> => {
  const { memory, timing, signal } = run;
  const unread: Unread[] = [];
  const wasLacked = memory.lacked !== null;
  memory.lacked = null;
  // Words that the recheck could not read are read again without a hint.
  const again = [...memory.undecided.keys()].slice(0, PAGE);
  let after: string | null = null;
  do {
    const page = await judgePage(run, confirmed, isIdle, { after, limit: PAGE, again });
    unread.push(...page.undecided);
    after = lastOf(page);
  } while (after !== null && !signal.aborted);
  // A newer block than one that the quorum lacked is due at once.
  const at = wasLacked && memory.lacked === null ? -Infinity : steadyClock.now();
  memory.judged = { at, hash: unread.length === 0 ? confirmed.hash : null };
  if (signal.aborted) return;
  memory.undecided = new Map(unread.map((candidate) => noted(run, candidate)));
  memory.isRechecked ||= isIdle;
  await alertUndecided(run, confirmed);
  if (isIdle || steadyClock.now() - memory.rechecked.at < timing.recheck) return;
  const rechecked = await judgePage(run, confirmed, isIdle, { after: memory.rechecked.after, limit: PAGE, all: true });
  memory.rechecked = { at: steadyClock.now(), after: lastOf(rechecked) };
  memory.isRechecked ||= memory.rechecked.after === null;
  memory.undecided = new Map([...memory.undecided, ...rechecked.undecided.map((candidate) => noted(run, candidate))]);
};

/** Keeps the time since when the word is unreadable. */
const noted = ({ memory }: WatchRun, { candidate: { paymentId, diamond }, refused }: Unread): [string, Undecided] => [
  paymentId,
  { since: memory.undecided.get(paymentId)?.since ?? steadyClock.now(), diamond, refused },
];

/** The last id of a full page; null after the last page. */
const lastOf = ({ candidates }: JudgedPage): string | null =>
  candidates.length < PAGE ? null : (candidates.at(-1)?.paymentId ?? null);

/** A payment whose word is unreadable, and the refusal of an endpoint, where one refused. */
interface Unread {
  readonly candidate: Candidate;
  readonly refused: RpcError | null;
}

interface JudgedPage {
  readonly candidates: readonly Candidate[];
  readonly undecided: readonly Unread[];
}

const judgePage = async (
  run: WatchRun,
  confirmed: BlockHeader,
  isIdle: boolean,
  page: CandidatePage,
): Promise<JudgedPage> => {
  const { store, lease, network, log } = run;
  const candidates = await store.candidates(lease, { ...confirmed, timestamp: dueBy(run, confirmed) }, page);
  const { judged, decided: read, refused = null } = await verdictsOf(run, confirmed, candidates);
  const misfits = read.filter(isMisfit);
  const sought = await seekLogs(run, judged, misfits);
  const { decided, dates } = await withDates(run, judged, read, sought);
  if (misfits.length > 0)
    log.warn('Logs tell other things of deals than their words', {
      network: network.name,
      block_number: judged.number,
      deals: misfits.length,
      found: sought.length,
    });
  if (decided.length > 0) run.failpoint('runWatcher:before_judge');
  // Without a decision, a judgement only closes slots, and an idle network has no open ones.
  if (decided.length > 0 || !isIdle) logAlerts(run, await store.judge(lease, { judged, decided, sought, dates }));
  if (decided.length > 0) run.failpoint('runWatcher:after_judge');
  const known = new Set(decided.map(({ candidate }) => candidate));
  const undecided = candidates.filter((candidate) => !known.has(candidate));
  return { candidates, undecided: undecided.map((candidate) => ({ candidate, refused })) };
};

/**
 * Dates the blocks of paid deals by the quorum, which has them as it has the judged one. A payment whose block it dates otherwise, or
 * not at all, waits: merchants read these dates.
 */
const withDates = async (
  run: WatchRun,
  judged: BlockHeader,
  read: readonly Judged[],
  sought: readonly DealEvent[],
): Promise<Pick<Judgement, 'decided' | 'dates'>> => {
  const blockOf = ({ candidate, verdict }: Judged): BlockPlace | null => {
    if (verdict !== 'paid') return null;
    const found = sought.find((event) => event.kind === 'paid' && keyOf(event) === keyOf(candidate));
    const place = found && { number: found.blockNumber, hash: found.blockHash };
    return place && place.number <= judged.number ? place : candidate.paidBlock;
  };
  const blocks = [...new Map(read.flatMap((one) => blockOf(one) ?? []).map((block) => [block.hash, block])).values()];
  if (run.network.quorum < 2 || blocks.length === 0) return { decided: read, dates: [] };
  const agreed = await agreedDates(run, blocks);
  const dates = blocks.flatMap(({ hash }, index) => {
    const timestamp = agreed[index];
    return timestamp === undefined ? [] : [{ hash, timestamp }];
  });
  const known = new Set<string | undefined>([undefined, ...dates.map(({ hash }) => hash)]);
  return { decided: read.filter((one) => known.has(blockOf(one)?.hash)), dates };
};

/**
 * Unix seconds up to which expiries are due. The later of block time and own clock counts, because the quorum agrees on a
 * block's time only in a judgement, and one endpoint may report a false one. A block at which everything was judged makes
 * no further payment expire.
 */
const dueBy = ({ memory }: WatchRun, { hash, timestamp }: BlockHeader): number =>
  memory.judged.hash === hash ? timestamp : Math.max(timestamp, Math.floor(Date.now() / 1_000));

interface Verdicts {
  /** With the timestamp that the quorum agrees on. */
  readonly judged: BlockHeader;
  readonly decided: readonly Judged[];
  readonly refused?: RpcError;
}

const isAsked = ({ isActive, mayLackDiamond }: Candidate): boolean => isActive || mayLackDiamond;

const verdictsOf = async (
  run: WatchRun,
  confirmed: BlockHeader,
  candidates: readonly Candidate[],
): Promise<Verdicts> => {
  if (candidates.length === 0) return { judged: confirmed, decided: [] };
  const { rpc, network, memory, signal } = run;
  const asked = candidates.filter(isAsked);
  const { timestamp, words, refused } = await readDealWords(
    { rpc, signal, quorum: network.quorum, batcher: await readerOf(run) },
    asked,
    confirmed,
  );
  if (timestamp === undefined) {
    memory.lacked = confirmed.number;
    // The disagreement may be a fork of the endpoint that reported the block.
    await rpc.compare(0, signal);
    return { judged: confirmed, decided: [], refused };
  }
  const decided = [
    ...candidates.flatMap((candidate) => (isAsked(candidate) ? [] : [{ candidate, verdict: 'absent' as const }])),
    ...asked.flatMap((candidate, index) => {
      const word = words[index];
      const verdict = word && verdictOf(word, candidate.termsHash);
      // A contract that is no diamond of this database may say anything; that there is none is no contract's word.
      return verdict === undefined || (!candidate.isActive && verdict !== 'absent') ? [] : [{ candidate, verdict }];
    }),
  ];
  return { judged: { ...confirmed, timestamp }, decided, refused };
};

/**
 * Raises an alert when words stay unreadable, and shows it on their payments. The alert names endpoints that refuse the
 * state of confirmed blocks; else too few endpoints agree, or a diamond misbehaves. An alert of an earlier run ends only
 * once this run has read the words of all open payments.
 */
const alertUndecided = async (run: WatchRun, confirmed: BlockHeader): Promise<void> => {
  const { memory, timing, store, lease } = run;
  const isUnsure = memory.isUnreadShown === null && (memory.undecided.size > 0 || !memory.isRechecked);
  const late = [...memory.undecided].filter(([, { since }]) => steadyClock.now() - since >= timing.unreadable);
  const refused = late.filter(([, own]) => own.refused !== null);
  const unreadable = late.filter(([, own]) => own.refused === null);
  const idsOf = (some: typeof late): string[] => some.map(([id]) => id);
  // Before the alert. Written each time, because a transition clears the detail of a payment.
  if (late.length > 0 || !(isUnsure || memory.isUnreadShown === false)) {
    await store.showUnread(lease, { unreadable: idsOf(unreadable), refused: idsOf(refused) });
    memory.isUnreadShown = late.length > 0;
  }
  if (memory.undecided.size === 0 ? !isUnsure : late.length > 0)
    await observeWords(run, confirmed, {
      refused: refused.map(([, own]) => own),
      unreadable: unreadable.map(([, own]) => own),
    });
};

/** The payments whose words have been unreadable for long: those whose state endpoints refuse, and all others. */
interface Late {
  readonly refused: readonly Undecided[];
  readonly unreadable: readonly Undecided[];
}

const observeWords = async (run: WatchRun, { number }: BlockHeader, { refused, unreadable }: Late): Promise<void> => {
  const { network, observed } = run;
  const words = { kind: 'words_unreadable', subject: network.id } as const;
  const message = `The words of ${unreadable.length} deals on ${network.name} cannot be read at the confirmed block, so their payments do not proceed`;
  const diamonds = [...new Set(unreadable.map(({ diamond }) => diamond))].slice(0, 10);
  await observed(
    words,
    unreadable.length === 0 ? [] : [{ ...words, message, data: { block_number: number, diamonds } }],
  );
  const history = { kind: 'endpoint_refuses', subject: network.id, cause: 'words' } as const;
  const error = refused[0]?.refused ?? null;
  await observed(history, error === null ? [] : [troubleAlert(network, 'reading', error, network.id, history.cause)]);
};
