/** The guards of `domain/checkout.ts` as SQL conditions over `checkouts c`. */
import type { CheckoutGuardName } from '../../domain/checkouts/checkout.ts';

interface CheckoutGuard {
  /** The condition in a sentence, for `docs/payment-states.md`. */
  readonly means: string;
  readonly sql: string;
}

/** SQL condition: every payment of checkout `c` has ended. */
const allEnded = 'NOT EXISTS (SELECT 1 FROM payments p WHERE p.checkout_id = c.id AND p.terminal_at IS NULL)';

const isPaid = `EXISTS (SELECT 1 FROM payments p WHERE p.checkout_id = c.id AND p.status = 'completed')`;

/** SQL condition: the expiry of checkout `c` has passed by the clock of the database. */
export const hasPassed = 'c.expires_unix <= extract(epoch FROM clock_timestamp())';

export const checkoutGuards: Readonly<Record<CheckoutGuardName, CheckoutGuard>> = {
  in_time: {
    means: 'No cancel of the order was accepted, and its expiry is ahead by the clock of the database.',
    sql: `c.cancel_requested_at IS NULL AND NOT ${hasPassed}`,
  },
  paid: { means: 'A payment of the order is completed.', sql: isPaid },
  cancel_accepted: {
    means: 'A cancel of the order was accepted, and every payment of the order has ended unpaid.',
    sql: `c.cancel_requested_at IS NOT NULL AND ${allEnded} AND NOT ${isPaid}`,
  },
  overdue: {
    means:
      'The expiry has passed by the clock of the database, or a payment of the order has expired by its chain; every payment of the order has ended unpaid.',
    sql: `(${hasPassed} OR EXISTS (SELECT 1 FROM payments p WHERE p.checkout_id = c.id AND p.status = 'expired'))
      AND ${allEnded} AND NOT ${isPaid}`,
  },
  nothing_chosen: {
    means: 'Every payment of the order has ended unpaid.',
    sql: `${allEnded} AND NOT ${isPaid}`,
  },
};
