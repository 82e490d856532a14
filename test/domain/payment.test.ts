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
  const rows = Object.entries<Transition>(transitions);
  /** The rows that a test looks at, with at least one among them. */
  const rowsWhere = (isMeant: (row: Transition) => boolean): readonly (readonly [string, Transition])[] => {
    const meant = rows.filter(([, row]) => isMeant(row));
    expect(meant.length).toBeGreaterThan(0);
    return meant;
  };
  /** The names of these rows. */
  const namesOf = (found: readonly (readonly [string, Transition])[]): string[] => found.map(([name]) => name);

  it('end a payment as paid only by its confirmations on the chain, or off-chain by its merchant', () => {
    const paid = rowsWhere(({ to }) => to === 'completed').map(([, { from, guard, block, writer }]) => ({
      from,
      guard,
      block,
      writer,
    }));
    expect(paid).toEqual([
      { from: ['processing'], guard: 'deal_paid', block: 'confirmed', writer: ['watcher'] },
      { from: ['pending'], guard: 'offchain', block: 'none', writer: ['api'] },
    ]);
  });

  it('see a payment only by a fact of the chain, in a block', () => {
    for (const [name, { guard, block, writer }] of rowsWhere(({ to }) => to === 'processing'))
      expect([name, guard, block, writer]).toEqual([name, 'payment_seen', 'seen', ['watcher']]);
  });

  it('let only the watcher and the signer make a deal payable, by the deal itself or by a stored offer', () => {
    const payable = rowsWhere(({ from, to }) => to === 'awaiting_payment' && !from.includes('processing'));
    expect(payable.map(([, { from, guard, writer }]) => [from, guard, writer])).toEqual([
      [['pending'], 'deal_exists', ['watcher']],
      [['pending'], 'offer_stored', ['signer']],
    ]);
  });

  it('end nothing without a guard, and move nothing else without one but at the creation and for a requested cancel', () => {
    expect(namesOf(rowsWhere(({ guard }) => guard === null))).toEqual(['payment_created', 'cancel_requested']);
    for (const [name, { guard }] of rowsWhere(({ to }) => isTerminal(to)))
      expect([name, guard]).not.toEqual([name, null]);
  });

  it('leave what the chain decides to the watcher, and name the block of it', () => {
    const ofChain = rowsWhere(({ block }) => block !== 'none');
    expect(ofChain.filter(([, { writer }]) => writer.join() !== 'watcher').map(([name]) => name)).toEqual([]);
    const ends = ofChain.filter(([, { to }]) => isTerminal(to));
    expect(ends.filter(([, { block }]) => block !== 'confirmed').map(([name]) => name)).toEqual([]);
  });

  it('cancel without a block only what no chain can have: off-chain, never sent, never revealed, or never chosen', () => {
    const unseen = rowsWhere(({ to, block }) => to === 'canceled' && block === 'none');
    expect(unseen.map(([, { guard }]) => guard)).toEqual(['offchain', 'never_sent', 'never_revealed', 'former_choice']);
    for (const [name, { writer }] of unseen) expect([name, writer.includes('watcher')]).toEqual([name, false]);
  });

  it('cancel a payment that was not asked to be canceled only by a word of the chain or by another choice', () => {
    const unasked = rowsWhere(({ from, to }) => to === 'canceled' && from.some((status) => status !== 'canceling'));
    expect(unasked.map(([, { guard, log }]) => [guard, log])).toEqual([
      ['former_choice', 'choice_dropped'],
      ['deal_cancelled', 'cancel_foreign'],
    ]);
  });

  it('take a seen payment back to where it was: payable, pending or canceling, and tell of it', () => {
    const back = rowsWhere(({ from, to }) => from.includes('processing') && !isTerminal(to));
    expect(back.map(([, { to, guard }]) => [to, guard])).toEqual([
      ['awaiting_payment', 'deal_stands'],
      ['pending', 'deal_lost'],
      ['canceling', 'cancel_accepted'],
      ['awaiting_payment', 'word_has_deal'],
      ['pending', 'word_has_no_deal'],
      ['canceling', 'cancel_accepted'],
    ]);
    for (const [name, row] of back) {
      expect([name, row.log, row.webhook]).toEqual([name, 'payment_reorged', 'payment.reorged']);
      expect([name, row.detail]).toEqual([name, name.startsWith('payment_untrue') ? 'payment_not_borne_out' : 'clear']);
    }
  });

  it('tell of every new status by the event of that status', () => {
    const eventOf: Partial<Record<PaymentStatus, string>> = {
      awaiting_payment: 'payment.ready',
      processing: 'payment.processing',
      completed: 'payment.completed',
      expired: 'payment.expired',
      failed: 'payment.failed',
      canceled: 'payment.canceled',
      canceling: 'payment.cancel_requested',
      pending: 'payment.created',
    };
    for (const [name, { from, to, webhook }] of rowsWhere(({ webhook }) => webhook !== 'payment.reorged'))
      expect([name, webhook]).toEqual([name, from.includes(to) ? null : eventOf[to]]);
    for (const [name, { from, to }] of rowsWhere(({ webhook }) => webhook === 'payment.reorged'))
      expect([name, isTerminal(to), from.length]).toEqual([name, false, 1]);
  });

  it('name in their log what the same change of the same cause is called', () => {
    // One entry in the log of a payment for several rows that a merchant need not tell apart.
    const shared: Readonly<Record<string, string>> = {
      deal_conflict: 'deal_failed',
      payment_expired_offchain: 'payment_expired',
      payment_declined: 'payment_settled',
      cancel_offchain: 'cancel_confirmed',
      cancel_unsent: 'cancel_confirmed',
      cancel_unrevealed: 'cancel_confirmed',
      cancel_offers_over: 'cancel_confirmed',
      cancel_absent: 'cancel_confirmed',
    };
    const isBack = (name: string): boolean => /^payment_(reorged|untrue)_?/.test(name);
    for (const [name, { log }] of rows)
      expect([name, log]).toEqual([name, isBack(name) ? 'payment_reorged' : (shared[name] ?? name)]);
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
