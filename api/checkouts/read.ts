import type { Knex } from 'knex';
import { CheckoutModel } from '../../db/checkouts/model.ts';
import { findCheckout, listCheckouts } from '../../db/checkouts/read.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { createCounter } from '../../db/query/counter.ts';
import { found } from '../../domain/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { toTime } from '../request/formats.ts';
import { pageBody, pageRequest } from '../request/page.ts';
import { createCheckoutResponse, type CheckoutResponseDeps } from './response.ts';

/** Read operations: one order, and lists. */
export const createCheckoutReads = (
  deps: CheckoutResponseDeps & { readonly knex: Knex },
): Pick<Handlers, 'getCheckout' | 'listCheckouts'> => {
  const { knex } = deps;
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
  };
};
