import type { Knex } from 'knex';
import { isWithoutParent } from '../../db/nodes/nodes.ts';
import {
  readAges,
  readNetworkLooks,
  readWorkers,
  type NetworkLook,
  type WorkerLife,
} from '../../db/processes/status.ts';
import { DomainError } from '../../domain/errors.ts';
import { createSingleFlight } from '../../domain/tools/single-flight.ts';
import type { NetworkStatus, ServiceStatus, StatusFigure, WorkerStatus } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';

export interface StatusDeps {
  readonly knex: Knex;
  /** So long workers and Temporal may be silent before the operator is told. */
  readonly silenceSeconds: number;
}

/** Beyond its bound a figure is late, beyond so many times the bound it is down. */
const DOWN = 3;
/** In milliseconds. */
const DATABASE_BOUND = 500;
/** Seconds: a healthy process writes a sign of life every five, and waits up to two for Temporal before it does. */
const SIGN_BOUND = 8;
/** In seconds. */
const COMMAND_BOUND = 30;
const INTENT_BOUND = 60;
/** A watcher may be so many blocks late, and in any case so many seconds. */
const BLOCKS_BOUND = 10;
const LOOK_BOUND = 15;

const MAX_WORKERS = 50;
const MAX_NETWORKS = 200;

const worst = ['down', 'late', 'ok'] as const;
type Health = (typeof worst)[number];

const worstOf = (all: readonly { readonly status: Health }[]): Health =>
  worst.find((status) => all.some((one) => one.status === status)) ?? 'ok';

/**
 * @param value null where there is nothing that could be late
 * @param end beyond this value the figure is down
 */
const figure = (
  value: number | null,
  bound: number,
  unit: StatusFigure['unit'] = 'seconds',
  end = bound * DOWN,
): StatusFigure => {
  // A clock that was set back makes nothing younger than new.
  const shown = value === null ? null : Math.max(0, Math.round(value * 10) / 10);
  const within = (limit: number): boolean => shown === null || shown <= limit;
  if (within(bound)) return { status: 'ok', value: shown, bound, unit };
  return { status: within(end) ? 'late' : 'down', value: shown, bound, unit };
};

/** The same, where nothing is as bad as it gets. */
const sign = (age: number | null, bound: number, end?: number): StatusFigure => ({
  ...figure(age, bound, 'seconds', end),
  ...(age === null && { status: 'down' }),
});

const workerStatus = ({ id, name, started_at, age }: WorkerLife, bound: number, end: number): WorkerStatus => ({
  id,
  name,
  started_at: started_at.toISOString(),
  ...sign(age, bound, end),
});

/** A chain may rest for as long as it likes while nothing of ours waits for its blocks. */
const networkStatus = (look: NetworkLook): NetworkStatus => {
  const bound = Math.max(LOOK_BOUND, (BLOCKS_BOUND * look.block_time_ms) / 1_000);
  return {
    network_id: look.id,
    name: look.name,
    last_block: look.number === null ? null : Number(look.number),
    ...sign(look.is_awaited ? look.risen_age : look.looked_age, bound),
    ...(look.is_halted && { status: 'down' }),
  };
};

/** Asks one thing after the other, so that it takes one connection however many there are. */
const readStatus = async ({ knex, silenceSeconds }: StatusDeps): Promise<ServiceStatus> => {
  const beginning = performance.now();
  await knex.raw('SELECT 1');
  const database = figure(performance.now() - beginning, DATABASE_BOUND, 'milliseconds');
  const ages = await readAges(knex, silenceSeconds);
  const { workers, total } = await readWorkers(knex, MAX_WORKERS);
  const networks = (await readNetworkLooks(knex)).map(networkStatus);
  // Down is what the operator is told of.
  const silence = [Math.max(SIGN_BOUND, silenceSeconds / DOWN), silenceSeconds] as const;
  const parts = {
    database,
    temporal: sign(ages.temporal, ...silence),
    workers: sign(workers[0]?.age ?? null, ...silence),
    commands: figure(ages.command, COMMAND_BOUND),
    intents: figure(ages.intent, INTENT_BOUND),
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

/** How it stands with everything that Carat needs. */
export const createStatusHandlers = (deps: StatusDeps): Pick<Handlers, 'getStatus'> => {
  // Whoever asks meanwhile shares the next look.
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
