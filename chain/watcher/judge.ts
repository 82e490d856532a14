import type { BlockHeader, Candidate, Judged } from '../../domain/ports/watcher.ts';
import { logAlerts } from '../alert.ts';
import { verdictOf } from '../pure/deal-state.ts';
import { readDealWords } from '../rpc/calls.ts';
import type { WatchRun } from './context.ts';
import { isMisfit, seekLogs } from './seek.ts';

/** Payments judged in one transaction at most. */
const PAGE = 500;

/**
 * Judges every payment with something to judge, by the word of its deal at a confirmed block; logs are only how it is
 * noticed. Where the quorum does not agree on a word, or the diamond does not answer, it is judged at the next block.
 * @param judged newest confirmed block
 */
export const judgeDue = async (run: WatchRun, judged: BlockHeader): Promise<void> => {
  const { store, lease, signal } = run;
  let after: string | null = null;
  do {
    const page: Candidate[] = await store.candidates(lease, judged, after, PAGE);
    const decided = await verdictsOf(run, judged, page);
    const sought = await seekLogs(run, judged, decided.filter(isMisfit));
    if (decided.length > 0) run.failpoint('runWatcher:before_judge');
    logAlerts(run, await store.judge(lease, { judged, decided, sought }));
    if (decided.length > 0) run.failpoint('runWatcher:after_judge');
    after = page.length < PAGE ? null : (page.at(-1)?.paymentId ?? null);
  } while (after !== null && !signal.aborted);
};

const verdictsOf = async (
  { rpc, batcher, network: { quorum }, signal }: WatchRun,
  judged: BlockHeader,
  candidates: readonly Candidate[],
): Promise<Judged[]> => {
  const active = candidates.filter(({ isActive }) => isActive);
  // By the hash: an endpoint may have another block of that number.
  const words = await readDealWords({ rpc, batcher, quorum, signal }, active, { blockHash: judged.hash });
  return [
    ...candidates.flatMap((candidate) => (candidate.isActive ? [] : [{ candidate, verdict: 'absent' as const }])),
    ...active.flatMap((candidate, index) => {
      const word = words[index];
      return word === undefined ? [] : [{ candidate, verdict: verdictOf(word, candidate.termsHash) }];
    }),
  ];
};
