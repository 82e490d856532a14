import { UnknownRecordError } from '../activities/failures.ts';
import { createRpc, type Rpc } from '../chain/rpc/rpc.ts';
import { watchedNetwork, watchedNetworks } from '../db/watcher/networks.ts';
import type { NotificationSource } from '../domain/ports/notifications.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { errorName } from '../domain/tools/error-name.ts';
import type { OutsideClock } from '../domain/tools/outside-clock.ts';
import { logOutcomes, repeat } from '../domain/tools/repeat.ts';
import { createEndpointAlerts, type EndpointAlertOptions } from './endpoint-alerts.ts';

/** A network of the catalogue, and its client. */
export interface Connection {
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
  /** Aborts when the catalogue changes the network; users of this connection must connect again. */
  readonly changed: AbortSignal;
}

/** The networks of a process. */
export interface Networks {
  /** @throws UnknownRecordError */
  connect(networkId: string): Promise<Connection>;
  /** Compares them with the catalogue until the signal aborts, on notification and periodically. */
  follow(notified: NotificationSource, signal: AbortSignal): Promise<void>;
}

export interface NetworksOptions extends EndpointAlertOptions {
  /** Called with the clocks of the endpoints. */
  readonly outside?: OutsideClock;
}

/** Milliseconds between two reads of the catalogue, because a notification may be lost. */
const POLL_MS = 2_000;

interface Client {
  readonly key: string;
  readonly rpc: Rpc;
  readonly alerts: ReturnType<typeof createEndpointAlerts>;
}

interface Known {
  /** The catalogue's configuration of the network as JSON. */
  readonly text: string;
  readonly network: WatchedNetwork;
  readonly client: Client;
  readonly changed: AbortController;
}

const textOf = (network: WatchedNetwork): string =>
  JSON.stringify(network, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/**
 * Keeps the networks in step with the catalogue. All users of a network in a process share its client and what it
 * learns about endpoints. The client survives changes of the network that do not concern its endpoints.
 */
export const createNetworks = (options: NetworksOptions): Networks => {
  const { knex, log, outside } = options;
  const known = new Map<string, Known>();

  const clientOf = (network: WatchedNetwork): Client => {
    const { rpcUrls: urls, eip155, genesisHash, blockTimeMs } = network;
    const key = JSON.stringify([urls, eip155, genesisHash, blockTimeMs]);
    const before = known.get(network.id)?.client;
    if (before?.key === key) return before;
    const alerts = createEndpointAlerts(network, options);
    alerts.check().catch((error: unknown) => log.warn('A network could not be checked', { error: errorName(error) }));
    const told = { report: alerts.report, ...(outside === undefined ? {} : { tellTime: outside.tell }) };
    return { key, rpc: createRpc({ urls, eip155, genesisHash, blockTimeMs, ...told }), alerts };
  };

  const learn = (network: WatchedNetwork): Known => {
    const text = textOf(network);
    const before = known.get(network.id);
    if (before?.text === text) return before;
    const now = { text, network, client: clientOf(network), changed: new AbortController() };
    known.set(network.id, now);
    if (before !== undefined) log.info('A change of the catalogue takes effect', { network: network.name });
    before?.changed.abort();
    return now;
  };

  const lookAtAll = async (): Promise<void> => {
    for (const network of await watchedNetworks(knex)) if (known.has(network.id)) learn(network);
    await Promise.all([...known.values()].map(({ client }) => client.alerts.endOwn(client.rpc)));
  };

  return {
    connect: async (networkId) => {
      const stored = await watchedNetwork(knex, networkId);
      if (stored === null) throw new UnknownRecordError(`No network ${networkId} exists`);
      const { network, client, changed } = learn(stored);
      await client.alerts.tellWell(client.rpc);
      return { network, rpc: client.rpc, changed: changed.signal };
    },
    follow: ({ wait }, signal) => {
      const words = { works: 'The catalogue is read again', fails: 'The catalogue could not be read' };
      return repeat(lookAtAll, { signal, everyMs: POLL_MS, wait, ...logOutcomes(log, words) });
    },
  };
};
