import type { Knex } from 'knex';
import { networkRetired } from '../../domain/errors.ts';
import type { Platform } from '../../domain/platform.ts';
import { BaseModel } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';

/** A family of networks. */
export class ChainModel extends BaseModel {
  static override readonly tableName = 'chains';

  declare id: string;
  declare name: string;
  declare first_root: string;
  declare platform_id: string;
  /** Seconds. */
  declare approval_delay: number;
  declare created_at: Date;
}

/** What the addresses of a chain's contracts follow from, of its row. */
export const toPlatform = (chain: Pick<ChainModel, 'first_root' | 'platform_id' | 'approval_delay'>): Platform => ({
  firstRoot: chain.first_root,
  approvalDelay: BigInt(chain.approval_delay),
  id: chain.platform_id,
});

/** One EVM network as it may be shown: without its RPC URLs. */
export class NetworkModel extends BaseModel {
  static override readonly tableName = 'networks';

  declare id: string;
  declare chain_id: string;
  declare name: string;
  /** Decimal text of the EIP-155 id. */
  declare eip155: string;
  declare confirmations: number;
  declare finality: number;
  declare block_time_ms: number;
  declare explorer_url: string | null;
  /** Since when it takes nothing new; null while it is in use. */
  declare retired_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/** Where a currency is on one network that is in use; a null address is the native coin. */
export interface CurrencyToken {
  readonly network_id: string;
  readonly address: string | null;
  readonly decimals: number;
}

/** A currency with its tokens. */
export class CurrencyModel extends BaseModel {
  static override readonly tableName = 'currencies';

  declare id: string;
  declare symbol: string;
  declare name: string;
  declare decimals: number;
  declare created_at: Date;
  /** Selected beside the columns. */
  declare tokens: CurrencyToken[];
}

/** The chains, newest first. */
export const listChains = (knex: Knex, request: PageRequest): Promise<Page<ChainModel>> =>
  fetchPage(ChainModel.query(knex), request);

/** The networks in use, or with the retired ones, newest first. The columns are named because RPC URLs may hold keys. */
export const listNetworks = (
  knex: Knex,
  { includeRetired }: { readonly includeRetired: boolean },
  request: PageRequest,
): Promise<Page<NetworkModel>> => {
  const query = NetworkModel.query(knex).select(
    'id',
    'chain_id',
    'name',
    'eip155',
    'confirmations',
    'finality',
    'block_time_ms',
    'explorer_url',
    'retired_at',
    'created_at',
    'updated_at',
  );
  return fetchPage(includeRetired ? query : query.whereNull('retired_at'), request);
};

/** The currencies with their tokens on networks that are in use, newest first. */
export const listCurrencies = (knex: Knex, request: PageRequest): Promise<Page<CurrencyModel>> =>
  fetchPage(
    CurrencyModel.query(knex).select(
      'currencies.*',
      knex.raw(`(
        SELECT coalesce(jsonb_agg(jsonb_build_object(
          'network_id', t.network_id, 'address', t.address, 'decimals', t.decimals) ORDER BY t.network_id), '[]')
        FROM currency_tokens t JOIN networks n ON n.id = t.network_id AND n.retired_at IS NULL
        WHERE t.currency_id = currencies.id) AS tokens`),
    ),
    request,
  );

/** What the addresses of the chain's contracts follow from; null if there is no such chain. */
export const platformOfChain = async (knex: Knex, id: string): Promise<Platform | null> => {
  const chain = await ChainModel.query(knex).findById(id);
  return chain === undefined ? null : toPlatform(chain);
};

/** The chain of a network; null if there is no such network. */
export const chainOfNetwork = async (knex: Knex, id: string): Promise<string | null> => {
  const network = await NetworkModel.query(knex).findById(id).select('chain_id');
  return network?.chain_id ?? null;
};

/**
 * Makes sure that a network takes what is new; in a transaction it stays so until the end of that.
 * @throws DomainError network_retired
 */
export const assertInUse = async (knex: Knex, networkId: string): Promise<void> => {
  const { rows } = await knex.raw<{ rows: { name: string; is_retired: boolean }[] }>(
    'SELECT name, retired_at IS NOT NULL AS is_retired FROM networks WHERE id = ? FOR SHARE',
    [networkId],
  );
  if (rows[0]?.is_retired) throw networkRetired(rows[0].name);
};

/** What the coin of a network is called; null where no currency is it. */
export const nativeSymbol = async (knex: Knex, networkId: string): Promise<string | null> => {
  const row = await knex('currency_tokens as t')
    .join('currencies as c', 'c.id', 't.currency_id')
    .where({ 't.network_id': networkId, 't.address': null })
    .first<{ symbol: string } | undefined>('c.symbol');
  return row?.symbol ?? null;
};
