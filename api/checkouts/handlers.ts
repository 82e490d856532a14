import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { cancelCheckout } from '../../db/checkouts/choose.ts';
import { findCheckout, listCheckouts, isCheckout, CheckoutModel } from '../../db/checkouts/read.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { createCounter } from '../../db/query/counter.ts';
import { changed } from '../../domain/audit.ts';
import { found, DomainError, outOfReach } from '../../domain/errors.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Checkout } from '../generated/openapi-types.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';
import { toTime } from '../request/formats.ts';
import { pageBody, pageRequest } from '../request/page.ts';
import { createCheckoutResponse, auditedCheckout, type CheckoutResponseDeps } from './response.ts';

const accepted = { status: 202 as const, body: { status: 'accepted' as const } };

/** Operations of merchants on their orders: get, list, cancel. */
export const createCheckoutHandlers = (
  deps: CheckoutResponseDeps & HandlerDeps & { readonly dispatch: Dispatch },
): Pick<Handlers, 'getCheckout' | 'listCheckouts' | 'cancelCheckout'> => {
  const { knex, dispatch } = deps;
  const toCheckout = createCheckoutResponse(deps);
  const countAll = createCounter(knex, CheckoutModel);
  return {
    getCheckout: async ({ params, caller }) => ({
      status: 200,
      body: toCheckout(found(await findCheckout(knex, caller.nodeId, params.id), 'checkout')),
    }),
    listCheckouts: async ({ query, caller }) => {
      const request = pageRequest(query);
      const node = found(await findNode(knex, caller.nodeId, query.node_id), 'node');
      const checkouts = await listCheckouts(
        knex,
        {
          nodeId: node.id,
          includeDescendants: query.include_descendants,
          externalId: query.external_id,
          status: query.status,
          createdFrom: toTime(query.created_from),
          createdTo: toTime(query.created_to),
        },
        request,
        countAll,
      );
      return { status: 200, body: pageBody(checkouts, request, toCheckout) };
    },
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
