import type { Attempt, NewAttempt, Slot } from '../../domain/lane.ts';
import type { Fees } from './fees.ts';
import { classifySend, type SendClass } from '../rpc/send-errors.ts';
import type { LaneRun } from './context.ts';

/** Signed bytes that are stored and may leave the process. */
export interface Outgoing {
  readonly slot: Slot;
  readonly attempt: Pick<Attempt, 'seq' | 'raw'>;
}

/** A slot that needs new bytes, with their fees. */
export interface Unsigned {
  readonly slot: Slot;
  readonly fees: Fees;
}

/** Signs slots and commits the bytes; from here on they are "possibly sent". */
export const signAttempts = async (run: LaneRun, unsigned: readonly Unsigned[]): Promise<Outgoing[]> => {
  if (unsigned.length === 0) return [];
  const signed: { slot: Slot; attempt: NewAttempt }[] = [];
  for (const { slot, fees } of unsigned) {
    const { raw, hash } = await run.signer.sign({
      eip155: run.network.eip155,
      nonce: slot.nonce,
      to: slot.to,
      data: slot.data,
      value: slot.value,
      gasLimit: slot.gasLimit,
      ...fees,
    });
    const seq = (slot.attempts.at(-1)?.seq ?? 0) + 1;
    signed.push({ slot, attempt: { slotId: slot.id, seq, txHash: hash.toLowerCase(), raw, ...fees } });
  }
  run.failpoint('runLane:before_save');
  await run.store.saveAttempts(
    run.lease,
    signed.map(({ attempt }) => attempt),
  );
  return signed;
};

/** A node that takes a replacement for too cheap, or anything for too cheap, wants the fees raised. */
const wantsMore: readonly SendClass[] = ['replacement_underpriced', 'fee_below_base_fee', 'underpriced'];

/** Sends stored bytes in the order of their nonces and writes down what the node said. */
export const transmit = async (run: LaneRun, outgoing: readonly Outgoing[]): Promise<void> => {
  if (outgoing.length === 0) return;
  const { rpc, store, lease, memory, log, network } = run;
  const ordered = [...outgoing].sort((a, b) => a.slot.nonce - b.slot.nonce);
  run.failpoint('runLane:before_send');
  const outcomes = await rpc.send(
    ordered.map(({ attempt }) => attempt.raw),
    run.signal,
  );
  run.failpoint('runLane:after_send');
  const verdicts = outcomes.map(classifySend);
  for (const [index, { slot }] of ordered.entries()) {
    const verdict = verdicts[index] ?? 'possibly_sent';
    if (wantsMore.includes(verdict)) memory.refused.add(slot.id);
    else memory.refused.delete(slot.id);
    const outcome = outcomes[index];
    if (verdict === 'sent' || verdict === 'known' || outcome?.ok) continue;
    log.warn('A transaction was not taken', {
      network: network.name,
      nonce: slot.nonce,
      verdict,
      error: outcome?.error.message,
    });
  }
  await store.recordSends(
    lease,
    ordered.map(({ slot, attempt }, index) => {
      const verdict = verdicts[index] ?? 'possibly_sent';
      return { slotId: slot.id, seq: attempt.seq, error: verdict === 'sent' || verdict === 'known' ? null : verdict };
    }),
  );
  run.failpoint('runLane:after_record');
};
