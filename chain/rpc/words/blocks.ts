/** Words of clients for a height without a block: above the newest one, or empty for good (Filecoin). */
const noBlock =
  /\b(header|block( [^ ]+)?|resource) (was |could |is )?not (be )?found|unknown block|null round|ahead of (the )?(current|head)|beyond (the )?(current )?head|invalid block tag/i;
const pruning = /prun|archive|expired|histor/i;

/** True when these words say that there is no block at a height, and not that it was pruned. */
export const saysNoBlock = (message: string): boolean => noBlock.test(message) && !pruning.test(message);

/** Words for a block that is older than all that an endpoint keeps. */
const tooOld =
  /prun|histor|too old|\b(below|older|earlier|no longer|lowest|oldest|earliest|tail)\b|not (kept|stored|retained)/i;

/** True when an endpoint refuses an old block because it has pruned it, and not for a reason that may be over soon. */
export const saysPruned = (error: {
  readonly kind: string;
  readonly refusal: string | null;
  readonly message: string;
}): boolean => {
  const { kind, refusal, message } = error;
  if (kind !== 'rejected') return false;
  return refusal === 'history' || ((refusal ?? 'logs') === 'logs' && tooOld.test(message));
};
