import type { RpcOutcome } from './requests.ts';
import type { RpcError } from './error.ts';
import { amountsIn, highest } from './words/amounts.ts';
import { readRefusalOf, sendRefusalOf, type SendRefusal } from './refusals.ts';

/**
 * The meaning of a response to `eth_sendRawTransaction`. `refused`: the endpoint refuses every transaction.
 * `possibly_sent`: the response is not understood. No class frees a nonce.
 */
export type SendClass = SendRefusal | 'sent' | 'refused' | 'possibly_sent';

/**
 * Rejections that no higher fee ends and no other alert tells. `possibly_sent` is one of them where the pool lacks the
 * transaction as well.
 */
export const notForFees: ReadonlySet<SendClass> = new Set([
  'possibly_sent',
  'nonce_too_high',
  'exceeds_block_gas_limit',
  'too_much_data',
  'gas_too_low',
]);

/** All rejections that no higher fee ends. */
export const neverForFees: ReadonlySet<SendClass> = new Set([
  ...notForFees,
  'insufficient_funds',
  'refused',
  'fee_cap',
]);

/** Reads an endpoint's rejection of a signed transaction. Anything but a rejection is `possibly_sent`. */
export const classifySendError = (error: Pick<RpcError, 'kind' | 'code' | 'message'>): SendClass => {
  if (error.kind === 'denied') return 'refused';
  if (error.kind !== 'rejected') return 'possibly_sent';
  const known = sendRefusalOf(error.code, error.message);
  return known ?? (readRefusalOf(error.code, error.message) === 'method' ? 'refused' : 'possibly_sent');
};

/** The outcome of sending one transaction. */
export const classifySend = (outcome: RpcOutcome): SendClass =>
  outcome.ok ? 'sent' : classifySendError(outcome.error);

/**
 * Merges the outcomes of one transaction on several endpoints. The majority of acceptances and rejections counts, and a
 * tie counts as accepted. A transaction that one endpoint accepted may be mined before another one gets it, which then
 * rejects it with `nonce_too_low`.
 */
export const mergeSends = (outcomes: readonly RpcOutcome[]): RpcOutcome => {
  const isTaken = (sendClass: SendClass): boolean => sendClass === 'sent' || sendClass === 'known';
  const taken = outcomes.find(({ ok }) => ok) ?? outcomes.find((outcome) => isTaken(classifySend(outcome)));
  const responded = Map.groupBy(
    outcomes.filter((outcome) => outcome.ok || ['rejected', 'denied'].includes(outcome.error.kind)),
    (outcome) => {
      const sendClass = classifySend(outcome);
      // These rejections say nothing about the endpoints that accepted it.
      const isOwn = taken && ['nonce_too_low', 'fee_cap', 'refused'].includes(sendClass);
      return isTaken(sendClass) || isOwn ? 'sent' : sendClass;
    },
  );
  const [most] = [...responded].sort(
    ([a, one], [b, other]) => other.length - one.length || Number(b === 'sent') - Number(a === 'sent'),
  );
  if (most?.[0] === 'sent') return taken!;
  return most === undefined ? outcomes[0]! : medianOf(most[1]);
};

/** The rejection that names the median amount, of two the lower one: one endpoint that demands too much decides nothing. */
const medianOf = (rejections: readonly RpcOutcome[]): RpcOutcome => {
  const naming = rejections.flatMap((outcome) => {
    const amount = outcome.ok ? null : highest(amountsIn(outcome.error.message));
    return amount === null ? [] : [{ outcome, amount }];
  });
  const ordered = naming.sort((a, b) => (a.amount < b.amount ? -1 : 1));
  return ordered[Math.floor((ordered.length - 1) / 2)]?.outcome ?? rejections[0]!;
};
