import { checksum } from '../../chain/pure/address.ts';
import {
  listChains,
  listCurrencies,
  listNetworks,
  type ChainModel,
  type CurrencyModel,
  type NetworkModel,
} from '../../db/catalogue/reads.ts';
import { listNodes, type NodeModel } from '../../db/nodes/nodes.ts';
import type { Chain, Currency, Network, Node } from '../generated/openapi-types.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';

/** Nodes above the caller's own are out of reach, so the caller's own node shows no parent. */
const toNode = (node: NodeModel, scopeId: string): Node => ({
  id: node.id,
  parent_id: node.id === scopeId ? null : node.parent_id,
  name: node.name,
  created_at: node.created_at.toISOString(),
  updated_at: node.updated_at.toISOString(),
});

const toChain = ({ id, name, created_at }: ChainModel): Chain => ({ id, name, created_at: created_at.toISOString() });

const toNetwork = (network: NetworkModel): Network => ({
  id: network.id,
  chain_id: network.chain_id,
  name: network.name,
  eip155: Number(network.eip155),
  confirmations: network.confirmations,
  finality: network.finality,
  block_time_ms: network.block_time_ms,
  explorer_url: network.explorer_url,
  retired_at: network.retired_at?.toISOString() ?? null,
  created_at: network.created_at.toISOString(),
  updated_at: network.updated_at.toISOString(),
});

const toCurrency = (currency: CurrencyModel): Currency => ({
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
});

/** The operator's catalogue. Any valid token reads it; nodes are limited to the caller's reach. */
export const createCatalogueHandlers = ({
  knex,
}: HandlerDeps): Pick<Handlers, 'listNodes' | 'listChains' | 'listNetworks' | 'listCurrencies'> => ({
  listNodes: async ({ query, caller }) => {
    const request = pageRequest(query);
    const page = await listNodes(knex, caller.nodeId, request);
    return { status: 200, body: pageBody(page, request, (node) => toNode(node, caller.nodeId)) };
  },

  listChains: async ({ query }) => {
    const request = pageRequest(query);
    return { status: 200, body: pageBody(await listChains(knex, request), request, toChain) };
  },

  listNetworks: async ({ query }) => {
    const request = pageRequest(query);
    const page = await listNetworks(knex, { includeRetired: query.include_retired ?? false }, request);
    return { status: 200, body: pageBody(page, request, toNetwork) };
  },

  listCurrencies: async ({ query }) => {
    const request = pageRequest(query);
    return { status: 200, body: pageBody(await listCurrencies(knex, request), request, toCurrency) };
  },
});
