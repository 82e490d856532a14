import { Gauge, type Registry } from 'prom-client';
import { onMeasure, refusalReasons, type RefusalReason } from '../runtime/measures.ts';
import type { PoolCounts } from '../db/connection.ts';

/** Shows the differences between this process's clock, the database's, and those of servers elsewhere. */
export const showClock = (register: Registry): void => {
  const ahead = new Gauge({
    name: 'carat_clock_ahead_seconds',
    help: "Seconds by which this process's clock is ahead of the database's",
    registers: [register],
  });
  onMeasure('clock', ({ aheadMs }) => ahead.set(aheadMs / 1_000));
  const outside = new Gauge({
    name: 'carat_clock_ahead_of_outside_seconds',
    help: "Seconds by which this process's clock is ahead of those of most RPC endpoints; missing without two of different providers",
    registers: [register],
  });
  outside.remove();
  onMeasure('outsideClock', ({ aheadMs }) => (aheadMs === null ? outside.remove() : outside.set(aheadMs / 1_000)));
};

/** Shows how long certificates are still valid. */
export const showCertificates = (register: Registry): void => {
  const left = new Gauge({
    name: 'carat_certificate_seconds_left',
    help: 'Time until the end of a certificate; below 0 since its end; only certificates that could be read',
    labelNames: ['certificate'],
    registers: [register],
  });
  const readable = new Gauge({
    name: 'carat_certificate_readable',
    help: '1 if the last look could read the certificate at all addresses of its server, else 0',
    labelNames: ['certificate'],
    registers: [register],
  });
  onMeasure('certificate', ({ of: certificate, secondsLeft, isWhole }) => {
    readable.set({ certificate }, Number(isWhole));
    if (secondsLeft === null) left.remove({ certificate });
    else left.set({ certificate }, secondsLeft);
  });
};

/** Milliseconds for which a refusal is shown: longer than the pauses between signs of life, and between looks at the disk. */
const SHOWN_MS = 25_000;

/** Shows why PostgreSQL refuses statements of this process. */
export const showRefusals = (register: Registry): void => {
  const until = new Map<RefusalReason, number>(refusalReasons.map((reason) => [reason, 0]));
  onMeasure('refusal', ({ reason }) => void until.set(reason, performance.now() + SHOWN_MS));
  new Gauge({
    name: 'carat_database_refuses',
    help: '1 if PostgreSQL has refused a statement of this process in the last 25 seconds, by the reason',
    labelNames: ['reason'],
    registers: [register],
    collect() {
      for (const [reason, at] of until) this.set({ reason }, Number(at > performance.now()));
    },
  });
};

/** Shows how fast Temporal responds to this process. */
export const showPings = (register: Registry): void => {
  const gauge = new Gauge({
    name: 'carat_temporal_response_seconds',
    help: 'Time until Temporal responded to the last ping of this process; 2 if it takes longer; missing if it cannot be reached',
    registers: [register],
  });
  gauge.remove();
  onMeasure('ping', ({ seconds }) => (seconds === null ? gauge.remove() : gauge.set(seconds)));
};

/** Shows the database connections of this process. */
export const showPool = (register: Registry, pool: PoolCounts): void => {
  new Gauge({
    name: 'carat_database_connections',
    help: "Connections of this process's pool, by state: used, idle",
    labelNames: ['state'],
    registers: [register],
    collect() {
      this.set({ state: 'used' }, pool.numUsed());
      this.set({ state: 'idle' }, pool.numFree());
    },
  });
  new Gauge({
    name: 'carat_database_connections_max',
    help: 'Most connections of the pool: CARAT_DATABASE_POOL',
    registers: [register],
    collect() {
      this.set(pool.max);
    },
  });
  new Gauge({
    name: 'carat_database_waiting',
    help: 'Statements and transactions that wait for a connection of the pool',
    registers: [register],
    collect() {
      this.set(pool.numPendingAcquires());
    },
  });
};
