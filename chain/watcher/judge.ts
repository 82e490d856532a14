import type { BlockHeader, Candidate, CandidatePage, Judged } from '../../domain/ports/watcher.ts';
import { logAlerts, logOver } from '../../domain/tools/alert-log.ts';
import { raiseAlert } from '../alert.ts';
import { verdictOf } from '../pure/deal-state.ts';
import { readDealWords } from '../rpc/calls.ts';
import type { Undecided, WatchRun } from './context.ts';
import { isMisfit, seekLogs } from './seek.ts';

/** Payments judged in one transaction at most. */
const PAGE = 500;

/**
 * Judges every payment with something to judge, by the word of its deal at a confirmed block; logs are only how it is
 * noticed, and now and then a page of open payments is judged without any. Where the quorum does not agree on a word, or the
 * diamond does not answer, it is judged again after a while, at the next block if there is one.
 * @param confirmed newest confirmed block
 */
export const judgeDue = async (run: WatchRun, confirmed: BlockHeader, isIdle: boolean): Promise<void> => {
  const { memory, timing, signal } = run;
  const unread: Candidate[] = [];
  // What a look at open payments could not read is read again, although nothing hints at it.
  const again = [...memory.undecided.keys()].slice(0, PAGE);
  let after: string | null = null;
  do {
    const page = await judgePage(run, confirmed, { after, limit: PAGE, again });
    unread.push(...page.undecided);
    after = lastOf(page);
  } while (after !== null && !signal.aborted);
  memory.judged = { at: Date.now(), hash: unread.length === 0 ? confirmed.hash : null };
  if (signal.aborted) return;
  memory.undecided = new Map(unread.map((candidate) => noted(run, candidate)));
  memory.isSwept ||= isIdle;
  await tellUndecided(run, confirmed);
  if (isIdle || Date.now() - memory.swept.at < timing.sweep) return;
  const swept = await judgePage(run, confirmed, { after: memory.swept.after, limit: PAGE, all: true });
  memory.swept = { at: Date.now(), after: lastOf(swept) };
  memory.isSwept ||= memory.swept.after === null;
  memory.undecided = new Map([...memory.undecided, ...swept.undecided.map((candidate) => noted(run, candidate))]);
};

/** With the time since when it could not be read. */
const noted = ({ memory }: WatchRun, { paymentId, diamond }: Candidate): [string, Undecided] => [
  paymentId,
  memory.undecided.get(paymentId) ?? { since: Date.now(), diamond },
];

/** Where the next page begins; null behind the last one. */
const lastOf = ({ candidates }: JudgedPage): string | null =>
  candidates.length < PAGE ? null : (candidates.at(-1)?.paymentId ?? null);

/** Payments that were looked at. */
interface JudgedPage {
  readonly candidates: readonly Candidate[];
  /** Those whose words could not be read. */
  readonly undecided: readonly Candidate[];
}

const judgePage = async (run: WatchRun, confirmed: BlockHeader, page: CandidatePage): Promise<JudgedPage> => {
  const { store, lease, network, log } = run;
  const candidates = await store.candidates(lease, { ...confirmed, timestamp: dueBy(run, confirmed) }, page);
  const { judged, decided } = await verdictsOf(run, confirmed, candidates);
  const misfits = decided.filter(isMisfit);
  const sought = await seekLogs(run, judged, misfits);
  if (misfits.length > 0)
    log.warn('Logs tell other things of deals than their words', {
      ...{ network: network.name, block_number: judged.number },
      ...{ deals: misfits.length, found: sought.length },
    });
  if (decided.length > 0) run.failpoint('runWatcher:before_judge');
  logAlerts(run, await store.judge(lease, { judged, decided, sought }));
  if (decided.length > 0) run.failpoint('runWatcher:after_judge');
  const known = new Set(decided.map(({ candidate }) => candidate));
  return { candidates, undecided: candidates.filter((candidate) => !known.has(candidate)) };
};

/**
 * Unix seconds by which expiries are due. By our clock too: the time of a block is agreed on only when something is judged, and
 * one endpoint may tell none. A block at which all of them were judged makes no other one expire.
 */
const dueBy = ({ memory }: WatchRun, { hash, timestamp }: BlockHeader): number =>
  memory.judged.hash === hash ? timestamp : Math.max(timestamp, Math.floor(Date.now() / 1_000));

interface Verdicts {
  /** With the time on which the quorum agrees. */
  readonly judged: BlockHeader;
  readonly decided: readonly Judged[];
}

const verdictsOf = async (
  { rpc, batcher, network: { quorum }, signal }: WatchRun,
  confirmed: BlockHeader,
  candidates: readonly Candidate[],
): Promise<Verdicts> => {
  if (candidates.length === 0) return { judged: confirmed, decided: [] };
  const active = candidates.filter(({ isActive }) => isActive);
  const { timestamp, words } = await readDealWords({ rpc, batcher, quorum, signal }, active, confirmed);
  if (timestamp === undefined) {
    // Perhaps it is we who are on a fork of our own.
    await rpc.compare(0, signal);
    return { judged: confirmed, decided: [] };
  }
  const decided = [
    ...candidates.flatMap((candidate) => (candidate.isActive ? [] : [{ candidate, verdict: 'absent' as const }])),
    ...active.flatMap((candidate, index) => {
      const word = words[index];
      return word === undefined ? [] : [{ candidate, verdict: verdictOf(word, candidate.termsHash) }];
    }),
  ];
  return { judged: { ...confirmed, timestamp }, decided };
};

const unreadable = ({ network }: WatchRun): string => `words_unreadable:${network.id}`;

/** An alert of this run, or of one before it, is over. */
const tellReadable = async (run: WatchRun): Promise<void> => {
  if (run.memory.isReadable) return;
  logOver(run, await run.store.alertOver(run.lease, unreadable(run)));
  run.memory.isReadable = true;
};

/**
 * Tells operators when words stay unreadable, and shows it on their payments: endpoints without the state of confirmed blocks, or a
 * diamond gone mad. What an earlier run has told is over when this one has read the words of all open payments, and else stays.
 */
const tellUndecided = async (run: WatchRun, { number }: BlockHeader): Promise<void> => {
  const { memory, network, timing, store, lease } = run;
  const isUnsure = memory.unreadTold === null && (memory.undecided.size > 0 || !memory.isSwept);
  if (memory.undecided.size === 0 && !isUnsure) await tellReadable(run);
  const late = [...memory.undecided].filter(([, { since }]) => Date.now() - since >= timing.unreadable);
  const ids = late.map(([id]) => id);
  const told = ids.join();
  if (told === '' && (isUnsure || memory.unreadTold === '')) return;
  // Again each time: a payment that moves meanwhile says nothing any more.
  await store.showUnread(lease, ids);
  const isNews = told !== memory.unreadTold;
  memory.unreadTold = told;
  if (told === '' || !isNews) return;
  memory.isReadable = false;
  await raiseAlert(run, {
    key: unreadable(run),
    kind: 'words_unreadable',
    message: `The words of ${late.length} deals on ${network.name} can not be read at the confirmed block, so their payments do not go on`,
    data: { block_number: number, diamonds: [...new Set(late.map(([, { diamond }]) => diamond))].slice(0, 10) },
  });
};
