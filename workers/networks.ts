import { UnknownRecordError } from '../activities/failures.ts';
import { checkNetwork } from '../chain/deploy/network-check.ts';
import { logAlerts, thisHour } from '../chain/alert.ts';
import type { EndpointTrouble } from '../chain/rpc/member.ts';
import { createRpc, type Rpc } from '../chain/rpc/rpc.ts';
import { raiseAlerts } from '../db/alerts/alerts.ts';
import { watchedNetwork } from '../db/watcher/networks.ts';
import type { Alert } from '../domain/ports/alert.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import type { ChainDeps } from './chain.ts';

/** A network of the catalogue as it is now, and how it is asked. */
interface Connection {
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
}

type Tell = (network: WatchedNetwork, alert: Alert) => Promise<void>;

/**
 * Finds networks anew each time, so that a changed catalogue takes effect by itself. All of a process that use a network
 * share its client: what one learns of an endpoint spares the others.
 */
export const createNetworks = ({ knex, log }: Pick<ChainDeps, 'knex' | 'log'>) => {
  const clients = new Map<string, Rpc>();

  const tell: Tell = async (network, alert) => {
    try {
      logAlerts({ network, log }, await raiseAlerts(knex, network.id, [alert]));
    } catch (error) {
      log.warn('An alert could not be stored', { alert: alert.kind, error: String(error) });
    }
  };

  const connect = (network: WatchedNetwork): Rpc => {
    const { rpcUrls: urls, eip155, genesisHash, blockTimeMs } = network;
    const report = (trouble: EndpointTrouble): void => {
      const { endpoint, reason, restMs } = trouble;
      const where = { network: network.name, endpoint: endpoint + 1 };
      log.warn('An RPC endpoint lost its place', { ...where, reason, rest_ms: restMs });
      if (trouble.isLasting) void tell(network, alertOf(network, trouble));
    };
    return createRpc({ urls, eip155, genesisHash, blockTimeMs, report });
  };

  /** What the catalogue's check found may have changed since. */
  const probe = async (network: WatchedNetwork): Promise<void> => {
    const { problems, warnings = [] } = await checkNetwork({ ...network, tokens: [] });
    for (const message of [...problems, ...warnings]) {
      const key = `endpoint_unfit:${network.id}:${message}:${new Date().toISOString().slice(0, 10)}`;
      await tell(network, { key, kind: 'endpoint_unfit', message });
    }
  };

  return async (networkId: string): Promise<Connection> => {
    const network = await watchedNetwork(knex, networkId);
    if (network === null) throw new UnknownRecordError(`There is no network ${networkId}`);
    const key = JSON.stringify([network.id, network.rpcUrls, network.eip155, network.genesisHash, network.blockTimeMs]);
    const known = clients.get(key);
    if (known) return { network, rpc: known };
    const rpc = connect(network);
    clients.set(key, rpc);
    probe(network).catch((error: unknown) => log.warn('A network could not be checked', { error: String(error) }));
    return { network, rpc };
  };
};

const alertOf = ({ id, name, rpcUrls }: WatchedNetwork, { endpoint, reason }: EndpointTrouble): Alert => ({
  key: `endpoint_at_rest:${id}:${endpoint}:${reason}:${thisHour()}`,
  kind: 'endpoint_at_rest',
  message: `${name}: RPC endpoint ${endpoint + 1} of ${rpcUrls.length} is asked last for now: ${reason}`,
  data: { endpoint: endpoint + 1, reason },
});
