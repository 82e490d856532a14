import type { Knex } from 'knex';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';

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
});

const columns = [
  ...['id', 'name', 'eip155', 'rpc_urls', 'quorum', 'confirmations', 'finality'],
  ...['block_time_ms', 'max_fee_per_gas', 'genesis_hash'],
];

/** All networks of the catalogue with their RPC URLs, for workers only. */
export const watchedNetworks = async (knex: Knex): Promise<WatchedNetwork[]> => {
  const rows = await knex('networks').select<NetworkRow[]>(columns).orderBy('name');
  return rows.map(toWatched);
};

/** One network with its RPC URLs, for workers only. Null if there is none. */
export const watchedNetwork = async (knex: Knex, id: string): Promise<WatchedNetwork | null> => {
  const row = await knex('networks').select<NetworkRow[]>(columns).where({ id }).first<NetworkRow | undefined>();
  return row === undefined ? null : toWatched(row);
};
