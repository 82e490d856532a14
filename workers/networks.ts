import { checkNetwork } from '../chain/deploy/network-check.ts';
import type { EndpointTrouble } from '../chain/rpc/member.ts';
import { type Rpc, createRpc } from '../chain/rpc/rpc.ts';
import { closeAlerts, handOver, observe, raiseAlerts } from '../db/alerts/alerts.ts';
import type { connect } from '../db/connection.ts';
import type { ConditionAlert } from '../domain/ports/alert.ts';
import type { Log } from '../domain/ports/log.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { logAlerts, logObserved, logOver } from '../domain/tools/observer.ts';
import { createEpisode, type Episode } from '../domain/tools/episode.ts';
import { measure } from '../runtime/measures.ts';
import { processName } from '../outbox/sign-of-life.ts';
import { UnknownRecordError } from '../activities/failures.ts';
import { blocksToKnow, watchedNetwork, watchedNetworks } from '../db/watcher/networks.ts';
import type { NotificationSource } from '../domain/ports/notifications.ts';
import { errorName } from '../domain/tools/error-name.ts';
import type { OutsideClock } from '../domain/tools/outside-clock.ts';
import { logOutcomes, repeat } from '../domain/tools/repeat.ts';

/** An endpoint is well again after so many milliseconds without trouble, in which it was compared with the others. */
const WELL_MS = 60_000;

export interface EndpointAlertOptions {
  readonly knex: ReturnType<typeof connect>;
  readonly log: Log;
  readonly wellMs?: number;
  /** Name of the process. */
  readonly process?: string;
}

/** Logs one line when an endpoint's trouble begins, however often it is demoted meanwhile, and one when it ends. */
const createNote = ({ name }: WatchedNetwork, log: Log, wellMs: number) => {
  const episodes = new Map<number, { readonly episode: Episode; timer?: NodeJS.Timeout }>();
  return ({ endpoint, reason, demotionMs, isLie }: EndpointTrouble): void => {
    const noted = episodes.get(endpoint) ?? { episode: createEpisode() };
    episodes.set(endpoint, noted);
    const fields = { network: name, endpoint: endpoint + 1 };
    const begins = (): void => log.warn('An RPC endpoint was demoted', { ...fields, reason, rest_ms: demotionMs });
    noted.episode.begins(begins, String(isLie));
    clearTimeout(noted.timer);
    const ends = (): void => noted.episode.ends(() => log.info('An RPC endpoint has recovered', fields));
    noted.timer = setTimeout(ends, demotionMs + wellMs).unref();
  };
};

