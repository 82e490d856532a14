import type { BlockHeader } from '../../domain/watch.ts';
import { readDealWords } from './deal-words.ts';
import type { WatchRun } from './context.ts';

/** Payments judged at once at most. */
const MAX_CANDIDATES = 500;

/**
 * Expires payments whose time is over at a confirmed block: only when the deal's word at that very block says that it
 * was not paid, in the eyes of the quorum.
 * @param judged newest confirmed block
 */
export const expireDue = async (run: WatchRun, judged: BlockHeader): Promise<void> => {
  const { store, lease, rpc, network, signal } = run;
  const candidates = await store.expirable(lease, judged, MAX_CANDIDATES);
  if (candidates.length === 0) return;
  const words = await readDealWords(rpc, candidates, { blockHash: judged.hash }, network.quorum, signal);
  for (const [index, { paymentId, diamond, dealId }] of candidates.entries()) {
    if (words[index]?.status !== 'paid') continue;
    // The chain says paid and no log came: an endpoint left it out, and nobody but an operator can tell who paid.
    await store.alert(lease, {
      key: `paid_without_log:${paymentId}`,
      kind: 'paid_without_log',
      message: `A deal on ${network.name} was paid in time although no endpoint has told of the payment`,
      data: { payment_id: paymentId, diamond, deal_id: dealId.toString(), block_number: judged.number },
    });
  }
  const unpaid = candidates.filter((_, index) => words[index] !== undefined && words[index].status !== 'paid');
  if (unpaid.length === 0) return;
  run.failpoint('runWatcher:before_expire');
  await store.expire(
    lease,
    judged,
    unpaid.map(({ paymentId }) => paymentId),
  );
  run.failpoint('runWatcher:after_expire');
};
