import type { Knex } from 'knex';
import { createPaymentQuota } from '../../db/payments/quota.ts';
import { DomainError, networkRetired } from '../../domain/errors.ts';
import { toMember } from '../../domain/member.ts';
import { ApiError } from '../errors/errors.ts';
import { tooLarge } from '../limits/sizes.ts';
import { payeeNotAllowed } from '../payouts/payouts.ts';
import type { PlannedPayment } from './plan.ts';

/** A failed try means that rows of its plan have changed between two statements. */
const MAX_TRIES = 10;

/**
 * Plans and stores until the rows of the plan stay the same meanwhile.
 * @param what is stored, in the words of the refusal
 * @param once returns null after a failed try
 * @throws ApiError unavailable
 */
export const untilUnchanged = async <Result>(what: string, once: () => Promise<Result | null>): Promise<Result> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const result = await once();
    if (result !== null) return result;
  }
  throw new ApiError('unavailable', `The resources of the ${what} keep changing; try again`, {
    headers: { 'Retry-After': '1' },
  });
};

/** The refusal of a member in a request that is too large; null when it fits or the request has none. */
export const memberExcess = ({ askedMember }: PlannedPayment): DomainError | null =>
  askedMember && tooLarge('member', toMember(askedMember), '/body/member');

/** The refusal of a planned payment by the current state of payout lock, network or wallet; null when they allow it. */
export const refusalOf = (
  { record, walletIsInactive, retiredNetwork, lockedPayee }: PlannedPayment,
  wallet = 'The wallet',
): DomainError | null => {
  if (lockedPayee !== null && record.payment_address !== lockedPayee) return payeeNotAllowed(lockedPayee);
  if (retiredNetwork !== null) return networkRetired(retiredNetwork);
  return walletIsInactive ? new DomainError('wallet_inactive', `${wallet} takes no new payments`) : null;
};

/** A payment or a checkout that a request wants, as it would be stored. */
interface Wanted {
  readonly record: { readonly node_id: string };
}

/** How a checked request becomes a payment or a checkout. */
interface Sale<Plan extends Wanted> {
  readonly what: 'payment' | 'order';
  /** The refusal of a new one whose expiry has passed; null when it is ahead. */
  readonly hasPassed: DomainError | null;
  readonly plan: () => Promise<Plan>;
  /** The refusal for any other reason than the expiry and the number of open payments. */
  readonly obstacleTo: (plan: Plan) => DomainError | null;
  /** @throws DomainError when the node has one of this external_id */
  readonly refuseRepeated: (plan: Plan) => Promise<void>;
  /** @returns false when rows of the plan have changed */
  readonly store: (plan: Plan) => Promise<boolean>;
}

/** Creates the function that sells: it plans, judges and stores, and returns the stored plan. */
export const createSales = ({ knex, maxOpenPayments }: { readonly knex: Knex; readonly maxOpenPayments: number }) => {
  const quota = createPaymentQuota(knex, maxOpenPayments);
  return <Plan extends Wanted>({
    what,
    hasPassed,
    plan,
    obstacleTo,
    refuseRepeated,
    store,
  }: Sale<Plan>): Promise<Plan> =>
    untilUnchanged(what, async () => {
      const planned = await plan();
      const { node_id: nodeId } = planned.record;
      let obstacle = hasPassed ?? obstacleTo(planned);
      if (obstacle === null && (await quota.isFull(nodeId)))
        obstacle = new DomainError('too_many_open_payments', 'The node has reached its limit of open payments');
      if (obstacle !== null) {
        // First the answer to a repeated request, which needs only that.
        await refuseRepeated(planned);
        throw obstacle;
      }
      if (!(await store(planned))) return null;
      quota.created(nodeId);
      return planned;
    });
};