/** Logs and alerts about the endpoints of one network, from the client of one process. */
export const createEndpointAlerts = (
  network: WatchedNetwork,
  { knex, log, wellMs = WELL_MS, process = processName() }: EndpointAlertOptions,
) => {
  const { id, name, rpcUrls } = network;
  const startedAt = performance.now();
  /** When each endpoint was last in trouble, by `performance.now()`. */
  const troubles = new Map<number, number>();
  /** The endpoints about which this process has raised an alert that it has not closed. */
  const told = new Set<number>();
  const note = createNote(network, log, wellMs);

  const raise = async (alert: ConditionAlert): Promise<void> => {
    try {
      const raised = await raiseAlerts(knex, id, [alert]);
      logAlerts({ network, log }, raised);
      if (raised.length === 0) await handOver(knex, alert, process);
    } catch (error) {
      log.warn('An alert could not be stored', { alert: alert.kind, error: String(error) });
    }
  };

  /** The condition of an endpoint, whose position in the catalogue is one more. */
  const atRest = (endpoint: number) =>
    ({ kind: 'endpoint_at_rest', subject: id, cause: String(endpoint + 1) }) as const;

  /** Closes alerts in one statement; SQL says which, by the causes of endpoints. */
  const close = async (which: string, endpoints: readonly number[]): Promise<void> => {
    const causes = endpoints.map((endpoint) => atRest(endpoint).cause);
    const ofNetwork = `a.kind = 'endpoint_at_rest' AND a.subject_id = :id`;
    logOver({ network, log }, await closeAlerts(knex, `${ofNetwork} AND ${which}`, { id, causes }));
  };

  /** Endpoints that are well, and have been for some time. */
  const wellOf = (rpc: Rpc): number[] =>
    rpc.well().filter((endpoint) => performance.now() - (troubles.get(endpoint) ?? -Infinity) >= wellMs);

  return {
    /** Records that an endpoint was demoted. */
    report: (trouble: EndpointTrouble): void => {
      const { endpoint, reason, isLasting, isLie, against, hasOther, demotionMs: ms } = trouble;
      measure('demotion', { network: name, endpoint, ms, isLie });
      troubles.set(endpoint, performance.now());
      note(trouble);
      // When all are silent, the network is unreachable, and its watcher raises that alert.
      if (!isLasting || (!hasOther && !isLie)) return;
      told.add(endpoint);
      const place = rpcUrls.length > 1 ? 'is asked last for now' : 'is not trusted for now';
      const what =
        against === null
          ? `RPC endpoint ${endpoint + 1} of ${rpcUrls.length} ${place}: ${reason}`
          : `the newest blocks of RPC endpoints ${endpoint + 1} and ${against + 1} contradict each other, and nobody knows which is right; ${endpoint + 1} ${place}`;
      void raise({
        ...atRest(endpoint),
        message: `${name}: ${what}`,
        data: { process, endpoint: endpoint + 1, reason, ...(against === null ? {} : { against: against + 1 }) },
      });
    },

    /** Repeats the check of the catalogue, because its findings may have changed since. */
    check: async (): Promise<void> => {
      const { problems, warnings = [] } = await checkNetwork({ ...network, tokens: [] });
      const looked = { kind: 'endpoint_unfit', network: id } as const;
      const found = [...problems, ...warnings].map((message): ConditionAlert => ({
        kind: looked.kind,
        subject: id,
        cause: message,
        message,
      }));
      logObserved({ network, log }, await observe(knex, looked, found));
    },

    /** Closes alerts of this process about endpoints that are well again. */
    closeOwn: async (rpc: Rpc): Promise<void> => {
      const over = wellOf(rpc).filter((endpoint) => told.has(endpoint));
      if (over.length === 0) return;
      await close('a.cause = ANY(:causes)', over);
      for (const endpoint of over) told.delete(endpoint);
    },

    /**
     * Closes alerts about endpoints that are well or no longer belong to the network, also those that another process has
     * raised. Call it seldom: processes may see an endpoint differently.
     */
    closeWell: async (rpc: Rpc): Promise<void> => {
      if (performance.now() - startedAt < wellMs) return;
      const well = wellOf(rpc);
      const ill = [...rpcUrls.keys()].filter((endpoint) => !well.includes(endpoint));
      await close('a.cause <> ALL(:causes)', ill);
    },
  };
};

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
    const keptBlocks = () => blocksToKnow(knex, network.id);
    const told = { report: alerts.report, ...(outside === undefined ? {} : { tellTime: outside.tell }) };
    return { key, rpc: createRpc({ urls, eip155, genesisHash, keptBlocks, blockTimeMs, ...told }), alerts };
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
    await Promise.all([...known.values()].map(({ client }) => client.alerts.closeOwn(client.rpc)));
  };

  return {
    connect: async (networkId) => {
      const stored = await watchedNetwork(knex, networkId);
      if (stored === null) throw new UnknownRecordError(`No network ${networkId} exists`);
      const { network, client, changed } = learn(stored);
      await client.alerts.closeWell(client.rpc);
      return { network, rpc: client.rpc, changed: changed.signal };
    },
    follow: ({ wait }, signal) => {
      const words = { works: 'The catalogue is read again', fails: 'The catalogue could not be read' };
      return repeat(lookAtAll, { signal, everyMs: POLL_MS, wait, ...logOutcomes(log, words) });
    },
  };
};
