import {
  isTerminal,
  openStatuses,
  paymentStatuses,
  terminalStatuses,
  transitions,
  verdictsOfGuard,
  type GuardName,
  type PaymentStatus,
  type Transition,
  type TransitionName,
} from '../../domain/payment.ts';

const names = Object.keys(transitions) as TransitionName[];

describe('statuses', () => {
  it('are open or terminal, and never both', () => {
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
  type Row = [
    from: string,
    to: string,
    guard: string | null,
    block: string,
    detail: string,
    log: string,
    webhook: string | null,
    writer: string,
  ];
  /** The whole table without its sentences: statuses, guards, writers, names. */
  const expected: Record<TransitionName, Row> = {
    payment_created: ['', 'pending', null, 'none', 'keep', 'payment_created', 'payment.created', 'api'],
    deal_confirmed: [
      'pending',
      'awaiting_payment',
      'deal_exists',
      'confirmed',
      'clear',
      'deal_confirmed',
      'payment.ready',
      'watcher',
    ],
    deal_offered: [
      'pending',
      'awaiting_payment',
      'offer_stored',
      'none',
      'clear',
      'deal_offered',
      'payment.ready',
      'signer',
    ],
    deal_conflict: [
      'pending,awaiting_payment',
      'failed',
      'id_taken',
      'none',
      'deal_conflict',
      'deal_failed',
      'payment.failed',
      'watcher',
    ],
    deal_failed: [
      'pending',
      'failed',
      'create_without_effect',
      'none',
      'deal_not_created',
      'deal_failed',
      'payment.failed',
      'watcher',
    ],
    deal_reorged: [
      'awaiting_payment',
      'pending',
      'deal_absent',
      'confirmed',
      'clear',
      'deal_reorged',
      'payment.reorged',
      'watcher',
    ],
    retry_requested: ['pending', 'pending', 'no_retry_in_hand', 'none', 'keep', 'retry_requested', null, 'api'],
    payment_detected: [
      'pending,awaiting_payment',
      'processing',
      'payment_seen',
      'seen',
      'clear',
      'payment_detected',
      'payment.processing',
      'watcher',
    ],
    payment_reorged: [
      'processing',
      'awaiting_payment',
      'deal_stands',
      'seen',
      'clear',
      'payment_reorged',
      'payment.reorged',
      'watcher',
    ],
    payment_reorged_to_pending: [
      'processing',
      'pending',
      'deal_lost',
      'seen',
      'clear',
      'payment_reorged',
      'payment.reorged',
      'watcher',
    ],
    payment_reorged_to_canceling: [
      'processing',
      'canceling',
      'cancel_accepted',
      'seen',
      'clear',
      'payment_reorged',
      'payment.reorged',
      'watcher',
    ],
    payment_untrue: [
      'processing',
      'awaiting_payment',
      'word_has_deal',
      'seen',
      'payment_not_borne_out',
      'payment_reorged',
      'payment.reorged',
      'watcher',
    ],
    payment_untrue_to_pending: [
      'processing',
      'pending',
      'word_has_no_deal',
      'seen',
      'payment_not_borne_out',
      'payment_reorged',
      'payment.reorged',
      'watcher',
    ],
    payment_untrue_to_canceling: [
      'processing',
      'canceling',
      'cancel_accepted',
      'seen',
      'payment_not_borne_out',
      'payment_reorged',
      'payment.reorged',
      'watcher',
    ],
    payment_confirmed: [
      'processing',
      'completed',
      'deal_paid',
      'confirmed',
      'clear',
      'payment_confirmed',
      'payment.completed',
      'watcher',
    ],
    payment_expired: [
      'pending,awaiting_payment,canceling',
      'expired',
      'expired_unpaid',
      'confirmed',
      'clear',
      'payment_expired',
      'payment.expired',
      'watcher',
    ],
    payment_expired_offchain: [
      'pending,canceling',
      'expired',
      'offchain_overdue',
      'none',
      'clear',
      'payment_expired',
      'payment.expired',
      'workflow,recovery',
    ],
    payment_settled: [
      'pending',
      'completed',
      'offchain',
      'none',
      'clear',
      'payment_settled',
      'payment.completed',
      'api',
    ],
    payment_declined: ['pending', 'failed', 'offchain', 'none', 'declined', 'payment_settled', 'payment.failed', 'api'],
    cancel_requested: [
      'pending,awaiting_payment',
      'canceling',
      null,
      'none',
      'clear',
      'cancel_requested',
      'payment.cancel_requested',
      'api',
    ],
    cancel_confirmed: [
      'canceling',
      'canceled',
      'deal_void',
      'confirmed',
      'clear',
      'cancel_confirmed',
      'payment.canceled',
      'watcher',
    ],
    cancel_offchain: [
      'canceling',
      'canceled',
      'offchain',
      'none',
      'clear',
      'cancel_confirmed',
      'payment.canceled',
      'workflow',
    ],
    cancel_unsent: [
      'canceling',
      'canceled',
      'never_sent',
      'none',
      'canceled_before_creation',
      'cancel_confirmed',
      'payment.canceled',
      'workflow,order',
    ],
    cancel_unrevealed: [
      'canceling',
      'canceled',
      'never_revealed',
      'none',
      'canceled_before_creation',
      'cancel_confirmed',
      'payment.canceled',
      'workflow,order',
    ],
    choice_dropped: [
      'pending,canceling',
      'canceled',
      'former_choice',
      'none',
      'canceled_before_creation',
      'choice_dropped',
      'payment.canceled',
      'order,workflow',
    ],
    cancel_offers_over: [
      'canceling',
      'canceled',
      'offers_over',
      'confirmed',
      'clear',
      'cancel_confirmed',
      'payment.canceled',
      'watcher',
    ],
    cancel_absent: [
      'canceling',
      'canceled',
      'absent_unsent',
      'confirmed',
      'canceled_before_creation',
      'cancel_confirmed',
      'payment.canceled',
      'watcher',
    ],
    cancel_lost_race: [
      'canceling',
      'processing',
      'payment_seen',
      'seen',
      'clear',
      'cancel_lost_race',
      'payment.processing',
      'watcher',
    ],
    cancel_foreign: [
      'pending,awaiting_payment,processing',
      'canceled',
      'deal_cancelled',
      'confirmed',
      'canceled_foreign',
      'cancel_foreign',
      'payment.canceled',
      'watcher',
    ],
  };

  it.each(names)('%s', (name) => {
    const { from, to, guard, block, detail, log, webhook, writer } = transitions[name];
    const sources = paymentStatuses.filter((status) => (from as readonly (PaymentStatus | null)[]).includes(status));
    expect([sources.join(), to, guard, block, detail, log, webhook, writer.join()]).toEqual(expected[name]);
  });

  it.each(names)('%s leaves no terminal status', (name) => {
    const from: readonly (PaymentStatus | null)[] = transitions[name].from;
    expect(from.some((status) => status !== null && isTerminal(status))).toBe(false);
  });

  it('have one sentence for each row', () => {
    const triggers = Object.values(transitions).map(({ trigger }) => trigger);
    expect(new Set(triggers).size).toBe(names.length);
  });

  it('keep the detail where the status stays, and at the creation', () => {
    for (const { from, to, detail } of Object.values<Transition>(transitions)) {
      expect(detail === 'keep').toBe(from.every((status) => status === null || status === to));
    }
  });

  it('never expire a seen payment', () => {
    const expiries = Object.values<Transition>(transitions).filter(({ to }) => to === 'expired');
    expect(expiries.length).toBeGreaterThan(0);
    for (const { from } of expiries) expect(from).not.toContain('processing');
  });

  it('ask for the word of a deal only under guards that transitions use', () => {
    const used = new Set(Object.values<Transition>(transitions).map(({ guard }) => guard));
    expect(Object.keys(verdictsOfGuard).filter((guard) => !used.has(guard as GuardName))).toEqual([]);
  });
});
