import { checkNetwork } from '../chain/deploy/network-check.ts';
import type { EndpointTrouble } from '../chain/rpc/member.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import { closeAlerts, endCondition, handOver, observe, raiseAlerts } from '../db/alerts/alerts.ts';
import type { connect } from '../db/connection.ts';
import type { ConditionAlert } from '../domain/ports/alert.ts';
import type { Log } from '../domain/ports/log.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { logAlerts, logObserved, logOver } from '../domain/tools/alert-log.ts';
import { createEpisode, type Episode } from '../domain/tools/episode.ts';
import { measure } from '../runtime/measures.ts';
import { processName } from '../outbox/sign-of-life.ts';

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
    endOwn: async (rpc: Rpc): Promise<void> => {
      for (const endpoint of wellOf(rpc).filter((one) => told.has(one))) {
        logOver({ network, log }, await endCondition(knex, atRest(endpoint)));
        told.delete(endpoint);
      }
    },

    /**
     * Closes alerts about endpoints that are well or no longer belong to the network, also those that another process has
     * raised. Call it seldom: processes may see an endpoint differently.
     */
    tellWell: async (rpc: Rpc): Promise<void> => {
      if (performance.now() - startedAt < wellMs) return;
      const well = wellOf(rpc);
      const ill = rpcUrls.flatMap((_, endpoint) => (well.includes(endpoint) ? [] : [atRest(endpoint).cause]));
      const which = `a.kind = 'endpoint_at_rest' AND a.subject_id = :id AND a.cause <> ALL(:ill)`;
      logOver({ network, log }, await closeAlerts(knex, which, { id, ill }));
    },
  };
};
