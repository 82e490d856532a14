import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts';
import { watchedNetworks } from '../../db/watcher/networks.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { withDatabase, type Database } from './database.ts';

/** A network of the catalogue with its endpoints. */
export interface OnNetwork {
  readonly knex: Database;
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
}

/**
 * The network of this name.
 * @throws Error when the catalogue has none
 */
export const networkNamed = async (knex: Database, name: string): Promise<WatchedNetwork> => {
  const all = await watchedNetworks(knex);
  const network = all.find((candidate) => candidate.name === name);
  if (network !== undefined) return network;
  const known = all.length === 0 ? '' : `; it has ${all.map((other) => other.name).join(', ')}`;
  throw new Error(`the catalogue has no network ${name}${known}`);
};

/**
 * Runs `work` for the network of this name.
 * @throws Error when the catalogue has none
 */
export const onNetwork = (
  config: Parameters<typeof withDatabase>[0],
  name: string,
  work: (on: OnNetwork) => Promise<void>,
): Promise<void> =>
  withDatabase(config, async (knex) => {
    const network = await networkNamed(knex, name);
    await work({ knex, network, rpc: rpcOf(network) });
  });

/** Connects to the endpoints of a network. */
export const rpcOf = ({ rpcUrls: urls, eip155, blockTimeMs }: WatchedNetwork): Rpc =>
  createRpc({ urls, eip155, blockTimeMs });
