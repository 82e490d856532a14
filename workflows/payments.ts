import { condition, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { PaymentActivities } from '../activities/steps.ts';
import {
  searchAttributes,
  transitionsSignal,
  type CreatePaymentInput,
  type CancelPaymentInput,
  type RetrySendInput,
} from './messages.ts';
import { createLocalStep } from './steps.ts';
import { createTimeline, type Timeline, type Timelines } from './timeline.ts';
import { type Timing, timings } from './timing.ts';
import { transitions } from '../domain/payment.ts';
import type { PaymentTransition } from '../domain/ports/outbox.ts';

/**
 * Receives every change of these payments from now on, and shows it to operators.
 * @param statuses the `PaymentStatuses` that the starter wrote; undefined: search attributes are written at the end
 *   only
 */
const followPayments = (paymentIds: readonly string[], timing: Timing, statuses: string | undefined) => {
  const timeline = createTimeline(paymentIds);
  const run = createLocalStep(timing);
  const shown = { statuses, hashes: '' };
  let decision = '';

  /** Each change of the search attributes is one event in the history. */
  const show = (): void => {
    setCurrentDetails(`${decision}${timeline.describe()}`);
    const now = { statuses: timeline.statuses(), hashes: timeline.hashes() };
    if (statuses === undefined || (now.statuses === shown.statuses && now.hashes === shown.hashes)) return;
    upsertSearchAttributes([
      { key: searchAttributes.paymentStatuses, value: now.statuses },
      { key: searchAttributes.transactionHashes, value: now.hashes },
    ]);
    Object.assign(shown, now);
  };
  const learn: Timeline['add'] = (changes) => {
    timeline.add(changes);
    show();
  };
  setHandler(transitionsSignal, learn);

  return {
    timeline,
    /** Runs a step, and adds the transitions that the payments' logs have after it. */
    step: async <Name extends keyof PaymentActivities>(
      name: Name,
      summary: string,
      ...args: Parameters<PaymentActivities[Name]>
    ): Promise<void> => learn(await run(name, summary, ...args)),
    /** Shows operators a decision above the timeline. */
    explain: (text: string): void => {
      decision = `${text}\n\n`;
      show();
    },
    hasEnded: (): boolean => timeline.open().length === 0,
    /** Fills the gaps and returns the timeline of each payment. */
    conclude: async (): Promise<Timelines> => {
      if (timeline.gaps().length > 0 && !(await condition(() => timeline.gaps().length === 0, timing.stragglers))) {
        learn(await run('readTransitions', 'Read what no signal told', timeline.gaps()));
      }
      if (statuses === undefined) {
        upsertSearchAttributes([{ key: searchAttributes.paymentStatuses, value: timeline.statuses() }]);
      }
      return timeline.result();
    },
  };
};

export type Following = ReturnType<typeof followPayments>;

/**
 * Puts the deals of its payments onto the chain and follows each payment to its end. Lane and watcher decide the
 * outcome there, and signals report it. This workflow itself expires off-chain payments.
 * @returns the timeline of each payment: transitions, times, blocks
 */
export const createPayment = async (input: CreatePaymentInput): Promise<Timelines> => {
  const ids = input.payments.map((payment) => payment.id);
  const timing = timings[input.profile];
  const payments = followPayments(ids, timing, input.statuses);

  await payments.step(
    'enqueueDeals',
    `Want ${ids.length === 1 ? 'the deal' : `${ids.length} deals`} on the chain`,
    ids,
  );

  if (input.method === 'offchain') await expireInTime(input, payments, timing);
  else await condition(payments.hasEnded);

  return payments.conclude();
};

/** Waits for the end of off-chain payments; expires each that is still open at its `expiresAt`. */
const expireInTime = async (input: CreatePaymentInput, payments: Following, timing: Timing): Promise<void> => {
  const { timeline, step, hasEnded } = payments;
  const deadlines = new Map(input.payments.map((payment) => [payment.id, Date.parse(payment.expiresAt)]));
  const deadline = (id: string): number => deadlines.get(id) ?? Infinity;

  while (!hasEnded()) {
    const due = timeline.open().filter((id) => deadline(id) <= Date.now());
    if (due.length === 0) {
      await condition(hasEnded, Math.min(...timeline.open().map(deadline)) - Date.now());
      continue;
    }
    await step('expireOffchain', `Expire ${due.length === 1 ? `payment ${due[0]}` : `${due.length} payments`}`, due);
    // The database decides by whole seconds of its clock, so the step may come a moment early.
    const stillOpen = (): boolean => due.some((id) => timeline.open().includes(id));
    if (stillOpen()) await condition(() => !stillOpen(), timing.expiryOutcome);
  }
};

/**
 * Cancels a payment. The step `decideCancel` decides once, with the payment and its intents locked:
 *
 * - off-chain, the create was never in a slot, or no offer was revealed: `canceled` at once, without a transaction;
 * - a restore lost blocks that the watcher has yet to read: the watcher ends the payment if none of them has its deal;
 * - an offer was revealed: the watcher ends the payment when the chain is past the end of the offer;
 * - else the deal is or may get onto the chain: a cancel is queued in the lane, behind the create.
 *
 * Then the transaction that is mined first decides. If the buyer was faster and a reorganisation removes the payment,
 * the watcher queues the cancel again.
 * @returns the timeline of the payment: transitions, times, blocks
 */
export const cancelPayment = async ({ paymentId, profile }: CancelPaymentInput): Promise<Timelines> => {
  const payment = followPayments([paymentId], timings[profile], '');

  await payment.step('decideCancel', 'Withdraw the deal, or cancel it on the chain', paymentId);
  payment.explain(decisionOf(payment.timeline.transitions(paymentId)));
  await condition(payment.hasEnded);
  return payment.conclude();
};

/** The decision and its reason, as the log of the payment shows them. */
const decisionOf = (log: readonly PaymentTransition[]): string => {
  const newest = log.at(-1);
  if (newest === undefined) return '';
  const { status, status_detail: detail, block_number: block } = newest;
  if (detail === transitions.cancel_unsent.detail)
    return 'Canceled without a transaction: the create was never in a slot, or no offer was revealed.';
  if (status === 'canceled' && (block ?? null) === null)
    return 'Canceled without a transaction: the payment is off-chain.';
  if (status === 'canceling') {
    return 'The deal may be on the chain, or be paid by a revealed offer: a cancel is queued, or waits for the end of the offer, or for the blocks that a restore has lost. What is mined first decides.';
  }
  return `There was nothing to decide: the payment is ${status}.`;
};

// Runs under way depend on these two words: if the table changes them, `patched` must keep the old ones.
const { to: waiting, log: requested } = transitions.retry_requested;

/**
 * Sends the deal of a pending payment again. The step `sendAgain` decides:
 *
 * - a create is under way: its slot, and those before it in the lane, are marked, and the lane sends them to every endpoint
 *   with higher fees and, where an estimate asks for it, more gas;
 * - the create had no effect or was withdrawn: a new one is queued, which uses up no retry.
 *
 * Ends when the payment leaves `pending`, or when a later retry replaces this one.
 * @returns the timeline of the payment as far as it is known
 */
export const retrySend = async ({ paymentId, sequence, profile }: RetrySendInput): Promise<Timelines> => {
  const payment = followPayments([paymentId], timings[profile], '');
  const end = (): string | undefined => endOf(payment.timeline.transitions(paymentId), sequence);

  await payment.step('sendAgain', 'Send the deal again, or want it anew', paymentId);
  await condition(() => end() !== undefined);
  payment.explain(end() ?? '');
  return payment.conclude();
};

/** Why the retry has ended, as the log of the payment shows it; undefined while it goes on. */
const endOf = (log: readonly PaymentTransition[], sequence: number): string | undefined => {
  const last = log.find(
    (change) => change.sequence > sequence && (change.event_type === requested || change.status !== waiting),
  );
  if (last === undefined) return undefined;
  return last.event_type === requested ? 'A later retry replaces this one.' : `The payment became ${last.status}.`;
};
