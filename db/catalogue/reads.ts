import type { Knex } from 'knex';
import { ChainModel } from './chain-model.ts';
import { CurrencyModel } from './currency-model.ts';
import { NetworkModel } from './network-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/** The chains, newest first. */
export const listChains = (knex: Knex, request: PageRequest): Promise<Page<ChainModel>> =>
  fetchPage(ChainModel.query(knex), request);

/** The networks, newest first. The columns are named because RPC URLs may hold keys. */
export const listNetworks = (knex: Knex, request: PageRequest): Promise<Page<NetworkModel>> =>
  fetchPage(
    NetworkModel.query(knex).select(
      ...['id', 'chain_id', 'name', 'eip155', 'confirmations', 'finality'],
      ...['block_time_ms', 'explorer_url', 'created_at', 'updated_at'],
    ),
    request,
  );

/** The currencies with their tokens, newest first. */
export const listCurrencies = (knex: Knex, request: PageRequest): Promise<Page<CurrencyModel>> =>
  fetchPage(
    CurrencyModel.query(knex).select(
      'currencies.*',
      knex.raw(`(
        SELECT coalesce(jsonb_agg(jsonb_build_object(
          'network_id', t.network_id, 'address', t.address, 'decimals', t.decimals) ORDER BY t.network_id), '[]')
        FROM currency_tokens t WHERE t.currency_id = currencies.id) AS tokens`),
    ),
    request,
  );

/** True when there is a chain of this id. */
export const chainExists = async (knex: Knex, id: string): Promise<boolean> =>
  (await ChainModel.query(knex).findById(id)) !== undefined;

/** The chain of a network; null if there is no such network. */
export const chainOfNetwork = async (knex: Knex, id: string): Promise<string | null> => {
  const network = await NetworkModel.query(knex).findById(id).select('chain_id');
  return network?.chain_id ?? null;
};
