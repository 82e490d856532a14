import type { LaneRun, LaneState } from './context.ts';
import type { Outgoing } from './outgoing.ts';

/**
 * Stored bytes that have to go out again: what never left (the process died before), what the node does not have any
 * more, and now and then everything, because a pool may lie about what it keeps.
 */
export const dueForSending = ({ timing }: LaneRun, { slots, view }: LaneState): Outgoing[] => {
  const now = Date.now();
  return slots.flatMap((slot) => {
    const attempt = slot.attempts.at(-1);
    if (slot.state !== 'signed' || attempt === undefined || slot.nonce < view.nonce) return [];
    const age = attempt.lastSentAt === null ? Infinity : now - attempt.lastSentAt;
    const patience = slot.nonce >= view.pendingNonce ? timing.missing : timing.rebroadcast;
    return age >= patience ? [{ slot, attempt }] : [];
  });
};
