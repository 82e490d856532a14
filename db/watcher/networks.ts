import type { Knex } from 'knex';
import { toPlatform } from '../catalogue/reads.ts';
import type { BlockPlace, WatchedNetwork } from '../../domain/ports/watcher.ts';

interface NetworkRow {
  id: string;
  name: string;
  eip155: string;
  rpc_urls: string[];
  quorum: number;
  confirmations: number;
  finality: number;
  block_time_ms: number;
  max_fee_per_gas: string;
  genesis_hash: string | null;
  first_root: string;
  approval_delay: number;
  platform_id: string;
  root: string;
  guardian: string;
  is_at_rest: boolean;
}

const toWatched = (row: NetworkRow): WatchedNetwork => ({
  id: row.id,
  name: row.name,
  eip155: Number(row.eip155),
  rpcUrls: row.rpc_urls,
  quorum: row.quorum,
  confirmations: row.confirmations,
  finality: row.finality,
  blockTimeMs: row.block_time_ms,
  maxFeePerGas: BigInt(row.max_fee_per_gas),
  genesisHash: row.genesis_hash,
  platform: toPlatform(row),
  root: row.root,
  guardian: row.guardian,
  isAtRest: row.is_at_rest,
});

const networks = (knex: Knex) =>
  knex('networks as n')
    .join('chains as c', 'c.id', 'n.chain_id')
    .select<NetworkRow[]>(
      'n.id',
      'n.name',
      'n.eip155',
      'n.rpc_urls',
      'n.quorum',
      'n.confirmations',
      'n.finality',
      'n.block_time_ms',
      'n.max_fee_per_gas',
      'n.genesis_hash',
      'n.root',
      'n.guardian',
      'c.first_root',
      'c.approval_delay',
      'c.platform_id',
      knex.raw('n.rested_at IS NOT NULL AS is_at_rest'),
    );

/** All networks of the catalogue with their RPC URLs, for workers only. */
export const watchedNetworks = async (knex: Knex): Promise<WatchedNetwork[]> =>
  (await networks(knex).orderBy('n.name')).map(toWatched);

/** One network with its RPC URLs, for workers only. Null if there is none. */
export const watchedNetwork = async (knex: Knex, id: string): Promise<WatchedNetwork | null> => {
  const [row] = await networks(knex).where({ 'n.id': id });
  return row === undefined ? null : toWatched(row);
};

/** Most blocks by which an endpoint is known. */
const KNOWN_BY = 8;

/**
 * Stored blocks of a network that are confirmed, ascending: the oldest, and others ever nearer to the newest, because an endpoint may have
 * pruned most of them.
 */
export const blocksToKnow = async (knex: Knex, networkId: string): Promise<BlockPlace[]> => {
  const { rows } = await knex.raw<{ rows: { number: string; hash: string }[] }>(
    `SELECT h.number, h.hash FROM block_headers h JOIN watch_cursors c ON c.network_id = h.network_id
     WHERE h.network_id = :network_id AND h.number <= c.confirmed_number ORDER BY h.number`,
    { network_id: networkId },
  );
  const places = Array.from({ length: KNOWN_BY }, (_, index) => Math.floor((rows.length - 1) * (1 - 0.5 ** index)));
  return [...new Set(places)].flatMap((place) => {
    const row = rows[place];
    return row === undefined ? [] : [{ number: Number(row.number), hash: row.hash }];
  });
};
