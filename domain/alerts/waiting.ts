import { waitingDetails, type WaitingDetail } from '../payment.ts';
import { conditionKinds, conditions, type ConditionKind, type ConditionRow } from './condition.ts';

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

/** Every waiting reason of a payment. */
export const waiting = Object.fromEntries(waitingDetails.map((detail) => [detail, waitingFor(detail)])) as Readonly<
  Record<WaitingDetail, Waiting>
>;
