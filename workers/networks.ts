import { UnknownRecordError } from '../activities/failures.ts';
import { createRpc, type Rpc } from '../chain/rpc/rpc.ts';
import { watchedNetwork } from '../db/watcher/networks.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { createEndpointAlerts, type EndpointAlertOptions } from './endpoint-alerts.ts';

/** A network of the catalogue as it is now, and how it is asked. */
interface Connection {
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
}

interface NetworkClient {
  readonly rpc: Rpc;
  readonly alerts: ReturnType<typeof createEndpointAlerts>;
}

/**
 * Finds networks anew each time, so that a changed catalogue takes effect by itself. All of a process that use a network
 * share its client: what one learns of an endpoint spares the others.
 */
export const createNetworks = (options: EndpointAlertOptions) => {
  const { knex, log } = options;
  const clients = new Map<string, NetworkClient>();

  const connect = (network: WatchedNetwork): NetworkClient => {
    const { rpcUrls: urls, eip155, genesisHash, blockTimeMs } = network;
    const alerts = createEndpointAlerts(network, options);
    alerts.probe().catch((error: unknown) => log.warn('A network could not be checked', { error: String(error) }));
    return { rpc: createRpc({ urls, eip155, genesisHash, blockTimeMs, report: alerts.report }), alerts };
  };

  return async (networkId: string): Promise<Connection> => {
    const network = await watchedNetwork(knex, networkId);
    if (network === null) throw new UnknownRecordError(`There is no network ${networkId}`);
    const key = JSON.stringify([network.id, network.rpcUrls, network.eip155, network.genesisHash, network.blockTimeMs]);
    const client = clients.get(key) ?? connect(network);
    clients.set(key, client);
    await client.alerts.tellWell(client.rpc);
    return { network, rpc: client.rpc };
  };
};
