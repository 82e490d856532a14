import type { Knex } from 'knex';
import { isWithoutParent } from '../../db/nodes/nodes.ts';
import {
  readAges,
  readNetworkLooks,
  readWorkers,
  type NetworkLook,
  type WorkerLife,
} from '../../db/processes/processes.ts';
import { lateAfterMs } from '../../domain/catalogue/late-blocks.ts';
import { DomainError } from '../../domain/errors.ts';
import { createSingleFlight } from '../../domain/tools/single-flight.ts';
import type { NetworkStatus, ServiceStatus, StatusFigure, WorkerStatus } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';

interface StatusDeps {
  readonly knex: Knex;
  /** Seconds of silence of workers or Temporal before the operator is alerted. */
  readonly silenceSeconds: number;
}

/** A figure is late beyond its bound, and down beyond this many times its bound. */
const DOWN = 3;
/** In milliseconds. */
const DATABASE_BOUND = 500;
/**
 * In seconds. A healthy process writes a sign of life every five seconds, after up to two seconds of waiting for
 * Temporal.
 */
const SIGN_BOUND = 8;
/** In seconds. */
const COMMAND_BOUND = 30;
const INTENT_BOUND = 60;
const OFFER_BOUND = 10;
/** Of attempts of webhooks, which are never `down`: one slow receiver with a backlog makes them late. */
const FIRST_BOUND = 15;
const RETRY_BOUND = 300;

const MAX_WORKERS = 50;
const MAX_NETWORKS = 200;

const worst = ['down', 'late', 'ok'] as const;
type Health = (typeof worst)[number];

const worstOf = (all: readonly { readonly status: Health }[]): Health =>
  worst.find((status) => all.some((one) => one.status === status)) ?? 'ok';

/**
 * @param value null when nothing can be late
 * @param end bound of `down`
 */
const figure = (
  value: number | null,
  bound: number,
  unit: StatusFigure['unit'] = 'seconds',
  end = bound * DOWN,
): StatusFigure => {
  // After a clock was set back, an age counts as 0.
  const shown = value === null ? null : Math.max(0, Math.round(value * 10) / 10);
  const within = (limit: number): boolean => shown === null || shown <= limit;
  if (within(bound)) return { status: 'ok', value: shown, bound, unit };
  return { status: within(end) ? 'late' : 'down', value: shown, bound, unit };
};

/** The same, but null is down. */
const sign = (age: number | null, bound: number, end?: number): StatusFigure => ({
  ...figure(age, bound, 'seconds', end),
  ...(age === null && { status: 'down' }),
});

const workerStatus = (
  { id, name, started_at, age, temporal_age }: WorkerLife,
  bound: number,
  end: number,
): WorkerStatus => ({
  id,
  name,
  started_at: started_at.toISOString(),
  ...sign(Math.max(age, temporal_age), bound, end),
});

/** A chain may produce no blocks while nothing waits for them; then the time since the watcher's last read counts. */
const networkStatus = (look: NetworkLook): NetworkStatus => {
  const bound = lateAfterMs(look.block_time_ms) / 1_000;
  return {
    network_id: look.id,
    name: look.name,
    last_block: look.number === null ? null : Number(look.number),
    limits: { least_tip_wei: look.least_tip, most_data_bytes: look.most_data, most_gas: look.most_gas },
    ...sign(look.is_awaited ? look.risen_age : look.looked_age, bound),
    ...(look.is_halted && { status: 'down' }),
  };
};

/** Reads the health of everything that Carat depends on. Its queries run one after another, so that it takes one connection only. */
export const readStatus = async ({ knex, silenceSeconds }: StatusDeps): Promise<ServiceStatus> => {
  const beginning = performance.now();
  await knex.raw('SELECT 1');
  const database = figure(performance.now() - beginning, DATABASE_BOUND, 'milliseconds');
  const ages = await readAges(knex, silenceSeconds);
  const { workers, total } = await readWorkers(knex, MAX_WORKERS);
  const networks = (await readNetworkLooks(knex)).map(networkStatus);
  // The operator is alerted at the bound of `down`.
  const silence = [Math.max(SIGN_BOUND, silenceSeconds / DOWN), silenceSeconds] as const;
  const parts = {
    database,
    temporal: sign(ages.temporal, ...silence),
    workers: sign(workers[0]?.age ?? null, ...silence),
    commands: figure(ages.command, COMMAND_BOUND),
    intents: figure(ages.intent, INTENT_BOUND),
    offers: figure(ages.offer, OFFER_BOUND),
    webhooks: figure(ages.first, FIRST_BOUND, 'seconds', Infinity),
    webhook_retries: figure(ages.retry, RETRY_BOUND, 'seconds', Infinity),
  };
  return {
    status: worstOf([...Object.values(parts), ...networks]),
    at: new Date().toISOString(),
    ...parts,
    worker_count: total,
    worker_list: workers.map((worker) => workerStatus(worker, ...silence)),
    network_count: networks.length,
    network_list: networks.toSorted((a, b) => worst.indexOf(a.status) - worst.indexOf(b.status)).slice(0, MAX_NETWORKS),
  };
};

/** `getStatus`: health of everything that Carat depends on. */
export const createStatusHandlers = (deps: StatusDeps): Pick<Handlers, 'getStatus'> => {
  // Requests that arrive during a read share the next one.
  const look = createSingleFlight(() => readStatus(deps), { late: 'next' });
  return {
    getStatus: async ({ caller }) => {
      if (!(await isWithoutParent(deps.knex, caller.nodeId))) {
        throw new DomainError('node_access_denied', 'Only integrations of a node without a parent may read the status');
      }
      return { status: 200, body: await look() };
    },
  };
};
