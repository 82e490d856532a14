import {
  isTerminal,
  logEventType,
  openStatuses,
  paymentStatuses,
  terminalStatuses,
  transitions,
  type PaymentStatus,
  type TransitionName,
} from '../../domain/payment.ts';

const names = Object.keys(transitions) as TransitionName[];

describe('statuses', () => {
  it('are open or terminal, never both', () => {
    expect([...openStatuses, ...terminalStatuses].toSorted()).toEqual([...paymentStatuses].toSorted());
    expect(paymentStatuses.filter(isTerminal).toSorted()).toEqual([...terminalStatuses].toSorted());
  });

  it('can all be reached from the creation, and all open ones can end', () => {
    const reach = (start: PaymentStatus | null): Set<PaymentStatus> => {
      const seen = new Set<PaymentStatus>();
      const queue: (PaymentStatus | null)[] = [start];
      for (let from = queue.pop(); from !== undefined; from = queue.pop()) {
        for (const { from: sources, to } of Object.values(transitions)) {
          if ((sources as readonly (PaymentStatus | null)[]).includes(from) && !seen.has(to)) {
            seen.add(to);
            queue.push(to);
          }
        }
      }
      return seen;
    };
    expect([...reach(null)].toSorted()).toEqual([...paymentStatuses].toSorted());
    for (const status of openStatuses) expect([...reach(status)].some(isTerminal)).toBe(true);
  });
});

describe('transitions', () => {
  /** The whole table: what may follow what, under which names. */
  const expected: Record<TransitionName, [from: string, to: string, event: string | null, log: string]> = {
    payment_created: ['', 'pending', 'payment.created', 'payment_created'],
    deal_confirmed: ['pending', 'awaiting_payment', 'payment.ready', 'deal_confirmed'],
    deal_failed: ['pending', 'failed', 'payment.failed', 'deal_failed'],
    deal_reorged: ['awaiting_payment', 'pending', 'payment.reorged', 'deal_reorged'],
    retry_requested: ['pending', 'pending', null, 'retry_requested'],
    payment_detected: ['pending,awaiting_payment', 'processing', 'payment.processing', 'payment_detected'],
    payment_reorged: ['processing', 'awaiting_payment', 'payment.reorged', 'payment_reorged'],
    payment_reorged_to_pending: ['processing', 'pending', 'payment.reorged', 'payment_reorged'],
    payment_reorged_to_canceling: ['processing', 'canceling', 'payment.reorged', 'payment_reorged'],
    payment_confirmed: ['processing', 'completed', 'payment.completed', 'payment_confirmed'],
    payment_expired: ['pending,awaiting_payment,canceling', 'expired', 'payment.expired', 'payment_expired'],
    payment_settled: ['pending', 'completed', 'payment.completed', 'payment_settled'],
    payment_declined: ['pending', 'failed', 'payment.failed', 'payment_settled'],
    cancel_requested: ['pending,awaiting_payment', 'canceling', 'payment.cancel_requested', 'cancel_requested'],
    cancel_confirmed: ['canceling', 'canceled', 'payment.canceled', 'cancel_confirmed'],
    cancel_lost_race: ['canceling', 'processing', 'payment.processing', 'cancel_lost_race'],
    cancel_foreign: ['pending,awaiting_payment,processing,canceling', 'canceled', 'payment.canceled', 'cancel_foreign'],
  };

  it.each(names)('%s', (name) => {
    const { from, to, event } = transitions[name];
    const sources = paymentStatuses.filter((status) => (from as readonly (PaymentStatus | null)[]).includes(status));
    expect([sources.join(), to, event, logEventType(name)]).toEqual(expected[name]);
  });

  it.each(names)('%s leaves no terminal status', (name) => {
    const from: readonly (PaymentStatus | null)[] = transitions[name].from;
    expect(from.some((status) => status !== null && isTerminal(status))).toBe(false);
  });
});
