import type { ReturnDetail, WaitingDetail } from '../payment.ts';
import { conditionKinds, conditions, type ConditionKind, type ConditionRow } from './condition.ts';

/**
 * The precedence of `status_detail`: of several reasons that hold, a payment shows the first of these. A writer asks `firstReason`, or in SQL
 * `mayReplace`. It may replace its own reason by any other, and so may the one who knows everything that a payment waits for: the run of
 * its missing diamond, the lane in whose queue its transaction is, the run that signs its first offer.
 */
export const reasonOrder = [
  // Nothing of the payment has begun.
  'former_choice_open',
  // No lane runs that could see another reason.
  'key_missing',
  // It ends by itself, and only then does the lane look at the deal.
  'diamond_updating',
  'lane_paused',
  // One last seen on the chain lasts while the chain cannot be read.
  'network_paused',
  'network_unreachable',
  'operator_revoked',
  'signer_revoked',
  'outcome_unknown',
  // More coins would not help.
  'fees_above_ceiling',
  'operator_underfunded',
  'simulation_failed',
  'diamond_missing',
  // Of a payment that something else stops, nobody needs to read the deal.
  'endpoint_refuses',
  'payment_not_borne_out',
  'words_unreadable',
  // Carat knows of no cause.
  'signing_stalled',
] as const satisfies readonly (WaitingDetail | ReturnDetail)[];

/** The reasons for which a payment waits, in their order. */
export const orderedReasons = reasonOrder.filter((reason) => reason !== 'payment_not_borne_out');

/** The reason to show of several that hold; null for none. */
export const firstReason = (reasons: readonly (WaitingDetail | null)[]): WaitingDetail | null =>
  orderedReasons.find((reason) => reasons.includes(reason)) ?? null;

/** Why a payment waits, and what to do about it; null: it goes on by itself. */
interface Waiting {
  /** The condition that explains it; null: it has no alert. */
  readonly alert: ConditionKind | null;
  readonly meaning: string;
  readonly remedy: string | null;
}

/** The reasons without a condition. */
const own: { readonly [Detail in WaitingDetail]?: Omit<Waiting, 'alert'> } = {
  diamond_missing: {
    meaning: 'The wallet has no active diamond on the network.',
    remedy: "Deploy the wallet's diamond on this network.",
  },
  diamond_updating: {
    meaning: "The wallet's diamond is being cut. Only creates wait; they proceed when the update ends, done or failed.",
    remedy: null,
  },
  former_choice_open: {
    meaning:
      'The buyer of its order chose another option before, which may still be paid ([orders.md](orders.md)). It goes on when the former payment has ended.',
    remedy: null,
  },
};

const explains = (kind: ConditionKind, detail: WaitingDetail): boolean => {
  const { details = [] }: ConditionRow = conditions[kind];
  return details.includes(detail);
};

const waitingFor = (detail: WaitingDetail): Waiting => {
  const alert = conditionKinds.find((kind) => explains(kind, detail)) ?? null;
  const { meaning, remedy } = alert === null ? own[detail]! : conditions[alert];
  return { alert, meaning, remedy };
};

/** Every waiting reason of a payment, in their order. */
export const waiting = Object.fromEntries(orderedReasons.map((detail) => [detail, waitingFor(detail)])) as Readonly<
  Record<WaitingDetail, Waiting>
>;
