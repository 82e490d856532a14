/**
 * The life of an order whose buyer chooses how to pay (a checkout): its statuses, and one table of every transition. The database
 * writes no other, and `docs/payment-states.md` is generated from the table.
 */

export type CheckoutStatus = 'open' | 'chosen' | 'completed' | 'expired' | 'canceled';

export const openCheckoutStatuses = ['open', 'chosen'] as const satisfies CheckoutStatus[];

/** Most choices of a checkout: each may cost the operator gas. */
export const MAX_CHOICES = 5;

/** The names of the guards. `db/choices/guards.ts` holds the SQL condition of each. */
export type CheckoutGuardName = 'in_time' | 'paid' | 'cancel_accepted' | 'overdue' | 'nothing_chosen';

/** One legal change of a checkout's status. */
export interface CheckoutTransition {
  /** The statuses that it leaves; null is the creation. */
  readonly from: readonly (CheckoutStatus | null)[];
  readonly to: CheckoutStatus;
  /** The event that causes it. */
  readonly trigger: string;
  readonly guard: CheckoutGuardName | null;
  /** The type of its webhook event; null for none. */
  readonly webhook: string | null;
}

/** The table. Where several rows fit, the first of them is written. */
export const checkoutTransitions = {
  checkout_created: {
    from: [null],
    to: 'open',
    trigger: 'A merchant creates the order',
    guard: null,
    webhook: null,
  },
  option_chosen: {
    from: ['open', 'chosen'],
    to: 'chosen',
    trigger: 'The buyer chooses an option, which makes a payment',
    guard: 'in_time',
    webhook: null,
  },
  checkout_completed: {
    from: ['open', 'chosen'],
    to: 'completed',
    trigger: 'A payment of the order is completed, a former choice included',
    guard: 'paid',
    webhook: 'checkout.completed',
  },
  checkout_canceled: {
    from: ['open', 'chosen'],
    to: 'canceled',
    trigger: 'A merchant has canceled the order, and all its payments have ended unpaid',
    guard: 'cancel_accepted',
    webhook: 'checkout.canceled',
  },
  checkout_expired: {
    from: ['open', 'chosen'],
    to: 'expired',
    trigger: 'The expiry passes, and all payments of the order have ended unpaid',
    guard: 'overdue',
    webhook: 'checkout.expired',
  },
  choice_ended: {
    from: ['chosen'],
    to: 'open',
    trigger: 'The chosen payment fails or is canceled without its order',
    guard: 'nothing_chosen',
    webhook: null,
  },
} as const satisfies Record<string, CheckoutTransition>;

export type CheckoutTransitionName = keyof typeof checkoutTransitions;

/** True when no transition leaves the status. */
export const isCheckoutOver = (status: CheckoutStatus): boolean =>
  !(openCheckoutStatuses as readonly CheckoutStatus[]).includes(status);

/** Characters of an `external_id`, which count as PostgreSQL counts them. */
const MAX_EXTERNAL_ID = 255;

/**
 * The `external_id` of the payment that a choice makes: that of the checkout, the last 12 digits of the checkout's id and the number of
 * the choice, as in `order-17-9f2c4e81ab03-1`. A long one is cut so that the whole has at most 255 characters.
 */
export const choiceExternalId = (
  checkout: { readonly id: string; readonly external_id: string },
  choice: number,
): string => {
  const suffix = `-${checkout.id.slice(-12)}-${choice}`;
  return (
    Array.from(checkout.external_id)
      .slice(0, MAX_EXTERNAL_ID - suffix.length)
      .join('') + suffix
  );
};
