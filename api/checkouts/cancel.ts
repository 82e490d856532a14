import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { cancelCheckout } from '../../db/checkouts/cancel.ts';
import { findCheckout, isCheckout } from '../../db/checkouts/read.ts';
import { changed } from '../../domain/audit.ts';
import { DomainError, found, outOfReach } from '../../domain/errors.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Checkout } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { auditedCheckout, createCheckoutResponse, type CheckoutResponseDeps } from './response.ts';

const accepted = { status: 202 as const, body: { status: 'accepted' as const } };

/** `POST /api/v1/checkouts/{id}/cancel`. */
export const createCheckoutCancellation = (
  deps: CheckoutResponseDeps & { readonly knex: Knex; readonly dispatch: Dispatch },
): Pick<Handlers, 'cancelCheckout'> => {
  const { knex, dispatch } = deps;
  const toCheckout = createCheckoutResponse(deps);
  return {
    cancelCheckout: async ({ params, caller, audit }) => {
      const answer = await auditedTransaction(knex, audit, async (trx) => {
        const read = async (): Promise<Checkout> => {
          const checkout = await findCheckout(trx, caller.nodeId, params.id);
          if (checkout === null && (await isCheckout(trx, params.id))) throw outOfReach('order');
          return toCheckout(found(checkout, 'checkout'));
        };
        const before = await read();
        const result = await cancelCheckout(trx, { checkoutId: before.id, actorId: audit.actorId });
        if (result === 'refused')
          throw new DomainError('checkout_not_cancelable', 'The order is being paid, or has ended');
        if (result === 'again') return { answer: accepted, change: null };
        const change = changed('checkout.cancel_requested', auditedCheckout(before), auditedCheckout(await read()));
        return { answer: accepted, change };
      });
      dispatch.now();
      return answer;
    },
  };
};
