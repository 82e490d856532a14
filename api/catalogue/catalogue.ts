import type { Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { listChains, listCurrencies, listNetworks } from '../../db/catalogue/reads.ts';
import { listNodes } from '../../db/nodes/nodes.ts';
import type { Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../http/page.ts';

/** What the operator provisioned; any valid token reads it, nodes only the caller's own. */
export const createCatalogueHandlers = ({
  knex,
}: {
  readonly knex: Knex;
}): Pick<Handlers, 'listNodes' | 'listChains' | 'listNetworks' | 'listCurrencies'> => ({
  listNodes: async ({ query, caller }) => {
    const request = pageRequest(query);
    const body = pageBody(await listNodes(knex, caller.nodeId, request), request, (node) => ({
      id: node.id,
      // What is above the caller's own node is out of reach.
      parent_id: node.id === caller.nodeId ? null : node.parent_id,
      name: node.name,
      created_at: node.created_at.toISOString(),
      updated_at: node.updated_at.toISOString(),
    }));
    return { status: 200, body };
  },

  listChains: async ({ query }) => {
    const request = pageRequest(query);
    const body = pageBody(await listChains(knex, request), request, ({ id, name, created_at }) => ({
      id,
      name,
      created_at: created_at.toISOString(),
    }));
    return { status: 200, body };
  },

  listNetworks: async ({ query }) => {
    const request = pageRequest(query);
    const body = pageBody(await listNetworks(knex, request), request, (network) => ({
      id: network.id,
      chain_id: network.chain_id,
      name: network.name,
      eip155: Number(network.eip155),
      confirmations: network.confirmations,
      finality: network.finality,
      block_time_ms: network.block_time_ms,
      explorer_url: network.explorer_url,
      created_at: network.created_at.toISOString(),
      updated_at: network.updated_at.toISOString(),
    }));
    return { status: 200, body };
  },

  listCurrencies: async ({ query }) => {
    const request = pageRequest(query);
    const body = pageBody(await listCurrencies(knex, request), request, (currency) => ({
      id: currency.id,
      symbol: currency.symbol,
      name: currency.name,
      decimals: currency.decimals,
      tokens: currency.tokens.map((token) => ({
        network_id: token.network_id,
        address: token.address === null ? null : checksum(token.address),
        decimals: token.decimals,
      })),
      created_at: currency.created_at.toISOString(),
    }));
    return { status: 200, body };
  },
});
