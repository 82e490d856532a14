import { groupBy } from '../../domain/tools/group-by.ts';
import type { RpcOutcome } from './requests.ts';
import type { RpcError } from './error.ts';
import { refusalOf, sendRefusalOf, type SendRefusal } from './refusals.ts';

/**
 * What an answer to `eth_sendRawTransaction` means: `refused` is what its endpoint does with every transaction. Nothing here ever gives a
 * nonce back; `possibly_sent` is what is not understood.
 */
export type SendClass = SendRefusal | 'sent' | 'refused' | 'possibly_sent';

/** Reads an endpoint's rejection of a signed transaction. Anything but a rejection is `possibly_sent`. */
export const classifySendError = (error: Pick<RpcError, 'kind' | 'code' | 'message'>): SendClass => {
  if (error.kind === 'denied') return 'refused';
  if (error.kind !== 'rejected') return 'possibly_sent';
  const known = sendRefusalOf(error.code, error.message);
  return known ?? (refusalOf(error.code, error.message) === 'method' ? 'refused' : 'possibly_sent');
};

/** What became of one transaction that was sent. */
export const classifySend = (outcome: RpcOutcome): SendClass =>
  outcome.ok ? 'sent' : classifySendError(outcome.error);

/**
 * One outcome of a transaction that several endpoints were sent: what most of those say that took or rejected it; taken
 * where as many took it. Where one took it, it may be in a block before another one is sent it, whose nonce is too low then.
 */
export const mergeSends = (outcomes: readonly RpcOutcome[]): RpcOutcome => {
  const isTaken = (sendClass: SendClass): boolean => sendClass === 'sent' || sendClass === 'known';
  const taken = outcomes.find(({ ok }) => ok) ?? outcomes.find((outcome) => isTaken(classifySend(outcome)));
  const answered = groupBy(
    outcomes.filter((outcome) => outcome.ok || ['rejected', 'denied'].includes(outcome.error.kind)),
    (outcome) => {
      const sendClass = classifySend(outcome);
      // What one of them does not take, or is set to take at most, is not what the others take.
      const isOwn = taken && ['nonce_too_low', 'fee_cap', 'refused'].includes(sendClass);
      return isTaken(sendClass) || isOwn ? 'sent' : sendClass;
    },
  );
  const [most] = [...answered].sort(
    ([a, one], [b, other]) => other.length - one.length || Number(b === 'sent') - Number(a === 'sent'),
  );
  return (most?.[0] === 'sent' ? taken : most?.[1][0]) ?? outcomes[0]!;
};
