import type { Knex } from 'knex';
import { networkRetired } from '../../domain/errors.ts';
import type { Platform } from '../../domain/platform.ts';
import { BaseModel } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { rowsOf } from '../query/statements.ts';

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

/** Converts a chain's row to its platform. */
export const toPlatform = (chain: Pick<ChainModel, 'first_root' | 'platform_id' | 'approval_delay'>): Platform => ({
  firstRoot: chain.first_root,
  approvalDelay: BigInt(chain.approval_delay),
  id: chain.platform_id,
});

/** An EVM network as clients may see it, without its RPC URLs. */
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
  /** Time of its retirement; null while it is in use. */
  declare retired_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/** A currency's token on a network in use. A null address is the native coin. */
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

/** Lists the chains, newest first. */
export const listChains = (knex: Knex, request: PageRequest): Promise<Page<ChainModel>> =>
  fetchPage(ChainModel.query(knex), request);

/** Lists networks in use, optionally with retired ones, newest first. Selects columns by name: RPC URLs may contain keys. */
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

/** Lists the currencies with their tokens on networks in use, newest first. */
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

/** Reads the platform of a chain; null when the chain does not exist. */
export const platformOfChain = async (knex: Knex, id: string): Promise<Platform | null> => {
  const chain = await ChainModel.query(knex).findById(id);
  return chain === undefined ? null : toPlatform(chain);
};

/** Reads the chain's id of a network; null when the network does not exist. */
export const chainOfNetwork = async (knex: Knex, id: string): Promise<string | null> => {
  const network = await NetworkModel.query(knex).findById(id).select('chain_id');
  return network?.chain_id ?? null;
};

/**
 * Makes sure that a network is not retired. In a transaction, that stays true until its end.
 * @throws DomainError network_retired
 */
export const assertInUse = async (knex: Knex, networkId: string): Promise<void> => {
  const rows = await rowsOf<{ name: string; is_retired: boolean }>(knex, [networkId])(
    'SELECT name, retired_at IS NOT NULL AS is_retired FROM networks WHERE id = ? FOR SHARE',
  );
  if (rows[0]?.is_retired) throw networkRetired(rows[0].name);
};

/** Reads the symbol of a network's native coin; null when no currency has it. */
export const nativeSymbol = async (knex: Knex, networkId: string): Promise<string | null> => {
  const row = await knex('currency_tokens as t')
    .join('currencies as c', 'c.id', 't.currency_id')
    .where({ 't.network_id': networkId, 't.address': null })
    .first<{ symbol: string } | undefined>('c.symbol');
  return row?.symbol ?? null;
};
